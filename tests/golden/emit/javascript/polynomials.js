/* polynomials: roots of polynomials
 *
 * Inputs
 *   a (5): a1 a2 a3 a4 a5
 *   k (5): k1 k2 k3 k4 k5
 * Outputs
 *   x (8)
 *   t (12)
 *   pair (8)
 *   none (12)
 * Parameters
 *   p (1): m
 * Constants, computed once from the parameters by setup
 *   k_2 (1): m
 *
 * Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
 * Made by symoro VERSION
 */

export const PARAMETERS = ["m"];
export const INPUTS = { a: [5], k: [5] };
export const OUTPUTS = { x: [8], t: [12], pair: [8], none: [12] };

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

/* Logarithms of the magnitudes of the roots, ascending, from the Newton polygon of the coefficients' logarithms. */
function quartic_sizes_(logs) {
    const hull = logs.slice();
    for (let m = 0; m < 5; ++m) {
        for (let i = 0; i < m; ++i) {
            for (let j = m + 1; j < 5; ++j) {
                const chord = (logs[i] * (j - m) + logs[j] * (m - i)) / (j - i);
                hull[m] = chord > hull[m] ? chord : hull[m];
            }
        }
    }
    return [0, 1, 2, 3].map((m) => hull[m] - hull[m + 1]);
}

/* Degree without the leading coefficients that are below the round-off of the others, at the roots without them or at
 * 1, from the logarithms of the coefficients, lowest first. -1 if all are zero. */
function quartic_degree_(logs) {
    let degree = 4;
    while (degree >= 0 && !(logs[degree] > -10000)) {
        --degree;
    }
    for (let d = 1; d < degree; ++d) {
        let reach = 0;
        let kept = -100000;
        let lost = -100000;
        for (let j = 0; j < d; ++j) {
            const size = (logs[j] - logs[d]) / (d - j);
            reach = size > reach ? size : reach;
        }
        for (let j = 0; j <= degree; ++j) {
            const weight = logs[j] + j * reach;
            kept = j <= d && weight > kept ? weight : kept;
            lost = j > d && weight > lost ? weight : lost;
        }
        if (logs[d] > -10000 && lost < kept - 34.5) {
            return d;
        }
    }
    return degree;
}

/* The unit of x in which the middle roots are about 1, of a, lowest first, and the degree, above which a becomes
 * zero; -1 if a is not a number, or all zero. */
function quartic_unit_(a) {
    const logs = a.map((entry) => (entry !== 0 ? Math.log(Math.abs(entry)) : -10000));
    const least = a.findIndex((entry) => entry !== 0);
    const total = a.reduce((sum, entry) => sum + entry, 0);
    const degree = Math.abs(total) < 6 ? quartic_degree_(logs) : -1;
    a.fill(0, degree + 1);
    logs.fill(-10000, degree + 1);
    if (degree <= least) {
        return [1, degree];
    }
    const sizes = quartic_sizes_(logs);
    const small = sizes[Math.floor((least + degree - 1) / 2)];
    const large = sizes[Math.floor((least + degree) / 2)];
    let size = 0.5 * (small + large);
    if (large - small >= 60) {
        size = -small > large ? large : small;
    }
    return [Math.exp(Math.max(-170, Math.min(170, size))), degree];
}

/* Newton's method on f[0] + f[1] x + ... + f[4] x^4, as long as the residual decreases. */
function quartic_polish_(f, x) {
    let left = (((f[4] * x + f[3]) * x + f[2]) * x + f[1]) * x + f[0];
    for (let m = 0; m < 2; ++m) {
        const x1 = x - left / (((4 * f[4] * x + 3 * f[3]) * x + 2 * f[2]) * x + f[1]);
        const left1 = (((f[4] * x1 + f[3]) * x1 + f[2]) * x1 + f[1]) * x1 + f[0];
        if (!(Math.abs(left1) < Math.abs(left))) {
            break;
        }
        x = x1;
        left = left1;
    }
    return x;
}

/* The real roots of a[0] x^4 + a[1] x^3 + a[2] x^2 + a[3] x + a[4] = 0: 4 roots, ascending, and 4 defects. A
 * defect is 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. With
 * x = unit*tan(t/2) the roots are angles t. */
function quartic_(n, a) {
    const largest = (entries) => entries.reduce((top, x) => (Math.abs(x) > top ? Math.abs(x) : top), 0);
    const scale = largest(a);
    let b = a.map((entry) => entry / scale).reverse();
    const [unit, degree] = quartic_unit_(b);
    const weights = [1 / unit / unit, 1 / unit, 1, unit, unit * unit];
    b = b.map((entry, j) => entry * weights[j]);
    const top = largest(b);
    b = b.map((entry) => entry / top);
    const back = b.slice().reverse();
    const twice = (b[0] + b[4] - b[2]) / 8;
    const k = [(b[0] + b[4]) / 2 - twice, (b[0] - b[4]) / 2, (b[3] + b[1]) / 4, twice, (b[1] - b[3]) / 8];
    const angles = circle_(12, k);
    /* |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect */
    const below = [0, 1, 2, 3].map((j) => {
        const s = angles[j];
        const c = angles[j + 4];
        const defect = angles[j + 8];
        const beside = c < 0 ? (s * s) / (1 - c) : 1 + c;
        return defect * defect + 2 * (1 - defect) * beside;
    });
    const unsorted = new Array(n).fill(0);
    const key = [0, 0, 0, 0];
    for (let j = 0; j < 4; ++j) {
        const s = angles[j];
        const c = angles[j + 4];
        const defect = angles[j + 8];
        /* number of roots nearer to infinity, which a polynomial of lower degree lacks */
        const nearer = below.filter((x, i) => x < below[j] || (x <= below[j] && i < j)).length;
        let x = 0;
        let imaginary = 0;
        if (defect > 0) {
            x = (unit * 2 * (1 - defect) * s) / below[j];
            imaginary = (unit * defect * (2 - defect)) / below[j];
        } else if (c < 0) {
            /* large roots are refined as 1/x, which cannot overflow */
            x = unit / quartic_polish_(back, s / (1 - c));
        } else {
            x = unit * quartic_polish_(b, s / (1 + c));
        }
        const relative = imaginary / (1 + Math.sqrt(x * x + imaginary * imaginary));
        const real = nearer >= 4 - degree && relative <= 1 && Math.abs(x) < Infinity;
        unsorted[j] = real ? x + 0 : 0;
        unsorted[j + 4] = real ? relative : 1;
        key[j] = real ? x : Infinity;
    }
    return circle_sorted_(key, unsorted);
}

