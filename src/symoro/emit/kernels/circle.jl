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
