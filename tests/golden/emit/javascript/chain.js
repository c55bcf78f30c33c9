/* chain: positions of all frames
 *
 * Inputs
 *   q (2): q1 q2
 * Outputs
 *   P (2, 3)
 * Parameters
 *   p (4): D1 R1 D2 R2
 * Constants, computed once from the parameters by setup
 *   k (7): D1 R1 D2 k1 k2 k3 k4
 *
 * Operations per call: 3 x, 3 +, 2 functions; once: 4 x, 1 +
 * Made by symoro VERSION
 */

export const PARAMETERS = ["D1", "R1", "D2", "R2"];
export const INPUTS = { q: [2] };
export const OUTPUTS = { P: [2, 3] };

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
    const D1 = listed[0];
    const R1 = listed[1];
    const D2 = listed[2];
    const R2 = listed[3];
    const k1 = 0.3*D2;
    const k2 = 0.95*R2;
    const k3 = 0.95*D2;
    const k4 = R1 + 0.3*R2;
    return new Float64Array([D1, R1, D2, k1, k2, k3, k4]);
}

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export function call(q, k, out = { P: new Float64Array(6) }) {
    sized_("q", q, 2);
    sized_("k", k, 7);
    const { P } = out;
    const q1 = q[0];
    const C1 = Math.cos(q1);
    const S1 = Math.sin(q1);
    // link 2: position
    const D1 = k[0];
    const D2 = k[2];
    const P2_1 = D1 + D2*C1;
    P[3] = P2_1;
    const k1 = k[3];
    const k2 = k[4];
    const P2_2 = k1*S1 - k2;
    P[4] = P2_2;
    const k3 = k[5];
    const k4 = k[6];
    const P2_3 = k3*S1 + k4;
    P[5] = P2_3;
    P[0] = D1;
    P[1] = 0;
    const R1 = k[1];
    P[2] = R1;
    return out;
}

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export function batch(n, q, k, out = { P: new Float64Array(6 * n) }) {
    sized_("q", q, 2 * n, true);
    sized_("k", k, 7);
    const q_ = new Float64Array(2);
    const sample = { P: new Float64Array(6) };
    for (let i = 0; i < n; ++i) {
        for (let entry = 0; entry < 2; ++entry) q_[entry] = q[2 * i + entry];
        call(q_, k, sample);
        out.P.set(sample.P, 6 * i);
    }
    return out;
}