function sized_(name, array, length, orMore = false) {
    if (!array || (orMore ? array.length < length : array.length !== length)) {
        throw new TypeError(`${name}: ${length} numbers expected, got ${array ? array.length : array}`);
    }
}

/* The parameters in their order. */
function listed_(p) {
    const listed = Array.isArray(p) || ArrayBuffer.isView(p) ? p : PARAMETERS.map((name) => p[name]);
    const missing = PARAMETERS.filter((name, at) => typeof listed[at] !== "number");
    if (missing.length > 0 || listed.length !== PARAMETERS.length) {
        throw new TypeError(`${PARAMETERS.length} parameters expected; missing: ${missing.join(", ") || "none"}`);
    }
    return listed;
}

/** Constants from the parameters, by name or in their order; call it again after a parameter has changed. */
export function setup(p) {
    const listed = listed_(p);
    const m = listed[0];
    return new Float64Array([m]);
}

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export function call(a, k, k_2, out = { x: new Float64Array(8), t: new Float64Array(12),
    pair: new Float64Array(8), none: new Float64Array(12) }) {
    sized_("a", a, 5);
    sized_("k", k, 5);
    sized_("k_2", k_2, 1);
    const { x, t, pair, none } = out;
    const a1 = a[0];
    const a2 = a[1];
    const a3 = a[2];
    const a4 = a[3];
    const a5 = a[4];
    const m = k_2[0];
    const quartic1_1 = [a1 + m, a2, -a3, a4, a5];
    const quartic1 = quartic_(8, quartic1_1);
    const k1 = k[0];
    const k2 = k[1];
    const k3 = k[2];
    const k4 = k[3];
    const k5 = k[4];
    const circle2_1 = [0.25*k1, k2, k3 + m, -k4, k5];
    const circle2 = circle_(12, circle2_1);
    const quartic3_1 = [0, 0, 1, k1, quartic1[4] - 3];
    const quartic3 = quartic_(8, quartic3_1);
    const circle4_1 = [m, 0, 0, 0, 0];
    const circle4 = circle_(12, circle4_1);
    x[0] = quartic1[0];
    x[1] = quartic1[1];
    x[2] = quartic1[2];
    x[3] = quartic1[3];
    x[4] = quartic1[4];
    x[5] = quartic1[5];
    x[6] = quartic1[6];
    x[7] = quartic1[7];
    t[0] = circle2[0];
    t[1] = circle2[1];
    t[2] = circle2[2];
    t[3] = circle2[3];
    t[4] = circle2[4];
    t[5] = circle2[5];
    t[6] = circle2[6];
    t[7] = circle2[7];
    t[8] = circle2[8];
    t[9] = circle2[9];
    t[10] = circle2[10];
    t[11] = circle2[11];
    pair[0] = quartic3[0];
    pair[1] = quartic3[1];
    pair[2] = quartic3[2];
    pair[3] = quartic3[3];
    pair[4] = quartic3[4];
    pair[5] = quartic3[5];
    pair[6] = quartic3[6];
    pair[7] = quartic3[7];
    none[0] = circle4[0];
    none[1] = circle4[1];
    none[2] = circle4[2];
    none[3] = circle4[3];
    none[4] = circle4[4];
    none[5] = circle4[5];
    none[6] = circle4[6];
    none[7] = circle4[7];
    none[8] = circle4[8];
    none[9] = circle4[9];
    none[10] = circle4[10];
    none[11] = circle4[11];
    return out;
}

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export function batch(n, a, k, k_2, out = { x: new Float64Array(8 * n), t: new Float64Array(12 * n),
    pair: new Float64Array(8 * n), none: new Float64Array(12 * n) }) {
    sized_("a", a, 5 * n, true);
    sized_("k", k, 5 * n, true);
    sized_("k_2", k_2, 1);
    const a_ = new Float64Array(5);
    const k_ = new Float64Array(5);
    const sample = { x: new Float64Array(8), t: new Float64Array(12), pair: new Float64Array(8),
        none: new Float64Array(12) };
    for (let i = 0; i < n; ++i) {
        for (let entry = 0; entry < 5; ++entry) a_[entry] = a[5 * i + entry];
        for (let entry = 0; entry < 5; ++entry) k_[entry] = k[5 * i + entry];
        call(a_, k_, k_2, sample);
        out.x.set(sample.x, 8 * i);
        out.t.set(sample.t, 12 * i);
        out.pair.set(sample.pair, 8 * i);
        out.none.set(sample.none, 12 * i);
    }
    return out;
}
