# polynomials: roots of polynomials
#
# Inputs
#   a (5): a1 a2 a3 a4 a5
#   k (5): k1 k2 k3 k4 k5
# Outputs
#   x (8)
#   t (12)
#   pair (8)
#   none (12)
# Parameters
#   p (1): m
# Constants, computed once from the parameters by polynomials_setup
#   k_2 (1): m
#
# Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
# Made by symoro VERSION

# The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A defect
# is 0 for a real angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With z = exp(it) the equation is a
# quartic.
circle_ := proc(n, k)
    local top, c, z, solutions, slots, r;
    Digits := max(Digits, 32);
    slots := [];
    top := max(op(map(abs, k)));
    if not has(k, undefined) and not has(k, infinity) and max(op(map(abs, k[2 .. 5]))) > 0 then
        c := [k[4] + I*k[5], k[2] + I*k[3], 2*k[1], k[2] - I*k[3], k[4] - I*k[5]];
        solutions := [fsolve(add(`if`(abs(c[r]) > 0, evalf(c[r]/top)*z^(r - 1), 0), r = 1 .. 5), z, complex)];
        for r in solutions do
            if abs(r) > 1e-6 and abs(r) < 1e6 then
                c := argument(r);
                c := `if`(c < 1e-15 - evalf(Pi), evalf(Pi), c); # pi must not become -pi because of round-off
                slots := [op(slots), [c, 1 - min(abs(r), 1/abs(r))]];
            end if;
        end do;
    end if;
    slots := sort(slots, (u, v) -> evalb(u[1] <= v[1]));
    slots := map(u -> `if`(u[2] < 1e-15, [u[1], 0], u), slots);
    slots := [op(slots), seq([0, 1], r = nops(slots) + 1 .. 4)];
    return [seq(sin(slots[r][1]), r = 1 .. 4), seq(cos(slots[r][1]), r = 1 .. 4), seq(slots[r][2], r = 1 .. 4)];
end proc:

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

polynomials_setup := proc(p)
    local m;
    m := p[1];
    return [m];
end proc:

polynomials := proc(a, k, k_2)
    local a1, a2, a3, a4, a5, k1, k2, k3, k4, k5, m, quartic1_1, quartic1, circle2_1, circle2, quartic3_1,
        quartic3, circle4_1, circle4, x, t, pair, none;
    a1 := a[1];
    a2 := a[2];
    a3 := a[3];
    a4 := a[4];
    a5 := a[5];
    k1 := k[1];
    k2 := k[2];
    k3 := k[3];
    k4 := k[4];
    k5 := k[5];
    m := k_2[1];
    quartic1_1 := [a1 + m, a2, -a3, a4, a5];
    quartic1 := quartic_(8, quartic1_1);
    circle2_1 := [k1/4, k2, k3 + m, -k4, k5];
    circle2 := circle_(12, circle2_1);
    quartic3_1 := [0, 0, 1, k1, quartic1[5] - 3];
    quartic3 := quartic_(8, quartic3_1);
    circle4_1 := [m, 0, 0, 0, 0];
    circle4 := circle_(12, circle4_1);
    x := Vector([quartic1[1], quartic1[2], quartic1[3], quartic1[4], quartic1[5], quartic1[6], quartic1[7],
        quartic1[8]]);
    t := Vector([circle2[1], circle2[2], circle2[3], circle2[4], circle2[5], circle2[6], circle2[7],
        circle2[8], circle2[9], circle2[10], circle2[11], circle2[12]]);
    pair := Vector([quartic3[1], quartic3[2], quartic3[3], quartic3[4], quartic3[5], quartic3[6],
        quartic3[7], quartic3[8]]);
    none := Vector([circle4[1], circle4[2], circle4[3], circle4[4], circle4[5], circle4[6], circle4[7],
        circle4[8], circle4[9], circle4[10], circle4[11], circle4[12]]);
    return x, t, pair, none;
end proc:
