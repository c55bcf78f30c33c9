/* everything: every operation, and names that collide
 *
 * Inputs
 *   q (3), joint positions: q1 q2 q3
 *   T (2, 2), by rows: T11 T12 T21 T22
 *   n (scalar): lambda
 *   unused (2): unused1 unused2
 * Outputs
 *   t (2, 3), a matrix
 *   k (scalar)
 *   Q (6)
 *   r (9)
 *   last (2, 2, 2)
 * Parameters
 *   p (11): D3 d3 end double _a E k function t2 x_y xY
 * Constants, computed once from the parameters by setup
 *   k_2 (7): D3 d3 end while_2 MXR k1 k2
 *
 * Operations per call: 20 x, 18 +, 2 /, 10 functions, 23 others; once: 4 x, 4 +, 1 /
 * Made by symoro VERSION
 */

export const PARAMETERS = ["D3", "d3", "end", "double", "_a", "E", "k", "function", "t2", "x_y", "xY"];
export const INPUTS = { q: [3], T: [2, 2], n: [], unused: [2] };
export const OUTPUTS = { t: [2, 3], k: [], Q: [6], r: [9], last: [2, 2, 2] };

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
    const D3 = listed[0];
    const d3 = listed[1];
    const end = listed[2];
    const double = listed[3];
    const _a = listed[4];
    const E = listed[5];
    const k_3 = listed[6];
    const function_2 = listed[7];
    const t2 = listed[8];
    const x_y = listed[9];
    const xY = listed[10];
    const while_2 = D3*d3 + end/double;
    const MXR = -(k_3 + _a*E);
    const k1 = function_2*while_2 - MXR;
    const k2 = xY - t2*x_y;
    return new Float64Array([D3, d3, end, while_2, MXR, k1, k2]);
}

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export function call(q, T, n, unused, k_2, out = { t: new Float64Array(6), k: 0, Q: new Float64Array(6),
    r: new Float64Array(9), last: new Float64Array(8) }) {
    sized_("q", q, 3);
    sized_("T", T, 4);
    sized_("unused", unused, 2);
    sized_("k_2", k_2, 7);
    const { t, Q, r, last } = out;
    const q1 = q[0];
    const C1 = Math.cos(q1);
    const S1 = Math.sin(q1);
    const q2 = q[1];
    const C2 = Math.cos(q2);
    const S2 = Math.sin(q2);
    const t1 = C1*C2;
    const D3 = k_2[0];
    const d3 = k_2[1];
    const q1_2 = D3*t1 - d3*S1*S2;
    t[0] = q1_2;
    const q3 = q[2];
    const end = k_2[2];
    const class_2 = -(end + q3*q1_2);
    const t3 = (q1_2 < q3 ? 0.8660254037844386*q1_2 : class_2 - q1_2);
    t[1] = -t3;
    const T11 = T[0];
    r[4] = (q2 === T11 ? q2 : -q3);
    const T22 = T[3];
    const t4 = (T11 <= T22 ? 1 : 0);
    const T12 = T[1];
    const T21 = T[2];
    r[5] = q1*t4 + (t4 !== 0 ? T12 : T21);
    r[0] = Math.sqrt(1 + q1*q1)/(2 + S2);
    r[1] = Math.asin(S1*C2) - Math.atan2(S1, C1) - Math.acos(t1) + Math.tan(0.25*q3) + Math.exp(-q2);
    r[2] = Math.sign(q1)*Math.abs(q2 - q3) + 5*Math.sign(q2 - T11);
    const t5 = t3 - q1_2;
    t[4] = t5;
    t[3] = -S1*t5;
    t[5] = C1*t5;
    const k1 = k_2[5];
    Q[0] = k1*q1;
    r[3] = 1e-12*(Math.min(q1, -q2) - 1e-07*Math.max(q3, T12) + 123456789012.0*Math.min(S1, C2));
    const lambda = n;
    r[6] = lambda*lambda;
    r[7] = -(q1 + lambda);
    last[0] = class_2/(2 + C1);
    last[7] = 0.14285714285714285*T22;
    t[2] = 1;
    const MXR = k_2[4];
    out.k = MXR;
    const while_2 = k_2[3];
    Q[1] = while_2;
    Q[2] = D3;
    Q[3] = q2;
    Q[4] = -q3;
    const k2 = k_2[6];
    Q[5] = -k2;
    r[8] = 1.5707963267948966;
    last[1] = 0.8660254037844386;
    last[2] = -0.8660254037844386;
    last[3] = -0.6666666666666666;
    last[4] = 0;
    last[5] = -1;
    last[6] = 0.1;
    return out;
}

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export function batch(n_2, q, T, n, unused, k_2, out = { t: new Float64Array(6 * n_2),
    k: new Float64Array(n_2), Q: new Float64Array(6 * n_2), r: new Float64Array(9 * n_2),
    last: new Float64Array(8 * n_2) }) {
    sized_("q", q, 3 * n_2, true);
    sized_("T", T, 4 * n_2, true);
    sized_("n", n, 1 * n_2, true);
    sized_("unused", unused, 2 * n_2, true);
    sized_("k_2", k_2, 7);
    const q_ = new Float64Array(3);
    const T_ = new Float64Array(4);
    const unused_ = new Float64Array(2);
    const sample = { t: new Float64Array(6), k: 0, Q: new Float64Array(6), r: new Float64Array(9),
        last: new Float64Array(8) };
    for (let i = 0; i < n_2; ++i) {
        for (let entry = 0; entry < 3; ++entry) q_[entry] = q[3 * i + entry];
        for (let entry = 0; entry < 4; ++entry) T_[entry] = T[4 * i + entry];
        for (let entry = 0; entry < 2; ++entry) unused_[entry] = unused[2 * i + entry];
        call(q_, T_, n[i], unused_, k_2, sample);
        out.t.set(sample.t, 6 * i);
        out.k[i] = sample.k;
        out.Q.set(sample.Q, 6 * i);
        out.r.set(sample.r, 9 * i);
        out.last.set(sample.last, 8 * i);
    }
    return out;
}
