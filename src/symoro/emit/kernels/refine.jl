# The end of the chain K0 J1 K1 .. Jn Kn less the target, and its derivatives, in the entries that are given. marks: n,
# tolerance, 12 times 1 where an entry is given, n times 1 (turns) or 2 (slides), negative backwards.
function refine_miss_(placements, target, marks, q)
    n = length(q)
    given = [e for e in 1:12 if marks[2+e] > 0.5]
    part(i) = permutedims(reshape(placements[12*i+1:12*i+12], 4, 3))
    t = part(0)
    axes = zeros(eltype(t), 3, n)
    points = zeros(eltype(t), 3, n)
    for i in 1:n
        way = sign(marks[14+i])
        axes[:, i] = way * t[:, 3]
        points[:, i] = t[:, 4]
        if abs(marks[14+i]) > 1.5
            t[:, 4] += q[i] * axes[:, i]
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
            moved[:, 4] = axes[:, i]
        else
            x, y, z = axes[:, i]
            moved = [0 -z y; z 0 -x; -y x 0] * hcat(t[:, 1:3], t[:, 4] - points[:, i])
        end
        slopes[:, i] = flat(moved)
    end
    return flat(t) - [target[e] for e in given], slopes
end

# The best of Newton's iterates from q, angles in (-pi, pi], and its residual.
function refine_row_(placements, target, marks, q)
    n = length(q)
    miss, slopes = refine_miss_(placements, target, marks, q)
    least = maximum(abs, miss)
    for tries in 1:10
        a = transpose(slopes) * slopes
        step = transpose(slopes) * miss
        top = maximum(a[i, i] for i in 1:n)
        for i in 1:n
            a[i, i] += 1e-14 * top
        end
        for c in 1:n, r in c+1:n
            factor = a[r, c] / a[c, c]
            for j in c+1:n
                a[r, j] -= factor * a[c, j]
            end
            step[r] -= factor * step[c]
        end
        for r in n:-1:1
            for j in r+1:n
                step[r] -= a[r, j] * step[j]
            end
            step[r] /= a[r, r]
        end
        x = q - step
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
    return [abs(marks[14+i]) > 1.5 ? q[i] : atan(sin(q[i]), cos(q[i])) for i in 1:n], least
end

# Rows of joints, residual and status: those that are not quite solutions of K0 J1 K1 .. Jn Kn = T are made so by
# Newton's method, and are empty where another row holds the same.
function refine_(size, placements, target, marks, rows)
    n = round(Int, marks[1])
    results = copy(rows)
    count = div(size, n + 2)
    for k in 0:count-1
        at = (n + 2) * k
        residual, status = results[at+n+1], results[at+n+2]
        if !(residual < 1e-2) || (residual <= 1e-3 * marks[2] && status != 1)
            continue
        end
        q, least = refine_row_(placements, target, marks, results[at+1:at+n])
        if !(least <= marks[2])
            continue
        end
        again = false
        for j in 0:count-1
            other = (n + 2) * j
            if j == k || !(results[other+n+2] == 0 || results[other+n+2] == 2)
                continue
            end
            apart = results[other+1:other+n] - q
            again |= all(
                abs(abs(marks[14+i]) > 1.5 ? apart[i] : atan(sin(apart[i]), cos(apart[i]))) < 1e-5 for i in 1:n
            )
        end
        if again
            results[at+n+2] = 3
        else
            results[at+1:at+n] = q
            results[at+n+1] = least
            results[at+n+2] = status == 2 ? 2 : 0
        end
    end
    return results
end
