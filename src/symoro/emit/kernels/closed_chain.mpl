# All real solutions of prod_{i=1..6} J_i(q_i) C_i = 1, J = Rz (revolute) or Tz (prismatic): Raghavan and Roth 1993
# with the eigenvalues of Manocha and Canny 1994. See the documentation of the kernel closed_chain.
closed_chain_ := proc(n, constants, marks, plan)
    local numbers, kinds, given, scaled, seen, scale, table, usable, again, uncertain, decided, best, before, limit, row,
        tries, move, i, k, q, results, x;
    numbers := [seq(evalf(x), x in [op(convert(constants, list)), op(convert(marks, list)), op(convert(plan, list))])];
    table := [];
    usable := andmap(type, numbers, float) and andmap(x -> evalb(abs(x) < Float(1, 300)), numbers);
    if usable then
        kinds := [seq(`if`(numbers[72 + i] > 0.5, 1, 0), i = 1 .. 6)];
        given := [seq(chain_placement(numbers[12*i - 11 .. 12*i]), i = 1 .. 6)];
        usable := andmap(chain_turns, given);
        scale := max(seq(max(map(abs, given[i][1 .. 3, 4])), i = 1 .. 6));
        if not scale > 0 then scale := 1.0 end if;
    end if;
    if usable then
        scaled := [seq(chain_straightened(given[i], scale), i = 1 .. 6)];
        seen := scaled;
        q := [0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        best := [op(q), chain_errors(scaled, kinds, q)[3]];
    end if;
    decided := false;
    uncertain := 2;
    again := `if`(usable, 2, 0);
    # If two solutions nearly coincide, or some may be missing (real ones come in pairs), another arrangement may be
    # better conditioned. At a nearby pose on either side such roots are separate; they are then refined for the
    # given pose.
    for tries from 0 to 4 while again > 0 do
        before := nops(table);
        if tries > 2 then
            move := Matrix(
                [[0, 1, -0.7, 0.3], [-1, 0, 0.4, -0.5], [0.7, -0.4, 0, 0.6], [0, 0, 0, 0]], datatype = float[8]);
            seen := [op(scaled[1 .. 5]), chain_straightened(scaled[6] + `if`(tries = 3, 0.00001, -0.00001)*move, 1.0)];
        end if;
        limit := `if`(tries > 0 and before = 0, 0.03, 0.001);
        k := 78 + 4*irem(tries, 3);
        table, best, again, uncertain :=
            chain_try(seen, scaled, kinds, numbers[k + 1 .. k + 4], limit, table, best, again, uncertain);
        decided := evalb(decided or (uncertain = 0 and tries < 3));
        if again > 0 then
            for row in table do
                table := chain_split(scaled, kinds, row[1 .. 6], table);
            end do;
        end if;
        if again = 1 and tries > 0 and nops(table) = before and irem(before, 2) = 0 then again := 0 end if;
    end do;
    if usable and nops(table) = 0 and (not decided or best[7] < 0.000001) then table := [best] end if;
    results := [];
    for k from 1 to iquo(n, 7) do
        if k <= nops(table) then
            q := [seq(`if`(kinds[i] = 1, scale, 1.0)*table[k][i], i = 1 .. 6)];
            results := [op(results), op(q), chain_errors(given, kinds, q)[3]];
        else
            results := [op(results), 0, 0, 0, 0, 0, 0, Float(1, 30)];
        end if;
    end do;
    return Vector(results);
end proc:

# Whether a transform contains a rotation except for rounding errors.
chain_turns := proc(t)
    local r;
    r := Matrix(t[1 .. 3, 1 .. 3], datatype = float[8]);
    return evalb(max(map(abs, r . LinearAlgebra:-Transpose(r) - Matrix(3, 3, shape = identity))) < 0.1);
end proc:

chain_placement := proc(entries)
    return Matrix([entries[1 .. 4], entries[5 .. 8], entries[9 .. 12], [0, 0, 0, 1]], datatype = float[8]);
end proc:

# Lengths divided by the scale; rotation matrices with rounding errors are orthonormalised by Newton's iteration for the
# polar factor.
chain_straightened := proc(placement, scale)
    local t, r, k;
    t := Matrix(placement, datatype = float[8]);
    for k from 1 to 3 do
        t[k, 4] := t[k, 4]/scale;
    end do;
    for k from 1 to 3 do
        r := Matrix(t[1 .. 3, 1 .. 3], datatype = float[8]);
        t[1 .. 3, 1 .. 3] := 1.5*r - 0.5*(r . LinearAlgebra:-Transpose(r) . r);
    end do;
    return t;
end proc:

chain_inverse := proc(t)
    local made, r;
    r := LinearAlgebra:-Transpose(Matrix(t[1 .. 3, 1 .. 3], datatype = float[8]));
    made := Matrix(4, 4, datatype = float[8]);
    made[1 .. 3, 1 .. 3] := r;
    made[1 .. 3, 4] := -(r . Vector(t[1 .. 3, 4], datatype = float[8]));
    made[4, 4] := 1.0;
    return made;
end proc:

chain_joint := proc(kind, value)
    local c, s;
    if kind = 1 then
        return Matrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, value], [0, 0, 0, 1]], datatype = float[8]);
    end if;
    c := evalf(cos(value));
    s := evalf(sin(value));
    return Matrix([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], datatype = float[8]);
end proc:

# Functions that both sides have in common, of a product of transforms, as a list.
chain_functions := proc(slides, t)
    local l, p, cross, pp, pl, i, j;
    l := [seq(t[i, 3], i = 1 .. 3)];
    p := [seq(t[i, 4], i = 1 .. 3)];
    cross := [p[2]*l[3] - p[3]*l[2], p[3]*l[1] - p[1]*l[3], p[1]*l[2] - p[2]*l[1]];
    if slides then
        return [seq(seq(t[i, j], j = 1 .. 3), i = 1 .. 3), cross[3]];
    end if;
    pp := add(p[i]^2, i = 1 .. 3);
    pl := add(p[i]*l[i], i = 1 .. 3);
    return [op(p), op(l), pp, pl, op(cross), seq(pp*l[i] - 2*pl*p[i], i = 1 .. 3)];
end proc:

# Interpolation nodes of a variable; maps from values there to coefficients of (cos, sin, 1) or (r^2, r, 1),
# and to coefficients of (x^2, x, 1), x = tan(q/2) or r, times 1 + x^2 for an angle.
chain_bases := proc(kind)
    local nodes, fit, i;
    if kind = 1 then
        fit := Matrix([[0.5, -1, 0.5], [-0.5, 0, 0.5], [0, 1, 0]], datatype = float[8]);
        return [[-1.0, 0.0, 1.0], fit, fit];
    end if;
    nodes := [0.0, evalf(2*Pi/3), evalf(4*Pi/3)];
    fit := Matrix([[seq(2/3*cos(nodes[i]), i = 1 .. 3)], [seq(2/3*sin(nodes[i]), i = 1 .. 3)], [1/3, 1/3, 1/3]],
        datatype = float[8]);
    return [nodes, fit, Matrix([[-1, 0, 1], [0, 2, 0], [1, 0, 1]], datatype = float[8]) . fit];
end proc:

# Least-squares inverse; singular values that are small relative to the first count as zero.
chain_pseudo_inverse := proc(matrix, tolerance)
    local u, s, vt, count, middle, k;
    u, s, vt := LinearAlgebra:-SingularValues(matrix, output = ['U', 'S', 'Vt']);
    count := min(LinearAlgebra:-Dimensions(matrix));
    middle := Matrix(count, count, datatype = float[8]);
    for k from 1 to count do
        if s[k] > tolerance*s[1] then middle[k, k] := 1/s[k] end if;
    end do;
    return LinearAlgebra:-Transpose(Matrix(vt[1 .. count, 1 .. -1])) . middle
        . LinearAlgebra:-Transpose(Matrix(u[1 .. -1, 1 .. count]));
end proc:

# The table with the solutions of one arrangement of the loop `seen`, refined for the loop `placements`; the
# posture with the smallest defect; 2 if solutions may be missing, 1 if two of them nearly coincide; the uncertainty
# of the roots.
chain_try := proc(seen, placements, kinds, step, limit, known, closest, again, uncertainty)
    local arrangement, order, marks, roles, shifts, turn, slides, made, pencil, right, constant, pivot, halves, uncertain,
        inverse, failed, weak, near, table, best, half, s, c, vectors, vector, last, values, chain, m, q, row, i;
    table := known;
    best := closest;
    if not (step[1] >= 0 and step[1] < 12) then return table, best, again, uncertainty end if;
    arrangement := floor(step[1]);
    order := [seq(irem(`if`(arrangement < 6, arrangement + i - 1, 18 - arrangement - i), 6) + 1, i = 1 .. 6)];
    marks := [seq(kinds[order[i]], i = 1 .. 6)];
    slides := evalb(marks[3] = 1 and marks[6] = 1);
    if marks[6] = 1 and not slides then return table, best, again, uncertainty end if;
    shifts := [0.0, 0.0, step[2], step[3], step[4], 0.0];
    turn := Matrix([[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]], datatype = float[8]);
    roles := [];
    for i from 1 to 6 do
        if arrangement < 6 then
            made := seen[order[i]];
        else
            made := turn . chain_inverse(seen[irem(order[i] + 4, 6) + 1]) . turn;
        end if;
        roles := [op(roles), chain_joint(marks[i], shifts[i]) . made];
    end do;
    pencil, right, constant := chain_pencil(roles, marks, slides);
    pivot := `if`(slides, 4, 3);
    last := `if`(slides, 1, 3);
    halves, uncertain := chain_roots(pencil, marks[pivot], limit);
    inverse := chain_pseudo_inverse(right, 1.0e-9);
    failed := false;
    weak := false;
    for half in halves do
        s := evalf(sin(half));
        c := evalf(cos(half));
        vectors := chain_vectors(s^2*pencil[1] + s*c*pencil[2] + c^2*pencil[3]);
        for vector in vectors do
            values := Array(1 .. 6);
            values[pivot] := `if`(marks[pivot] = 1, evalf(tan(half)), 2*half);
            values[pivot + 1] := chain_ratio(marks[pivot + 1], vector, last, false);
            if not slides then values[5] := chain_ratio(marks[5], vector, last, true) end if;
            chain := chain_joint(marks[3], values[3]) . roles[3] . chain_joint(marks[4], values[4]) . roles[4]
                . chain_joint(marks[5], values[5]) . roles[5];
            m := inverse . (Vector(chain_functions(slides, chain), datatype = float[8]) - constant);
            values[1] := `if`(marks[1] = 1, m[6], evalf(arctan(m[6], m[3])));
            values[2] := `if`(marks[2] = 1, m[8], evalf(arctan(m[8], m[7])));
            if not slides then # otherwise Newton's first step computes both lengths, because they enter linearly
                chain := roles[6] . chain_joint(marks[1], values[1]) . roles[1] . chain_joint(marks[2], values[2])
                    . roles[2] . chain;
                values[6] := evalf(arctan(-chain[2, 1], chain[1, 1]));
            end if;
            q := Array(1 .. 6);
            for i from 1 to 6 do
                q[order[i]] := values[i] + shifts[i];
            end do;
            row, near := chain_polish(placements, kinds, convert(q, list));
            weak := evalb(weak or near);
            if row[7] < best[7] then best := row end if;
            if row[7] < 1.0e-10 then
                table := chain_inserted(placements, kinds, row, table);
            else
                failed := true;
                if row[7] < 0.01 then table := chain_split(placements, kinds, row[1 .. 6], table) end if;
            end if;
        end do;
    end do;
    if uncertain > 1 or failed or irem(nops(table), 2) = 1 or (nops(table) = 0 and uncertain > 0) then
        return table, best, 2, uncertain;
    end if;
    return table, best, `if`(weak, 1, 0), uncertain;
end proc:

# The matrices of x^2, x and 1, and the right side without its constant.
chain_pencil := proc(roles, marks, slides)
    local bases, at, right, left, powers, constant, fitted, polynomials, square, u, s, vt, cancel, equations, last, gap,
        part, pencil, rows, node, i, j, k, x;
    bases := [seq(chain_bases(marks[i]), i = 1 .. 5)];
    at := [seq([seq(chain_joint(marks[i], bases[i][1][k]) . roles[i], k = 1 .. 3)], i = 1 .. 5)];
    right := [];
    left := [];
    for i from 1 to 3 do
        for j from 1 to 3 do
            right := [op(right), chain_functions(slides, chain_inverse(roles[6] . at[1][i] . at[2][j]))];
            if slides then
                left := [op(left), chain_functions(slides, roles[3] . at[4][i] . at[5][j])];
            else
                for k from 1 to 3 do
                    left := [op(left), chain_functions(slides, at[3][i] . at[4][j] . at[5][k])];
                end do;
            end if;
        end do;
    end do;
    # Rows are nodes here; the fitted matrices have one row per coefficient.
    fitted := LinearAlgebra:-KroneckerProduct(bases[1][2], bases[2][2]) . Matrix(right, datatype = float[8]);
    rows := nops(right[1]);
    constant := Vector([seq(fitted[9, k], k = 1 .. rows)], datatype = float[8]);
    left := [seq([seq(node[k] - constant[k], k = 1 .. rows)], node in left)];
    powers := LinearAlgebra:-KroneckerProduct(bases[4][3], bases[5][3]);
    if not slides then powers := LinearAlgebra:-KroneckerProduct(bases[3][3], powers) end if;
    polynomials := Matrix(powers, datatype = float[8]) . Matrix(left, datatype = float[8]);
    # The last left singular vectors are orthogonal to all columns, for any rank.
    square := Matrix(rows, rows, datatype = float[8]);
    square[1 .. rows, 1 .. 8] := LinearAlgebra:-Transpose(Matrix(fitted[1 .. 8, 1 .. rows]));
    u, s, vt := LinearAlgebra:-SingularValues(square, output = ['U', 'S', 'Vt']);
    last := `if`(slides, 1, 3);
    cancel := Matrix(u[1 .. rows, 9 .. 8 + 2*last], datatype = float[8]);
    equations := LinearAlgebra:-Transpose(polynomials . cancel);
    gap := Matrix(2*last, last, datatype = float[8]);
    pencil := [];
    for x from 1 to 3 do
        part := Matrix(equations[1 .. 2*last, 3*last*(x - 1) + 1 .. 3*last*x], datatype = float[8]);
        pencil := [op(pencil), Matrix([[gap, part], [part, gap]], datatype = float[8])];
    end do;
    return pencil, Matrix(square[1 .. rows, 1 .. 8], datatype = float[8]), constant;
end proc:

# Half angles of the roots, x = tan(half), that are real up to a limit, from the eigenvalues t = 1/x of a companion
# matrix; 2 if its leading matrix is singular, 1 if it is nearly singular or other roots are almost real.
chain_roots := proc(pencil, kind, limit)
    local n, sizes, lower, companion, t, halves, largest, uncertain, k;
    n := LinearAlgebra:-RowDimension(pencil[3]);
    sizes := LinearAlgebra:-SingularValues(pencil[3]);
    if not sizes[n] > 1.0e-15*sizes[1] then return [], 2 end if;
    lower := LinearAlgebra:-LinearSolve(pencil[3], Matrix([[pencil[1], pencil[2]]], datatype = float[8]));
    largest := max(map(abs, lower));
    uncertain := `if`(largest < Float(1, 6), 0, `if`(largest < Float(1, 10), 1, 2));
    companion := Matrix(2*n, 2*n, datatype = float[8]);
    for k from 1 to n do
        companion[k, n + k] := 1.0;
    end do;
    companion[n + 1 .. 2*n, 1 .. 2*n] := -lower;
    halves := [];
    for t in convert(LinearAlgebra:-Eigenvalues(companion), list) do
        if kind = 1 and abs(t) < 0.00001 then next end if;
        if abs(Im(t)) < limit*(1 + abs(t)^2) then
            halves := [op(halves), evalf(arctan(1.0, Re(t)))];
        elif abs(Im(t)) < 0.03*(1 + abs(t)^2) then
            uncertain := max(uncertain, 1);
        end if;
    end do;
    return sort(halves), uncertain;
end proc:

# Null vectors that are vectors of monomials, as lists. Solutions that have the same value of the pivot are separated
# by the eigenvectors of multiplication by y + 0.37 z in the null space.
chain_vectors := proc(matrix)
    local n, last, u, s, vt, count, space, action, high, low, values, directions, vectors, k, i, j;
    n := LinearAlgebra:-RowDimension(matrix);
    last := n/4;
    u, s, vt := LinearAlgebra:-SingularValues(Matrix(matrix, datatype = float[8]), output = ['U', 'S', 'Vt']);
    count := nops(select(k -> evalb(s[k] < 0.000001*s[1]), [seq(k, k = 1 .. n)]));
    count := min(4, max(1, count));
    space := LinearAlgebra:-Transpose(Matrix(vt[n - count + 1 .. n, 1 .. n]));
    if count = 1 then return [[seq(space[i, 1], i = 1 .. n)]] end if;
    action := chain_pseudo_inverse(Matrix(space[last + 1 .. n, 1 .. count]), 1.0e-14)
        . Matrix(space[1 .. n - last, 1 .. count]);
    if last = 3 then
        high := select(k -> evalb(irem(k, 3) <> 0), [seq(k, k = 1 .. n)]);
        low := select(k -> evalb(irem(k, 3) <> 1), [seq(k, k = 1 .. n)]);
        action := action + 0.37*(chain_pseudo_inverse(Matrix(space[low, 1 .. count]), 1.0e-14)
            . Matrix(space[high, 1 .. count]));
    end if;
    values, directions := LinearAlgebra:-Eigenvectors(Matrix(action, datatype = float[8]));
    vectors := [];
    for k from 1 to count do
        if abs(Im(values[k])) < 0.01*(1 + abs(values[k])) then
            vectors := [op(vectors),
                [seq(add(space[i, j]*Re(directions[j, k]), j = 1 .. count), i = 1 .. n)]];
        end if;
    end do;
    return vectors;
end proc:

# Value of the variable y (or z, by_z) of a vector of monomials.
chain_ratio := proc(kind, vector, last, by_z)
    local top, bottom, y, z, low, high;
    top := 0.0;
    bottom := 0.0;
    for y from `if`(by_z, 1, 2) to 4 do
        for z from `if`(by_z, 2, 1) to last do
            low := vector[(y - 1)*last + z];
            high := vector[(y - 1)*last + z - `if`(by_z, 1, last)];
            top := top + high*low;
            bottom := bottom + low*low;
        end do;
    end do;
    if kind = 0 then return evalf(2*arctan(top, bottom)) end if;
    return `if`(bottom > 0, top/bottom, 0.0);
end proc:

# Error twist, Jacobian and largest entry of |product - 1|.
chain_errors := proc(placements, kinds, q)
    local chain, jacobian, axes, points, z, arm, turns, i, k;
    chain := Matrix(4, 4, shape = identity);
    axes := [];
    points := [];
    for i from 1 to 6 do
        axes := [op(axes), [seq(chain[k, 3], k = 1 .. 3)]];
        points := [op(points), [seq(chain[k, 4], k = 1 .. 3)]];
        chain := Matrix(chain, datatype = float[8]) . chain_joint(kinds[i], q[i]) . placements[i];
    end do;
    jacobian := Matrix(6, 6, datatype = float[8]);
    for i from 1 to 6 do
        z := axes[i];
        arm := [seq(chain[k, 4] - points[i][k], k = 1 .. 3)];
        if kinds[i] = 0 then
            for k from 1 to 3 do
                jacobian[3 + k, i] := z[k];
            end do;
            z := [z[2]*arm[3] - z[3]*arm[2], z[3]*arm[1] - z[1]*arm[3], z[1]*arm[2] - z[2]*arm[1]];
        end if;
        for k from 1 to 3 do
            jacobian[k, i] := z[k];
        end do;
    end do;
    turns := [(chain[3, 2] - chain[2, 3])/2, (chain[1, 3] - chain[3, 1])/2, (chain[2, 1] - chain[1, 2])/2];
    return [
        Vector([seq(chain[k, 4], k = 1 .. 3), op(turns)], datatype = float[8]), jacobian,
        max(seq(seq(abs(chain[i, k] - `if`(i = k, 1, 0)), i = 1 .. 4), k = 1 .. 4))];
end proc:

# The best of Newton's iterates, angles in (-pi, pi], and its defect; whether the Jacobian is nearly singular, so that
# two solutions nearly coincide. A step is damped if an angle would change too much.
chain_polish := proc(placements, kinds, start)
    local q, best, settled, weak, tries, error_, jacobian, defect, sizes, step, damped, turned, system, turn, i;
    q := start;
    turn := evalf(2*Pi);
    best := [op(q), Float(1, 30)];
    settled := false;
    weak := true;
    for tries from 1 to 40 do
        if not andmap(type, q, float) then break end if;
        q := [seq(`if`(kinds[i] = 1, q[i], q[i] - turn*ceil((q[i] - turn/2)/turn)), i = 1 .. 6)];
        error_, jacobian, defect := op(chain_errors(placements, kinds, q));
        if defect < best[7] then best := [op(q), defect] end if;
        if settled or not defect < Float(1, 30) then break end if;
        sizes := LinearAlgebra:-SingularValues(jacobian);
        step := chain_pseudo_inverse(jacobian, 1.0e-14) . error_;
        damped := ormap(i -> evalb(kinds[i] = 0 and abs(step[i]) >= 0.5), [1, 2, 3, 4, 5, 6]);
        weak := evalb(damped or not sizes[6] > 0.001);
        if damped then
            turned := LinearAlgebra:-Transpose(jacobian);
            system := turned . jacobian;
            for i from 1 to 6 do
                system[i, i] := system[i, i] + min(max(defect, 1.0e-12), 1.0e-6);
            end do;
            step := LinearAlgebra:-LinearSolve(system, turned . error_);
        end if;
        q := [seq(q[i] - step[i], i = 1 .. 6)];
        settled := not damped and evalb(max(seq(abs(step[i]), i = 1 .. 6)) < 1.0e-8);
    end do;
    return best, weak;
end proc:

# The table with the solutions next to a posture q. Along the direction v in which the error of the loop grows least,
# it is the parabola c + b s + a s^2 / 2: Newton's method starts at both roots s.
chain_split := proc(placements, kinds, q, known)
    local h, table, at, jacobian, u, sizes, vt, a, b, c, s, side, row, i;
    h := 0.001; # step of the difference quotient for a
    table := known;
    jacobian := chain_errors(placements, kinds, q)[2];
    u, sizes, vt := LinearAlgebra:-SingularValues(jacobian, output = ['U', 'S', 'Vt']);
    at := proc(s)
        local error_, k;
        error_ := chain_errors(placements, kinds, [seq(q[k] + s*vt[6, k], k = 1 .. 6)])[1];
        return add(u[k, 6]*error_[k], k = 1 .. 6);
    end proc;
    b := sizes[6];
    c := at(0.0);
    a := (at(-h) - 2*c + at(h))/h^2;
    if a = 0 then return table end if;
    for side in [-1, 1] do
        s := (side*sqrt(max(b^2 - 2*a*c, 0.0)) - b)/a;
        if abs(s) < 0.5 then # not too far for a parabola
            row := [chain_polish(placements, kinds, [seq(q[i] + s*vt[6, i], i = 1 .. 6)])][1];
            if row[7] < 1.0e-10 then table := chain_inserted(placements, kinds, row, table) end if;
        end if;
    end do;
    return table;
end proc:

# Insert a solution into the table, unless it is already there: two rows are the same if the posture between them
# closes the loop as well as they do.
chain_inserted := proc(placements, kinds, row, table)
    local other, gap, turn, between, i, k;
    turn := evalf(2*Pi);
    for k from 1 to nops(table) do
        other := table[k];
        gap := [seq(row[i] - other[i], i = 1 .. 6)];
        gap := [seq(`if`(kinds[i] = 0, gap[i] - turn*round(gap[i]/turn), gap[i]), i = 1 .. 6)];
        if max(op(map(abs, gap))) < 0.00001 then
            between := chain_errors(placements, kinds, [seq(other[i] + gap[i]/2, i = 1 .. 6)])[3];
            if between <= max(1.0e-14, row[7], other[7]) then return table end if;
        end if;
    end do;
    if nops(table) = 16 then return table end if;
    return sort([op(table), row], (x, y) -> chain_before(kinds, x, y));
end proc:

# Whether a solution precedes another one: by joint values in steps of 1e-6, -pi counting as pi.
chain_before := proc(kinds, a, b)
    local keys, turn, x, i;
    turn := evalf(2*Pi);
    keys := [seq([seq(round(1000000*`if`(kinds[i] = 0 and x[i] < 0.000001 - turn/2, x[i] + turn, x[i])), i = 1 .. 6)],
        x in [a, b])];
    for i from 1 to 6 do
        if keys[1][i] <> keys[2][i] then return evalb(keys[1][i] < keys[2][i]) end if;
    end do;
    return true;
end proc:
