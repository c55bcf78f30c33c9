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
