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
