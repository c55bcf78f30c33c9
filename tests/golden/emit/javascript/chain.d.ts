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

export declare const PARAMETERS: readonly ["D1", "R1", "D2", "R2"];
export declare const INPUTS: { readonly q: readonly [2] };
export declare const OUTPUTS: { readonly P: readonly [2, 3] };

export interface Outputs {
    P: Float64Array;
}

export interface BatchOutputs {
    P: Float64Array;
}

export type Parameter = (typeof PARAMETERS)[number];

/** Constants from the parameters, by name or in their order; call it again after a parameter has changed. */
export declare function setup(p: ArrayLike<number> | Readonly<Record<Parameter, number>>): Float64Array;

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export declare function call(q: ArrayLike<number>, k: ArrayLike<number>, out?: Outputs): Outputs;

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export declare function batch(n: number, q: ArrayLike<number>, k: ArrayLike<number>,
    out?: BatchOutputs): BatchOutputs;
