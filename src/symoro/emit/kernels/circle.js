/* k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t and its derivative. */
function circle_left_(k, s, c) {
    const c2 = (c - s) * (c + s);
    const s2 = 2 * s * c;
    const slope = k[2] * c - k[1] * s + 2 * (k[4] * c2 - k[3] * s2);
    return [k[0] + k[1] * c + k[2] * s + k[3] * c2 + k[4] * s2, slope];
}

/* The largest root of z^3 + 2p z^2 + (p^2 - 4r) z - q^2, which is not negative. */
function circle_resolvent_(p, q, r) {
    const big = (p * p + 12 * r) / 9;
    const odd = p * ((4 * r) / 3 - (p * p) / 27) - (q * q) / 2;
    const cube = big * big * big;
    const rest = odd * odd - cube;
    let z = 0;
    if (rest < 0) {
        const angle = Math.acos(Math.max(-1, Math.min(1, odd / Math.sqrt(cube))));
        z = -2 * Math.sqrt(big) * Math.cos((angle + 2 * Math.PI) / 3);
    } else {
        const root = Math.cbrt(Math.abs(odd) + Math.sqrt(rest));
        z = root > 0 ? root + big / root : 0;
        z = odd > 0 ? -z : z;
    }
    z -= (2 * p) / 3;
    return z < 0 ? 0 : z;
}

/* Values in groups of four, each group sorted by the keys of the first four values. */
function circle_sorted_(key, values) {
    const order = [0, 1, 2, 3].sort((i, j) => (key[i] < key[j] ? -1 : key[i] > key[j] ? 1 : i - j));
    return values.map((entry, at) => values[at - (at % 4) + order[at % 4]]);
}

/* Newton's method from an angle, as long as the residual decreases: [sine, cosine]. */
function circle_polish_(k, s, c) {
    let [left, slope] = circle_left_(k, s, c);
    for (let m = 0; m < 2 && Math.abs(left) > 1e-16; ++m) {
        const step = -left / slope;
        const cosine = 1 / Math.sqrt(1 + step * step);
        const s1 = (s + c * step) * cosine;
        const c1 = (c - s * step) * cosine;
        const [left1, slope1] = circle_left_(k, s1, c1);
        if (!(Math.abs(left1) < Math.abs(left))) {
            break;
        }
        [s, c, left, slope] = [s1, c1, left1, slope1];
    }
    return [s, c];
}

/* The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A
 * defect is 0 for a real angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With x = tan(u/2), t = u +
 * turn, the equation is a quartic whose leading coefficient is the largest of eight values of the left side; Ferrari's
 * method splits it into two quadratics; finally Newton's method is applied to the equation itself. */
function circle_(n, coefficients) {
    const cosines = [-1, -Math.SQRT1_2, 0, Math.SQRT1_2];
    const sines = [0, -Math.SQRT1_2, -1, -Math.SQRT1_2];
    const doubled = [1, 0, -1, 0, 1];
    let top = 0;
    for (let j = 0; j < 5; ++j) {
        top = Math.abs(coefficients[j]) > top ? Math.abs(coefficients[j]) : top;
    }
    const k = coefficients.map((entry) => entry / top);
    let at = 0;
    let largest = 0;
    for (let j = 0; j < 4; ++j) {
        const even = k[0] + doubled[j] * k[3] - doubled[j + 1] * k[4];
        const value = Math.abs(even) + Math.abs(cosines[j] * k[1] + sines[j] * k[2]);
        if (value > largest) {
            largest = value;
            at = j;
        }
    }
    const c2 = doubled[at];
    const s2 = -doubled[at + 1];
    const g = k[3] * c2 + k[4] * s2;
    const h = k[4] * c2 - k[3] * s2;
    const side = (k[0] + g) * (cosines[at] * k[1] + sines[at] * k[2]) > 0 ? -1 : 1;
    const ct = side * cosines[at];
    const st = side * sines[at];
    const a = k[1] * ct + k[2] * st;
    const b = k[2] * ct - k[1] * st;
    const scale = 1 / (k[0] - a + g);
    const a2 = scale * (2 * k[0] - 6 * g);
    const a1 = scale * (2 * b + 4 * h);
    const a0 = scale * (k[0] + a + g);
    /* y = x + e: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2), the larger one of v and w2 - w1 is a
     * square root, the other one is q divided by it. */
    const e = scale * (0.5 * b - h);
    const p = a2 - 6 * e * e;
    const q = a1 - 2 * e * (a2 - 4 * e * e);
    const r = a0 - e * (a1 - e * (a2 - 3 * e * e));
    const z = circle_resolvent_(p, q, r);
    const gap = (p + z) * (p + z) - 4 * r;
    let v = 0;
    let difference = 0;
    if (z * z >= gap) {
        v = Math.sqrt(z);
        difference = v > 0 ? q / v : 0;
    } else {
        difference = q < 0 ? -Math.sqrt(gap) : Math.sqrt(gap);
        v = q / difference;
    }
    const unsorted = new Array(n).fill(0);
    const key = [0, 0, 0, 0];
    for (let j = 0; j < 4; ++j) {
        const sign = j % 2 === 0 ? -0.5 : 0.5;
        const inside = (v * v) / 4 - 0.5 * (p + z) - sign * difference;
        const reach = Math.sqrt(Math.abs(inside));
        let x = sign * v - e;
        let s = 0;
        let c = 1;
        let defect = 0;
        if (inside < 0) {
            /* exp(iu) = (1 + i(x + iy))/(1 - i(x + iy)), y = reach */
            const squared = (4 * reach) / ((1 + reach) * (1 + reach) + x * x);
            const su = 2 * x;
            const cu = 1 - x * x - reach * reach;
            const shrink = 1 / Math.sqrt(su * su + cu * cu);
            defect = squared / (1 + Math.sqrt(1 - squared));
            s = (su * ct + cu * st) * shrink;
            c = (cu * ct - su * st) * shrink;
        } else {
            x = j < 2 ? x - reach : x + reach;
            const shrink = 1 / (1 + x * x);
            const su = 2 * x * shrink;
            const cu = (1 - x * x) * shrink;
            [s, c] = circle_polish_(k, su * ct + cu * st, cu * ct - su * st);
        }
        if (defect < 0.999999 && s * s + c * c > 0.5) {
            s = c < 0 && Math.abs(s) < 1e-15 ? 0 : s; /* pi must not become -pi because of round-off */
            const d = s / (Math.abs(s) + Math.abs(c));
            key[j] = c >= 0 ? d : s >= 0 ? 2 - d : -2 - d;
        } else {
            s = 0;
            c = 1;
            defect = 1;
            key[j] = 3;
        }
        unsorted[j] = s;
        unsorted[j + 4] = c;
        unsorted[j + 8] = defect;
    }
    return circle_sorted_(key, unsorted);
}
