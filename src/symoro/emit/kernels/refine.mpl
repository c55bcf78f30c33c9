# The end of the chain K0 J1 K1 .. Jn Kn less the target, and its derivatives, in the entries that are given. marks: n,
# tolerance, 12 times 1 where an entry is given, n times 1 (turns) or 2 (slides), negative backwards.
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

# The best of Newton's iterates from q, angles in (-pi, pi], and its residual.
refine_row_ := proc(placements, target, marks, start)
    local n, q, x, i, j, e, miss, slopes, normal, right, top, step, least, tries;
    n := nops(start);
    q := start;
    miss, slopes := refine_miss_(placements, target, marks, q);
    least := max(op(map(abs, miss)));
    for tries to 10 do
        normal := Matrix(n, n, (i, j) -> add(slopes[i][e]*slopes[j][e], e = 1 .. nops(miss)));
        top := max(seq(normal[i, i], i = 1 .. n));
        for i to n do normal[i, i] := normal[i, i] + 1e-14*top; end do;
        right := Vector(n, i -> add(slopes[i][e]*miss[e], e = 1 .. nops(miss)));
        step := LinearAlgebra:-LinearSolve(normal, right);
        x := [seq(q[i] - step[i], i = 1 .. n)];
        miss, slopes := refine_miss_(placements, target, marks, x);
        if not evalb(max(op(map(abs, miss))) < least) then break; end if;
        q := x;
        least := max(op(map(abs, miss)));
    end do;
    return [seq(`if`(abs(marks[14 + i]) > 1.5, q[i], evalf(arctan(sin(q[i]), cos(q[i])))), i = 1 .. n)], least;
end proc:

# Rows of joints, residual and status: those that are not quite solutions of K0 J1 K1 .. Jn Kn = T are made so by
# Newton's method, and are empty where another row holds the same.
refine_ := proc(size, placements, target, marks, rows)
    local n, results, k, j, i, q, d, least, again, same;
    n := round(marks[1]);
    results := [seq([seq(rows[(n + 2)*(k - 1) + i], i = 1 .. n + 2)], k = 1 .. iquo(size, n + 2))];
    for k to nops(results) do
        if not has(results[k], undefined) and results[k][n + 1] < 1e-2
            and (results[k][n + 1] > 1e-3*marks[2] or round(results[k][n + 2]) = 1) then
            q, least := refine_row_(placements, target, marks, results[k][1 .. n]);
            if evalb(least <= marks[2]) then
                again := false;
                for j to nops(results) do
                    if j <> k and member(round(results[j][n + 2]), {0, 2}) then
                        same := true;
                        for i to n do
                            d := results[j][i] - q[i];
                            d := `if`(abs(marks[14 + i]) > 1.5, d, evalf(arctan(sin(d), cos(d))));
                            same := same and evalb(abs(d) < 1e-5);
                        end do;
                        again := again or same;
                    end if;
                end do;
                if again then
                    results[k] := [op(1 .. n + 1, results[k]), 3];
                else
                    results[k] := [op(q), least, `if`(round(results[k][n + 2]) = 2, 2, 0)];
                end if;
            end if;
        end if;
    end do;
    return [seq(op(d), d in results)];
end proc:
