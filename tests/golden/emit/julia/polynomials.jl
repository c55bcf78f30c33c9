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
# Constants, made once from the parameters by polynomials_setup
#   k_2 (1): m
#
# Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
# Made by symoro VERSION
module Polynomials

export polynomials, polynomials!, polynomials_setup

const PARAMETERS = ["m"]

# k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t and its derivative.
function circle_left_(k, s, c)
    c2 = (c - s) * (c + s)
    s2 = 2 * s * c
    left = k[1] + k[2] * c + k[3] * s + k[4] * c2 + k[5] * s2
    return left, k[3] * c - k[2] * s + 2 * (k[5] * c2 - k[4] * s2)
end

# The largest root of z^3 + 2p z^2 + (p^2 - 4r) z - q^2, which is not negative.
function circle_resolvent_(p, q, r)
    big = (p^2 + 12 * r) / 9
    odd = p * (4 * r / 3 - p^2 / 27) - q^2 / 2
    rest = odd^2 - big^3
    if rest < 0
        angle = acos(clamp(odd / sqrt(big^3), -one(p), one(p)))
        z = -2 * sqrt(big) * cos((angle + 2 * pi) / 3)
    else
        root = cbrt(abs(odd) + sqrt(rest))
        z = root > 0 ? root + big / root : zero(p)
        z = odd > 0 ? -z : z
    end
    return max(z - 2 * p / 3, zero(p))
end

# The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A defect is
# 0 for an angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With x = tan(u/2), t = u + turn, the
# equation is a quartic whose leading coefficient is the largest of eight values of the left side; Ferrari splits it
# into two quadratics; Newton's method on the equation itself ends.
function circle_(n, k)
    k = k ./ maximum(abs, k)
    slots = vcat(zeros(eltype(k), 4), ones(eltype(k), 8))
    if !all(isfinite, k)
        return slots
    end
    turns = [j * pi / 4 for j in 0:7]
    at = argmax([abs(circle_left_(k, sin(t), cos(t))[1]) for t in turns])
    ct, st = -cos(turns[at]), -sin(turns[at])
    c2, s2 = cos(2 * turns[at]), sin(2 * turns[at])
    a, b = k[2] * ct + k[3] * st, k[3] * ct - k[2] * st
    g, h = k[4] * c2 + k[5] * s2, k[5] * c2 - k[4] * s2
    lead = k[1] - a + g
    a2, a1, a0 = (2 * k[1] - 6 * g) / lead, (2 * b + 4 * h) / lead, (k[1] + a + g) / lead
    # y = x + e: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2), of v and w2 - w1 the larger one is a
    # square root, the other q over it.
    e = (b / 2 - h) / lead
    p = a2 - 6 * e^2
    q = a1 - 2 * e * (a2 - 4 * e^2)
    r = a0 - e * (a1 - e * (a2 - 3 * e^2))
    z = circle_resolvent_(p, q, r)
    gap = (p + z)^2 - 4 * r
    if z^2 >= gap
        v = sqrt(z)
        difference = v > 0 ? q / v : zero(q)
    else
        difference = q < 0 ? -sqrt(gap) : sqrt(gap)
        v = q / difference
    end
    keys = zeros(eltype(k), 4)
    for j in 1:4
        half = isodd(j) ? -0.5 : 0.5
        inside = v^2 / 4 - (p + z) / 2 - half * difference
        reach = sqrt(abs(inside))
        x, y = half * v - e, zero(reach)
        if inside < 0
            y = reach
        else
            x += j < 3 ? -reach : reach
        end
        # exp(iu) = (1 + i(x + iy))/(1 - i(x + iy))
        squared = 4 * y / ((1 + y)^2 + x^2)
        defect = squared / (1 + sqrt(max(1 - squared, zero(x))))
        su, cu = 2 * x, 1 - x^2 - y^2
        size = sqrt(su^2 + cu^2)
        s, c = (su * ct + cu * st) / size, (cu * ct - su * st) / size
        left, slope = circle_left_(k, s, c)
        for _ in 1:2
            step = -left / slope
            size = sqrt(1 + step^2)
            s1, c1 = (s + c * step) / size, (c - s * step) / size
            left1, slope1 = circle_left_(k, s1, c1)
            if defect > 0 || !(abs(left1) < abs(left))
                break
            end
            s, c, left, slope = s1, c1, left1, slope1
        end
        if defect < 0.999999 && s^2 + c^2 > 0.5
            s = c < 0 && abs(s) < 1e-15 ? zero(s) : s # pi is not -pi, whatever the round-off
            d = s / (abs(s) + abs(c))
            keys[j] = c >= 0 ? d : (s >= 0 ? 2 - d : -2 - d)
            slots[j], slots[j+4], slots[j+8] = s, c, defect
        else
            keys[j] = 3
        end
    end
    order = sortperm(keys)
    return slots[vcat(order, order .+ 4, order .+ 8)]
