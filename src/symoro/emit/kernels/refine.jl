# Last frame of the chain K0 J1 K1 .. Jn Kn minus the target, and its derivatives, in the given entries. marks: n,
# tolerance, 12 flags (1: entry given), n joint types: 1 revolute, 2 prismatic, negative for the reverse direction.
function refine_miss_(placements, target, marks, q)
    n = length(q)
    given = [e for e in 1:12 if marks[2+e] > 0.5]
    part(i) = permutedims(reshape(placements[12*i+1:12*i+12], 4, 3))
    t = part(0)
    lines = zeros(eltype(t), 3, n)
    points = zeros(eltype(t), 3, n)
    for i in 1:n
        way = sign(marks[14+i])
        lines[:, i] = way * t[:, 3]
        points[:, i] = t[:, 4]
        if abs(marks[14+i]) > 1.5
            t[:, 4] += q[i] * lines[:, i]
        else
            c, s = cos(q[i]), way * sin(q[i])
            t = hcat(c * t[:, 1] + s * t[:, 2], c * t[:, 2] - s * t[:, 1], t[:, 3], t[:, 4])
        end
        b = part(i)
        t = hcat(t[:, 1:3] * b[:, 1:3], t[:, 1:3] * b[:, 4] + t[:, 4])
    end
    flat(m) = vec(permutedims(m))[given]
    slopes = zeros(eltype(t), length(given), n)
    for i in 1:n
        moved = zeros(eltype(t), 3, 4)
        if abs(marks[14+i]) > 1.5
            moved[:, 4] = lines[:, i]
        else
            x, y, z = lines[:, i]
            moved = [0 -z y; z 0 -x; -y x 0] * hcat(t[:, 1:3], t[:, 4] - points[:, i])
        end
        slopes[:, i] = flat(moved)
    end
    return flat(t) - [target[e] for e in given], slopes
end

# (J'J + damping) x = right, for the derivatives J, with little damping.
function refine_solve_(slopes, right)
    n = length(right)
    a = transpose(slopes) * slopes
    x = copy(right)
    top = maximum(a[i, i] for i in 1:n)
    for i in 1:n
        a[i, i] += 1e-14 * top
    end
    for c in 1:n, r in c+1:n
        factor = a[r, c] / a[c, c]
        for j in c+1:n
            a[r, j] -= factor * a[c, j]
        end
        x[r] -= factor * x[c]
    end
    for r in n:-1:1
        for j in r+1:n
            x[r] -= a[r, j] * x[j]
        end
        x[r] /= a[r, r]
    end
    return x
end

# The best of Newton's iterates from q, and its residual.
function refine_row_(placements, target, marks, q)
    miss, slopes = refine_miss_(placements, target, marks, q)
    least = maximum(abs, miss)
    for tries in 1:15
        x = q - refine_solve_(slopes, transpose(slopes) * miss)
        if !all(isfinite, x)
            break
        end
        miss, slopes = refine_miss_(placements, target, marks, x)
        most = maximum(abs, miss)
        if !(most < least)
            break
        end
        q, least = x, most
    end
    return q, least
end

# Direction in which the last frame moves least, by inverse iteration, and whether it moves little.
function refine_weak_(placements, target, marks, q)
    _, slopes = refine_miss_(placements, target, marks, q)
    way = [one(q[1]) + (i - 1) / 10 for i in eachindex(q)]
    for tries in 1:3
        way = refine_solve_(slopes, way)
        way = way / sqrt(sum(abs2, way))
    end
    most = maximum(sum(abs2, slopes[:, i]) for i in eachindex(q))
    return way, sum(abs2, slopes * way) < 1e-3 * most
end

# An angle in (-pi, pi], or a length.
refine_turn_(mark, x) = abs(mark) > 1.5 ? x : atan(sin(x), cos(x))

# Whether a valid row other than k contains the joint values q.
function refine_again_(marks, rows, k, q)
    n = length(q)
    for j in axes(rows, 2)
        if j != k && (rows[n+2, j] == 0 || rows[n+2, j] == 2)
            if all(abs(refine_turn_(marks[14+i], rows[i, j] - q[i])) < 1e-5 for i in 1:n)
                return true
            end
        end
    end
    return false
end

# One row, a column here. If Newton's method stops between two solutions that almost coincide, or at one that another
# row contains, it is started again on both sides along the direction in which the chain moves least.
function refine_one_(placements, target, marks, rows, k)
    n = size(rows, 1) - 2
    fine = 1e-3 * marks[2]
    residual, status = rows[n+1, k], rows[n+2, k]
    q, least = refine_row_(placements, target, marks, rows[1:n, k])
    again = least <= marks[2] && refine_again_(marks, rows, k, q)
    if again || !(least <= fine)
        way, weak = refine_weak_(placements, target, marks, q)
        aside = 10 * sqrt(least <= fine ? residual : least)
        for side in (-1, 1)
            if !weak
                break
            end
            x, most = refine_row_(placements, target, marks, q + side * aside * way)
            if most <= fine && !refine_again_(marks, rows, k, x)
                q, least, again = x, most, false
                break
            end
        end
    end
    if again
        rows[n+2, k] = 3
    elseif least <= marks[2]
        rows[:, k] = vcat([refine_turn_(marks[14+i], q[i]) for i in 1:n], least, status == 2 ? 2 : 0)
    end
end

# Rows of joints, residual and status: those that are approximate solutions of K0 J1 K1 .. Jn Kn = T are refined
# by Newton's method, and become empty if another row contains the same solution.
function refine_(count, placements, target, marks, rows)
    n = round(Int, marks[1])
    results = reshape(copy(rows), n + 2, :)
    for k in axes(results, 2)
        residual = results[n+1, k]
        if residual < 1e-2 && (residual > 1e-3 * marks[2] || results[n+2, k] == 1)
            refine_one_(placements, target, marks, results, k)
        end
    end
    return vec(results)
end
