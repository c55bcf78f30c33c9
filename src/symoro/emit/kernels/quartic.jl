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