end

# Logarithms of the sizes of the roots, ascending, by the Newton polygon of the coefficients' logarithms.
function quartic_sizes_(logs)
    hull = copy(logs)
    for m in 2:4, i in 1:m-1, j in m+1:5
        hull[m] = max(hull[m], (logs[i] * (j - m) + logs[j] * (m - i)) / (j - i))
    end
    return hull[1:4] - hull[2:5]
end

# The degree without the leading coefficients that are lost in the round-off of the others, at the roots without them or
# at 1; a, lowest first.
function quartic_degree_(a, logs)
    degree = findlast(x -> x != 0, a) - 1
    for d in 1:degree-1
        reach = max(maximum((logs[j+1] - logs[d+1]) / (d - j) for j in 0:d-1), 0)
        weights = [logs[j+1] + j * reach for j in 0:4]
        if a[d+1] != 0 && maximum(weights[d+2:5]) < maximum(weights[1:d+1]) - 34.5
            return d
        end
    end
    return degree
end

# The unit of x in which the middle roots are about 1, and the degree, of a, lowest first.
function quartic_unit_(a)
    logs = [max(log(abs(x)), -1e4) for x in a]
    degree = quartic_degree_(a, logs)
    least = findfirst(x -> x != 0, a) - 1
    if degree <= least
        return one(a[1]), degree
    end
    logs[degree+2:5] .= -1e4
    sizes = quartic_sizes_(logs)
    small = sizes[div(least + degree - 1, 2)+1]
    large = sizes[div(least + degree, 2)+1]
    middle = (small + large) / 2
    if large - small >= 60
        middle = -small > large ? large : small
    end
    return exp(clamp(middle, -170, 170)), degree
end

# Newton's method on f1 + f2 x + ... + f5 x^4, as long as it gets nearer to zero.
function quartic_polish_(f, x)
    left = (((f[5] * x + f[4]) * x + f[3]) * x + f[2]) * x + f[1]
    for _ in 1:2
        x1 = x - left / (((4 * f[5] * x + 3 * f[4]) * x + 2 * f[3]) * x + f[2])
        left1 = (((f[5] * x1 + f[4]) * x1 + f[3]) * x1 + f[2]) * x1 + f[1]
        if !(abs(left1) < abs(left))
            break
        end
        x, left = x1, left1
    end
    return x
end

# The real roots of a1 x^4 + a2 x^3 + a3 x^2 + a4 x + a5 = 0: 4 roots, ascending, and 4 defects. A defect is 0 for a
# real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. With x = unit*tan(t/2) the roots
# are angles t.
function quartic_(n, a)
    b = reverse(a) ./ maximum(abs, a)
    roots = vcat(zeros(eltype(b), 4), ones(eltype(b), 4))
    if !all(isfinite, b)
        return roots
    end
    unit, degree = quartic_unit_(b)
    b[degree+2:5] .= 0
    b = b .* [1 / unit / unit, 1 / unit, 1, unit, unit * unit]
    b = b ./ maximum(abs, b)
    twice = (b[1] + b[5] - b[3]) / 8
    k = [(b[1] + b[5]) / 2 - twice, (b[1] - b[5]) / 2, (b[4] + b[2]) / 4, twice, (b[2] - b[4]) / 8]
    angles = circle_(12, k)
    s, c, defects = angles[1:4], angles[5:8], angles[9:12]
    # |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect
    below = [defects[j]^2 + 2 * (1 - defects[j]) * (c[j] < 0 ? s[j]^2 / (1 - c[j]) : 1 + c[j]) for j in 1:4]
    missed = sortperm(below)[1:4-degree] # the roots next to infinity are those that a lower degree lacks
    keys = fill(oftype(unit, Inf), 4)
    for j in 1:4
        imaginary = zero(unit)
        if defects[j] > 0
            x = unit * 2 * (1 - defects[j]) * s[j] / below[j]
            imaginary = unit * defects[j] * (2 - defects[j]) / below[j]
        elseif c[j] < 0 # large roots are polished as 1/x, which cannot overflow
            x = unit / quartic_polish_(reverse(b), s[j] / (1 - c[j]))
        else
            x = unit * quartic_polish_(b, s[j] / (1 + c[j]))
        end
        relative = imaginary / (1 + sqrt(x^2 + imaginary^2))
        if relative <= 1 && isfinite(x) && !(j in missed)
            roots[j], roots[j+4], keys[j] = x + 0, relative, x
        end
    end
    order = sortperm(keys)
    return roots[vcat(order, order .+ 4)]
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
