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
