# polynomials: roots of polynomials
#
# Inputs
#   a (5): a1 a2 a3 a4 a5
#   k (5): k1 k2 k3 k4 k5
# Outputs
#   x (8)
#   t (12)
#   pair (8)
#   none (12)
# Parameters
#   p (1): m
# Constants, computed once from the parameters by polynomials_setup
#   k_2 (1): m
#
# Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
# Made by symoro VERSION
module Polynomials

export polynomials, polynomials!, polynomials_setup

const PARAMETERS = ["m"]

import LinearAlgebra

# The roots of a polynomial, highest power first, from the eigenvalues of its companion matrix.
function polynomial_roots_(a)
    first = findfirst(!iszero, a)
    last = findlast(!iszero, a)
    if first === nothing
        return complex(float(eltype(a)))[]
    end
    n = last - first
    companion = zeros(eltype(a), n, n)
    for j in 1:n
        companion[1, j] = -a[first+j] / a[first]
        if j < n
            companion[j+1, j] = 1
        end
    end
    zero_roots = zeros(complex(float(eltype(a))), length(a) - last)
    return n > 0 ? vcat(complex.(LinearAlgebra.eigvals(companion)), zero_roots) : zero_roots
end

# The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A defect is
# 0 for a real angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. exp(it) is a root of a quartic; those on
# the unit circle are refined by Newton's method on the equation itself.
function circle_(n, k)
    k = k ./ maximum(abs, k)
    slots = vcat(zeros(eltype(k), 4), ones(eltype(k), 8))
    if !all(isfinite, k)
        return slots
    end
    value(t) = k[1] + k[2] * cos(t) + k[3] * sin(t) + k[4] * cos(2 * t) + k[5] * sin(2 * t)
    slope(t) = k[3] * cos(t) - k[2] * sin(t) + 2 * (k[5] * cos(2 * t) - k[4] * sin(2 * t))
    quartic = [k[4] - im * k[5], k[2] - im * k[3], complex(2 * k[1]), k[2] + im * k[3], k[4] + im * k[5]]
    quartic[abs.(quartic) .< 1e-60] .= 0 # roots that large are none, and the companion matrix might overflow
    rows = Tuple{eltype(k),eltype(k)}[]
    for z in polynomial_roots_(quartic)
        if !(1e-6 < abs(z) < 1e6)
            continue
        end
        t, defect = angle(z), 1 - min(abs(z), 1 / abs(z))
        near = t
        for _ in 1:3
            next = near - value(near) / slope(near)
            near = isfinite(next) && abs(value(next)) < abs(value(near)) ? next : near
        end
        if defect < 1e-3 && abs(value(near)) < 1e-14 # the equation holds up to round-off
            t, defect = atan(sin(near), cos(near)), zero(defect)
        end
        t = t < 1e-15 - pi ? oftype(t, pi) : t # pi must not become -pi because of round-off
        push!(rows, (t, defect))
    end
    sort!(rows)
    for (j, (t, defect)) in enumerate(rows)
        slots[j] = abs(t) > 3 && abs(sin(t)) < 1e-15 ? zero(t) : sin(t)
        slots[j+4] = cos(t)
        slots[j+8] = defect
    end
    return slots
end

# Newton's method for a root of a polynomial, highest power first; whether the polynomial is zero there up to round-off.
# A large root is refined as 1/x, which cannot overflow.
function quartic_polish_(b, x)
    b = abs(x) > 1 ? reverse(b) : b
    w = abs(x) > 1 ? 1 / x : x
    value(w) = foldl((sum, c) -> sum * w + c, b)
    slope(w) = foldl((sum, j) -> sum * w + (length(b) - j) * b[j], 1:length(b)-1; init = zero(w))
    for _ in 1:3
        next = w - value(w) / slope(w)
        w = abs(value(next)) < abs(value(w)) ? next : w
    end
    size = foldl((sum, c) -> sum * abs(w) + abs(c), b; init = zero(w))
    return abs(x) > 1 ? 1 / w : w, abs(value(w)) <= 1e-14 * size
end

# The real roots of a1 x^4 + a2 x^3 + a3 x^2 + a4 x + a5 = 0: 4 roots, ascending, and 4 defects. A defect is 0 for a
# real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. Leading coefficients below the
# round-off of the others, at the roots without them or at 1, are ignored.
function quartic_(n, a)
    a = reverse(a) ./ maximum(abs, a) # lowest power first
    slots = vcat(zeros(eltype(a), 4), ones(eltype(a), 4))
    if !all(isfinite, a) || all(iszero, a[2:5])
        return slots
    end
    logs = log.(abs.(a))
    least, degree = findfirst(!iszero, a) - 1, findlast(!iszero, a) - 1
    for d in 1:degree-1
        if iszero(a[d+1])
            continue
        end
        reach = max(maximum((logs[j+1] - logs[d+1]) / (d - j) for j in 0:d-1), 0)
        weights = [logs[j+1] + j * reach for j in 0:4]
        if maximum(weights[d+2:5]) < maximum(weights[1:d+1]) - 34.5
            degree = d
            break
        end
    end
    # The logarithm of the unit of x in which the first and the last coefficient have the same magnitude.
    unit = degree > least ? (logs[least+1] - logs[degree+1]) / (degree - least) : zero(logs[1])
    logs = [logs[j+1] + j * unit for j in 0:degree]
    b = reverse(sign.(a[1:degree+1]) .* exp.(logs .- maximum(logs)))
    rows = Tuple{eltype(a),eltype(a)}[]
    for x in polynomial_roots_(b)
        if abs(imag(x)) < 1e-3 * abs(x)
            near, closed = quartic_polish_(b, real(x))
            x = closed ? complex(near) : x
        end
        x *= exp(unit)
        if !isfinite(x)
            continue
        end
        push!(rows, (real(x) + 0, abs(imag(x)) / (1 + abs(x))))
    end
    sort!(rows)
    for (j, (x, defect)) in enumerate(rows)
        slots[j], slots[j+4] = x, defect
    end
    return slots
end

polynomials_setup(p::AbstractDict) = polynomials_setup([p[name] for name in PARAMETERS])

function polynomials_setup(p)
    length(p) == 1 || throw(DimensionMismatch("p must have the length 1, got $(length(p))"))
    m = p[1]
    return [m]
end

function polynomials!(x, t, pair, none, a, k, k_2)
    length(a) == 5 || throw(DimensionMismatch("a must have the length 5, got $(length(a))"))
    length(k) == 5 || throw(DimensionMismatch("k must have the length 5, got $(length(k))"))
    length(k_2) == 1 || throw(DimensionMismatch("k_2 must have the length 1, got $(length(k_2))"))
    a1 = a[1]
    a2 = a[2]
    a3 = a[3]
    a4 = a[4]
    a5 = a[5]
    k1 = k[1]
    k2 = k[2]
    k3 = k[3]
    k4 = k[4]
    k5 = k[5]
    m = k_2[1]
    quartic1_1 = float([a1 + m, a2, -a3, a4, a5])
    quartic1 = quartic_(8, quartic1_1)
    circle2_1 = float([0.25*k1, k2, k3 + m, -k4, k5])
    circle2 = circle_(12, circle2_1)
    quartic3_1 = float([0, 0, 1, k1, quartic1[5] - 3])
    quartic3 = quartic_(8, quartic3_1)
    circle4_1 = float([m, 0, 0, 0, 0])
    circle4 = circle_(12, circle4_1)
    x[1] = quartic1[1]
    x[2] = quartic1[2]
    x[3] = quartic1[3]
    x[4] = quartic1[4]
    x[5] = quartic1[5]
    x[6] = quartic1[6]
    x[7] = quartic1[7]
    x[8] = quartic1[8]
    t[1] = circle2[1]
    t[2] = circle2[2]
    t[3] = circle2[3]
    t[4] = circle2[4]
    t[5] = circle2[5]
    t[6] = circle2[6]
    t[7] = circle2[7]
    t[8] = circle2[8]
    t[9] = circle2[9]
    t[10] = circle2[10]
    t[11] = circle2[11]
    t[12] = circle2[12]
    pair[1] = quartic3[1]
    pair[2] = quartic3[2]
    pair[3] = quartic3[3]
    pair[4] = quartic3[4]
    pair[5] = quartic3[5]
    pair[6] = quartic3[6]
    pair[7] = quartic3[7]
    pair[8] = quartic3[8]
    none[1] = circle4[1]
    none[2] = circle4[2]
    none[3] = circle4[3]
    none[4] = circle4[4]
    none[5] = circle4[5]
    none[6] = circle4[6]
    none[7] = circle4[7]
    none[8] = circle4[8]
    none[9] = circle4[9]
    none[10] = circle4[10]
    none[11] = circle4[11]
    none[12] = circle4[12]
    return nothing
end

function polynomials(a, k, k_2)
    Element = float(promote_type(eltype(a), eltype(k), eltype(k_2)))
    x = zeros(Element, 8)
    t = zeros(Element, 12)
    pair = zeros(Element, 8)
    none = zeros(Element, 12)
    polynomials!(x, t, pair, none, a, k, k_2)
    return (; x = x, t = t, pair = pair, none = none)
end

end # module Polynomials
