# The real roots of a1 x^4 + a2 x^3 + a3 x^2 + a4 x + a5 = 0: 4 roots, ascending, and 4 defects. A defect is 0 for a
# real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. Leading coefficients below the
# round-off of the others, at the roots without them or at 1, are ignored.
quartic_ := proc(n, a)
    local b, x, degree, d, j, reach, solutions, slots;
    Digits := max(Digits, 32);
    slots := [];
    if not has(a, undefined) and not has(a, infinity) and max(op(map(abs, a[1 .. 4]))) > 0 then
        b := [seq(evalf(abs(a[5 - j])), j = 0 .. 4)];
        degree := max(seq(`if`(b[j + 1] > 0, j, 0), j = 0 .. 4));
        for d from 1 to degree - 1 do
            if b[d + 1] > 0 then
                reach := max(1, seq((b[j + 1]/b[d + 1])^(1/(d - j)), j = 0 .. d - 1));
                if max(seq(b[j + 1]*reach^j, j = d + 1 .. 4)) < 1e-15*max(seq(b[j + 1]*reach^j, j = 0 .. d)) then
                    degree := d;
                    break;
                end if;
            end if;
        end do;
        solutions := [fsolve(add(`if`(b[j + 1] > 0, evalf(a[5 - j])*x^j, 0), j = 0 .. degree), x, complex)];
        slots := map(z -> [Re(z), abs(Im(z))/(1 + abs(z))], solutions);
    end if;
    slots := sort(slots, (u, v) -> evalb(u[1] <= v[1]));
    slots := map(u -> `if`(u[2] < 1e-15, [u[1], 0], u), slots);
    slots := [op(slots), seq([0, 1], j = nops(slots) + 1 .. 4)];
    return [seq(slots[j][1], j = 1 .. 4), seq(slots[j][2], j = 1 .. 4)];
end proc:
