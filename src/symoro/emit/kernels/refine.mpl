# Last frame of the chain K0 J1 K1 .. Jn Kn minus the target, and its derivatives, in the given entries. marks: n,
# tolerance, 12 flags (1: entry given), n joint types: 1 revolute, 2 prismatic, negative for the reverse direction.
refine_miss_ := proc(placements, target, marks, q)
    local n, i, r, j, e, t, b, axes, points, way, c, s, x, y, z, p, given, slopes;
    n := nops(q);
    given := select(e -> evalb(marks[2 + e] > 0.5), [seq(e, e = 1 .. 12)]);
    t := Matrix(3, 4, (r, j) -> placements[4*(r - 1) + j]);
    axes := Matrix(3, n);
    points := Matrix(3, n);
    for i to n do
        b := Matrix(3, 4, (r, j) -> placements[12*i + 4*(r - 1) + j]);
        way := signum(marks[14 + i]);
        for r to 3 do
            axes[r, i] := way*t[r, 3];
            points[r, i] := t[r, 4];
        end do;
        if abs(marks[14 + i]) > 1.5 then
            for r to 3 do t[r, 4] := t[r, 4] + q[i]*axes[r, i]; end do;
        else
            c := evalf(cos(q[i]));
            s := way*evalf(sin(q[i]));
            for r to 3 do
                x := c*t[r, 1] + s*t[r, 2];
                y := c*t[r, 2] - s*t[r, 1];
                t[r, 1] := x;
                t[r, 2] := y;
            end do;
        end if;
        t := Matrix(3, 4, (r, j) -> add(t[r, e]*b[e, j], e = 1 .. 3) + `if`(j = 4, t[r, 4], 0));
    end do;
    slopes := Matrix(12, n);
    for i to n do
        for j to 4 do
            if abs(marks[14 + i]) > 1.5 then
                p := `if`(j = 4, [seq(axes[r, i], r = 1 .. 3)], [0, 0, 0]);
            else
                x, y, z := seq(t[r, j] - `if`(j = 4, points[r, i], 0), r = 1 .. 3);
                p := [axes[2, i]*z - axes[3, i]*y, axes[3, i]*x - axes[1, i]*z, axes[1, i]*y - axes[2, i]*x];
            end if;
            for r to 3 do slopes[4*(r - 1) + j, i] := p[r]; end do;
        end do;
    end do;
    return [seq(t[iquo(e - 1, 4) + 1, irem(e - 1, 4) + 1] - target[e], e in given)],
        [seq([seq(slopes[e, i], e in given)], i = 1 .. n)];
end proc:

# (J'J + damping) x = right, for the derivatives J, one row per joint, with little damping.
refine_solve_ := proc(slopes, right)
    local n, i, j, e, normal, top;
    n := nops(right);
    normal := Matrix(n, n, (i, j) -> add(slopes[i][e]*slopes[j][e], e = 1 .. nops(slopes[1])));
    top := max(seq(normal[i, i], i = 1 .. n));
    for i to n do normal[i, i] := normal[i, i] + 1e-14*top; end do;
    return convert(LinearAlgebra:-LinearSolve(normal, Vector(right)), list);
end proc:

# The best of Newton's iterates from q, and its residual.
refine_row_ := proc(placements, target, marks, start)
    local n, q, x, i, e, miss, slopes, least, tries;
    n := nops(start);
    q := start;
    miss, slopes := refine_miss_(placements, target, marks, q);
    least := max(op(map(abs, miss)));
    for tries to 15 do
        x := q - refine_solve_(slopes, [seq(add(slopes[i][e]*miss[e], e = 1 .. nops(miss)), i = 1 .. n)]);
        miss, slopes := refine_miss_(placements, target, marks, x);
        if not evalb(max(op(map(abs, miss))) < least) then break; end if;
        q := x;
        least := max(op(map(abs, miss)));
    end do;
    return q, least;
end proc:

# Direction in which the last frame moves least, by inverse iteration, and whether it moves little.
refine_weak_ := proc(placements, target, marks, q)
    local n, i, e, miss, slopes, way, tries, moved, most;
    n := nops(q);
    miss, slopes := refine_miss_(placements, target, marks, q);
    way := [seq(1 + 0.1*(i - 1), i = 1 .. n)];
    for tries to 3 do
        way := refine_solve_(slopes, way);
        way := way/sqrt(add(i^2, i in way));
    end do;
    moved := add(add(slopes[i][e]*way[i], i = 1 .. n)^2, e = 1 .. nops(miss));
    most := max(seq(add(e^2, e in slopes[i]), i = 1 .. n));
    return way, evalb(moved < 1e-3*most);
end proc:

# An angle in (-pi, pi], or a length.
refine_turn_ := (mark, x) -> `if`(abs(mark) > 1.5, x, evalf(arctan(sin(x), cos(x)))):

# Whether a valid row other than k contains the joint values q.
refine_again_ := proc(marks, rows, k, q)
    local n, i, j;
    n := nops(q);
    for j to nops(rows) do
        if j <> k and member(round(rows[j][n + 2]), {0, 2}) then
            if max(seq(abs(refine_turn_(marks[14 + i], rows[j][i] - q[i])), i = 1 .. n)) < 1e-5 then
                return true;
            end if;
        end if;
    end do;
    return false;
end proc:

# One row. If Newton's method stops between two solutions that almost coincide, or at one that another row
# contains, it is started again on both sides along the direction in which the chain moves least.
refine_one_ := proc(placements, target, marks, rows, k)
    local n, i, fine, row, q, least, again, way, weak, aside, side, x, most;
    row := rows[k];
    n := nops(row) - 2;
    fine := 1e-3*marks[2];
    q, least := refine_row_(placements, target, marks, row[1 .. n]);
    again := evalb(least <= marks[2]) and refine_again_(marks, rows, k, q);
    if again or not evalb(least <= fine) then
        way, weak := refine_weak_(placements, target, marks, q);
        aside := 10*sqrt(`if`(least <= fine, row[n + 1], least));
        for side in [-1, 1] do
            if not weak then break; end if;
            x, most := refine_row_(placements, target, marks, q + side*aside*way);
            if evalb(most <= fine) and not refine_again_(marks, rows, k, x) then
                q := x;
                least := most;
                again := false;
                break;
            end if;
        end do;
    end if;
    if again then
        row := [op(1 .. n + 1, row), 3];
    elif evalb(least <= marks[2]) then
        row := [seq(refine_turn_(marks[14 + i], q[i]), i = 1 .. n), least, `if`(round(row[n + 2]) = 2, 2, 0)];
    end if;
    return row;
end proc:

# Rows of joints, residual and status: those that are approximate solutions of K0 J1 K1 .. Jn Kn = T are refined
# by Newton's method, and become empty if another row contains the same solution.
refine_ := proc(size, placements, target, marks, rows)
    local n, results, k, i, d;
    n := round(marks[1]);
    results := [seq([seq(rows[(n + 2)*(k - 1) + i], i = 1 .. n + 2)], k = 1 .. iquo(size, n + 2))];
    for k to nops(results) do
        if not has(results[k], undefined) and results[k][n + 1] < 1e-2
            and (results[k][n + 1] > 1e-3*marks[2] or round(results[k][n + 2]) = 1) then
            results[k] := refine_one_(placements, target, marks, results, k);
        end if;
    end do;
    return [seq(op(d), d in results)];
end proc:
