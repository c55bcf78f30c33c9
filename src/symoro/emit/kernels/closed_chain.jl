import LinearAlgebra

# All real solutions of prod_{i=1..6} J_i(q_i) C_i = 1, J = Rz (revolute) or Tz (prismatic): Raghavan and Roth 1993
# with the eigenvalues of Manocha and Canny 1994. See the documentation of the kernel closed_chain.
function closed_chain_(n, constants, marks, plan)
    results = zeros(7, div(n, 7))
    results[7, :] .= 1e30
    kinds = [mark > 0.5 ? 1 : 0 for mark in marks]
    given = [chain_placement(constants[12i-11:12i]) for i in 1:6]
    usable = all(isfinite, constants) && all(isfinite, marks) && all(isfinite, plan)
    usable = usable && all(chain_turns(t) for t in given)
    scale = maximum(maximum(abs.(t[1:3, 4])) for t in given)
    scale = scale > 0 ? scale : 1.0
    scaled = [chain_straightened(t, scale) for t in given]
    seen = copy(scaled)
    table = Vector{Vector{Float64}}()
    best = vcat(zeros(6), chain_errors(scaled, kinds, zeros(6))[3])
    decided = false
    uncertain = 2
    again = usable ? 2 : 0
    # If two solutions nearly coincide, or some may be missing (real ones come in pairs), another arrangement may be
    # better conditioned. At a nearby pose on either side such roots are separate; they are then refined for the
    # given pose.
    for tries in 1:5
        if again == 0
            break
        end
        before = length(table)
        if tries > 3
            move = [0.0 1.0 -0.7 0.3; -1.0 0.0 0.4 -0.5; 0.7 -0.4 0.0 0.6; 0.0 0.0 0.0 0.0]
            seen[6] = chain_straightened(scaled[6] + (tries == 4 ? 1e-5 : -1e-5) * move, 1.0)
        end
        first = 4 * mod(tries - 1, 3)
        step = plan[first+1:first+4]
        limit = tries > 1 && before == 0 ? 0.03 : 1e-3
        best, again, uncertain = chain_try!(table, seen, scaled, kinds, step, limit, best, again, uncertain)
        decided = decided || (uncertain == 0 && tries < 4)
        if again > 0
            for row in copy(table)
                chain_split!(table, scaled, kinds, row[1:6])
            end
        end
        if again == 1 && tries > 1 && length(table) == before && iseven(before)
            again = 0
        end
    end
    if usable && isempty(table) && (!decided || best[7] < 1e-6)
        push!(table, best)
    end
    for k in 1:min(length(table), div(n, 7))
        q = [kinds[i] == 1 ? scale * table[k][i] : table[k][i] for i in 1:6]
        results[1:6, k] = q
        results[7, k] = chain_errors(given, kinds, q)[3]
    end
    return vec(results)
end

# Whether a transform contains a rotation except for rounding errors.
function chain_turns(t)
    square = t[1:3, 1:3] * transpose(t[1:3, 1:3])
    return all(abs(square[i, j] - (i == j ? 1.0 : 0.0)) < 0.1 for i in 1:3, j in 1:3)
end

function chain_placement(entries)
    return [transpose(reshape(Float64.(entries), 4, 3)); 0.0 0.0 0.0 1.0]
end

# Lengths divided by the scale; rotation matrices with rounding errors are orthonormalised by Newton's iteration for the
# polar factor.
function chain_straightened(placement, scale)
    t = copy(placement)
    t[1:3, 4] = t[1:3, 4] / scale
    for k in 1:3
        r = t[1:3, 1:3]
        t[1:3, 1:3] = 1.5 * r - 0.5 * r * transpose(r) * r
    end
    return t
end

function chain_inverse(t)
    r = transpose(t[1:3, 1:3])
    return [r (-r * t[1:3, 4]); 0.0 0.0 0.0 1.0]
end

function chain_joint(kind, value)
    if kind == 1
        return [1.0 0.0 0.0 0.0; 0.0 1.0 0.0 0.0; 0.0 0.0 1.0 value; 0.0 0.0 0.0 1.0]
    end
    c = cos(value)
    s = sin(value)
    return [c -s 0.0 0.0; s c 0.0 0.0; 0.0 0.0 1.0 0.0; 0.0 0.0 0.0 1.0]
end

# Functions that both sides have in common, of a product of transforms.
function chain_functions(slides, t)
    l = t[1:3, 3]
    p = t[1:3, 4]
    cross = LinearAlgebra.cross(p, l)
    if slides
        return vcat(vec(t[1:3, 1:3]), cross[3])
    end
    pp = sum(p .* p)
    pl = sum(p .* l)
    return vcat(p, l, pp, pl, cross, pp * l - 2 * pl * p)
end

# Interpolation nodes of a variable; maps from values there to coefficients of (cos, sin, 1) or (r^2, r, 1),
# and to coefficients of (x^2, x, 1), x = tan(q/2) or r, times 1 + x^2 for an angle.
function chain_bases(kind)
    if kind == 1
        fit = [0.5 -1.0 0.5; -0.5 0.0 0.5; 0.0 1.0 0.0]
        return [-1.0, 0.0, 1.0], fit, fit
    end
    nodes = [0.0, 2 * pi / 3, 4 * pi / 3]
    fit = [transpose(cos.(nodes)); transpose(sin.(nodes)); 0.5 0.5 0.5] * 2 / 3
    return nodes, fit, [-1.0 0.0 1.0; 0.0 2.0 0.0; 1.0 0.0 1.0] * fit
end

# Add the solutions of one arrangement of the loop `seen`, refined for the loop `placements`. Returns the
# posture with the smallest defect; 2 if solutions may be missing, 1 if two nearly coincide; the uncertainty of the
# roots.
function chain_try!(table, seen, placements, kinds, step, limit, best, again, uncertain)
    if !(0 <= step[1] < 12)
        return best, again, uncertain
    end
    arrangement = floor(Int, step[1])
    shifts = [0.0, 0.0, step[2], step[3], step[4], 0.0]
    turn = [1.0 0.0 0.0 0.0; 0.0 -1.0 0.0 0.0; 0.0 0.0 -1.0 0.0; 0.0 0.0 0.0 1.0]
    order = zeros(Int, 6)
    roles = Vector{Matrix{Float64}}(undef, 6)
    for i in 1:6
        if arrangement < 6
            order[i] = mod(arrangement + i - 1, 6) + 1
            made = seen[order[i]]
        else
            order[i] = mod(18 - arrangement - i, 6) + 1
            made = turn * chain_inverse(seen[mod(order[i] + 4, 6) + 1]) * turn
        end
        roles[i] = chain_joint(kinds[order[i]], shifts[i]) * made
    end
    marks = kinds[order]
    slides = marks[3] == 1 && marks[6] == 1
    if marks[6] == 1 && !slides
        return best, again, uncertain
    end
    pencil, right, constant = chain_pencil(roles, marks, slides)
    pivot = slides ? 4 : 3
    halves, uncertain = chain_roots(pencil, marks[pivot], limit)
    inverse = LinearAlgebra.pinv(right; rtol = 1e-9)
    failed = false
    weak = false
    for half in halves
        s = sin(half)
        c = cos(half)
        vectors = chain_vectors(pencil[1] * (s * s) + pencil[2] * (s * c) + pencil[3] * (c * c))
        for v in 1:size(vectors, 2)
            grid = reshape(vectors[:, v], :, 4)
            values = zeros(6)
            values[pivot] = marks[pivot] == 1 ? tan(half) : 2 * half
            values[pivot+1] = chain_ratio(marks[pivot+1], grid[:, 1:3], grid[:, 2:4])
            if !slides
                values[5] = chain_ratio(marks[5], grid[1:2, :], grid[2:3, :])
            end
            chain = chain_joint(marks[3], values[3]) * roles[3]
            chain = chain * chain_joint(marks[4], values[4]) * roles[4]
            chain = chain * chain_joint(marks[5], values[5]) * roles[5]
            m = inverse * (chain_functions(slides, chain) - constant)
            values[1] = marks[1] == 1 ? m[6] : atan(m[6], m[3])
            values[2] = marks[2] == 1 ? m[8] : atan(m[8], m[7])
            if !slides # otherwise Newton's first step computes both lengths, because they enter linearly
                before = roles[6] * chain_joint(marks[1], values[1]) * roles[1]
                chain = before * chain_joint(marks[2], values[2]) * roles[2] * chain
                values[6] = atan(-chain[2, 1], chain[1, 1])
            end
            q = zeros(6)
            q[order] = values + shifts
            row, near = chain_polish(placements, kinds, q)
            weak = weak || near
            best = row[7] < best[7] ? row : best
            if row[7] < 1e-10
                chain_insert!(table, placements, kinds, row)
            else
                failed = true
                if row[7] < 1e-2
                    chain_split!(table, placements, kinds, row[1:6])
                end
            end
        end
    end
    incomplete = uncertain > 1 || failed || isodd(length(table)) || (isempty(table) && uncertain > 0)
    return best, incomplete ? 2 : (weak ? 1 : 0), uncertain
end

# The matrices of x^2, x and 1, and the right side without its constant.
function chain_pencil(roles, marks, slides)
    bases = [chain_bases(marks[i]) for i in 1:5]
    at(i, k) = chain_joint(marks[i], bases[i][1][k]) * roles[i]
    right = Vector{Vector{Float64}}()
    left = Vector{Vector{Float64}}()
    for i in 1:3, j in 1:3
        push!(right, chain_functions(slides, chain_inverse(roles[6] * at(1, i) * at(2, j))))
        if slides
            push!(left, chain_functions(slides, roles[3] * at(4, i) * at(5, j)))
            continue
        end
        for k in 1:3
            push!(left, chain_functions(slides, at(3, i) * at(4, j) * at(5, k)))
        end
    end
    fitted = reduce(hcat, right) * transpose(kron(bases[1][2], bases[2][2]))
    constant = fitted[:, 9]
    powers = kron(bases[4][3], bases[5][3])
    if !slides
        powers = kron(bases[3][3], powers)
    end
    polynomials = (reduce(hcat, left) .- constant) * transpose(powers)
    # The last left singular vectors are orthogonal to all columns, for any rank.
    cancel = LinearAlgebra.svd(fitted[:, 1:8]; full = true).U[:, 9:end]
    equations = transpose(cancel) * polynomials
    last = slides ? 1 : 3
    gap = zeros(2 * last, last)
    parts = [equations[:, 3*last*(x-1)+1:3*last*x] for x in 1:3]
    return [[gap part; part gap] for part in parts], fitted[:, 1:8], constant
end

# Half angles of the roots, x = tan(half), that are real up to a limit, from the eigenvalues t = 1/x of a companion
# matrix; 2 if its leading matrix is singular, 1 if it is nearly singular or other roots are almost real.
function chain_roots(pencil, kind, limit)
    n = size(pencil[3], 1)
    upper = zeros(n, 2n)
    for k in 1:n
        upper[k, n+k] = 1.0
    end
    uncertain = 2
    if LinearAlgebra.cond(pencil[3]) < 1e12
        lower = pencil[3] \ [pencil[1] pencil[2]]
        largest = maximum(abs.(lower))
        uncertain = largest < 1e6 ? 0 : (largest < 1e10 ? 1 : 2)
        values = LinearAlgebra.eigvals([upper; -lower])
    else
        leading = zeros(2n, 2n)
        for k in 1:n
            leading[k, k] = 1.0
        end
        leading[n+1:2n, n+1:2n] = pencil[3]
        values = LinearAlgebra.eigvals([upper; hcat(-pencil[1], -pencil[2])], leading)
    end
    halves = Float64[]
    for t in values
        if !isfinite(t) || (kind == 1 && abs(t) < 1e-5)
            continue
        end
        if abs(imag(t)) < limit * (1 + abs2(t))
            push!(halves, atan(1.0, real(t)))
        elseif abs(imag(t)) < 0.03 * (1 + abs2(t))
            uncertain = max(uncertain, 1)
        end
    end
    return sort(halves), uncertain
end

# Null vectors that are vectors of monomials. Solutions that have the same value of the pivot are separated by the
# eigenvectors of multiplication by y + 0.37 z in the null space.
function chain_vectors(matrix)
    n = size(matrix, 1)
    last = div(n, 4)
    factors = LinearAlgebra.svd(matrix)
    count = clamp(sum(factors.S .< 1e-6 * factors.S[1]), 1, 4)
    space = factors.V[:, n-count+1:n]
    if count == 1
        return space
    end
    action = LinearAlgebra.pinv(space[last+1:n, :]) * space[1:n-last, :]
    if last == 3
        high = [k for k in 1:n if mod(k, 3) != 0]
        low = [k for k in 1:n if mod(k, 3) != 1]
        action = action + 0.37 * (LinearAlgebra.pinv(space[low, :]) * space[high, :])
    end
    if !all(isfinite, action)
        return zeros(n, 0)
    end
    parts = LinearAlgebra.eigen(action)
    kept = [k for k in 1:count if abs(imag(parts.values[k])) < 1e-2 * (1 + abs(parts.values[k]))]
    return real.(space * parts.vectors[:, kept])
end

# The variable x with high = x low, as a joint value.
function chain_ratio(kind, high, low)
    top = sum(high .* low)
    bottom = sum(low .* low)
    if kind == 0
        return 2 * atan(top, bottom)
    end
    return bottom > 0 ? top / bottom : 0.0
end

# Error twist, Jacobian and largest entry of |product - 1|.
function chain_errors(placements, kinds, q)
    chain = [1.0 0.0 0.0 0.0; 0.0 1.0 0.0 0.0; 0.0 0.0 1.0 0.0; 0.0 0.0 0.0 1.0]
    unit = copy(chain)
    axes = zeros(3, 6)
    points = zeros(3, 6)
    for i in 1:6
        axes[:, i] = chain[1:3, 3]
        points[:, i] = chain[1:3, 4]
        chain = chain * chain_joint(kinds[i], q[i]) * placements[i]
    end
    jacobian = zeros(6, 6)
    for i in 1:6
        if kinds[i] == 1
            jacobian[1:3, i] = axes[:, i]
        else
            jacobian[1:3, i] = LinearAlgebra.cross(axes[:, i], chain[1:3, 4] - points[:, i])
            jacobian[4:6, i] = axes[:, i]
        end
    end
    turns = [chain[3, 2] - chain[2, 3], chain[1, 3] - chain[3, 1], chain[2, 1] - chain[1, 2]]
    return vcat(chain[1:3, 4], turns / 2), jacobian, maximum(abs.(chain - unit))
end

# The best of Newton's iterates from q, angles in (-pi, pi], and its defect; whether the Jacobian is nearly singular, so
# that two solutions nearly coincide. A step is damped if an angle would change too much.
function chain_polish(placements, kinds, q)
    best = vcat(q, 1e30)
    settled = false
    weak = true
    for tries in 1:40
        if !all(isfinite, q)
            break
        end
        q = [kinds[i] == 1 ? q[i] : pi - mod(pi - q[i], 2 * pi) for i in 1:6]
        error, jacobian, defect = chain_errors(placements, kinds, q)
        if defect < best[7]
            best = vcat(q, defect)
        end
        if settled || !(defect < 1e30)
            break
        end
        sizes = LinearAlgebra.svdvals(jacobian)
        damped = !(sizes[6] > 1e-14 * sizes[1])
        step = zeros(6)
        if !damped
            step = jacobian \ error
            damped = any(kinds[i] == 0 && !(abs(step[i]) < 0.5) for i in 1:6)
        end
        weak = damped || !(sizes[6] > 1e-3)
        if damped
            weights = zeros(6, 6)
            for i in 1:6
                weights[i, i] = sqrt(clamp(defect, 1e-12, 1e-6))
            end
            step = [jacobian; weights] \ vcat(error, zeros(6))
        end
        q = q - step
        settled = !damped && maximum(abs.(step)) < 1e-8
    end
    return best, weak
end

# Add the solutions next to a posture q. Along the direction v in which the error of the loop grows least, it is the
# parabola c + b s + a s^2 / 2: Newton's method starts at both roots s.
function chain_split!(table, placements, kinds, q)
    h = 1e-3 # step of the difference quotient for a
    error, jacobian, defect = chain_errors(placements, kinds, q)
    if !all(isfinite, jacobian)
        return nothing
    end
    factors = LinearAlgebra.svd(jacobian)
    u = factors.U[:, 6]
    v = factors.V[:, 6]
    b = factors.S[6]
    c = sum(u .* error)
    low = sum(u .* chain_errors(placements, kinds, q - h * v)[1])
    high = sum(u .* chain_errors(placements, kinds, q + h * v)[1])
    a = (low - 2 * c + high) / (h * h)
    for side in (-1, 1)
        s = (side * sqrt(max(b * b - 2 * a * c, 0.0)) - b) / a
        if abs(s) < 0.5 # not too far for a parabola
            row = chain_polish(placements, kinds, q + s * v)[1]
            if row[7] < 1e-10
                chain_insert!(table, placements, kinds, row)
            end
        end
    end
    return nothing
end

# Insert a solution, unless it is already there: two rows are the same if the posture between them closes the loop as
# well as they do.
function chain_insert!(table, placements, kinds, row)
    for k in 1:length(table)
        gaps = row[1:6] - table[k][1:6]
        gaps = [kinds[i] == 0 ? gaps[i] - 2 * pi * round(gaps[i] / (2 * pi)) : gaps[i] for i in 1:6]
        if all(abs.(gaps) .< 1e-5)
            between = chain_errors(placements, kinds, table[k][1:6] + gaps / 2)[3]
            if between <= max(1e-14, row[7], table[k][7])
                return nothing
            end
        end
    end
    if length(table) < 16
        push!(table, row)
        sort!(table; by = other -> chain_key(kinds, other))
    end
    return nothing
end

# Sort key of solutions: joint values in steps of 1e-6, -pi counting as pi; 0.0 is added since -0.0 sorts before it.
function chain_key(kinds, q)
    turned = [kinds[i] == 0 && q[i] < 1e-6 - pi ? q[i] + 2 * pi : q[i] for i in 1:6]
    return round.(turned / 1e-6) .+ 0.0
end
