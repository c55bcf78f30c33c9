/* expanded: position, expanded
 *
 * Inputs
 *   q (3): q1 q2 q3
 * Outputs
 *   P (3)
 * Parameters
 *   p (1): D3
 * Constants, computed once from the parameters by setup
 *   k (2): D3 k1
 *
 * Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
 * Made by symoro VERSION
 */

export const PARAMETERS = ["D3"];
export const INPUTS = { q: [3] };
export const OUTPUTS = { P: [3] };

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
    const k1 = 1 + D3;
    return new Float64Array([D3, k1]);
}

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export function call(q, k, out = { P: new Float64Array(3) }) {
    sized_("q", q, 3);
    sized_("k", k, 2);
    const { P } = out;
    const q1 = q[0];
    const C1 = Math.cos(q1);
    const q2 = q[1];
    const C2 = Math.cos(q2);
    const q3 = q[2];
    const C3 = Math.cos(q3);
    const S1 = Math.sin(q1);
    const S2 = Math.sin(q2);
    const S3 = Math.sin(q3);
    const D3 = k[0];
    const k1 = k[1];
    P[0] = C1*(D3*C2 - C3*k1*S2);
    P[1] = S1*(D3*C2 - C3*k1*S2);
    P[2] = C3*k1*S2 - D3*C2 - C2*S3;
    return out;
}

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export function batch(n, q, k, out = { P: new Float64Array(3 * n) }) {
    sized_("q", q, 3 * n, true);
    sized_("k", k, 2);
    const q_ = new Float64Array(3);
    const sample = { P: new Float64Array(3) };
    for (let i = 0; i < n; ++i) {
        for (let entry = 0; entry < 3; ++entry) q_[entry] = q[3 * i + entry];
        call(q_, k, sample);
        out.P.set(sample.P, 3 * i);
    }
    return out;
}
