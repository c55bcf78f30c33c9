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

export declare const PARAMETERS: readonly ["D3"];
export declare const INPUTS: { readonly q: readonly [3] };
export declare const OUTPUTS: { readonly P: readonly [3] };

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
