/* solver: linear systems
 *
 * Inputs
 *   A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
 *   v (4): v1 v2 v3 v4
 * Outputs
 *   x (4)
 *   y (2)
 * Parameters
 *   p (1): m
 * Constants, computed once from the parameters by setup
 *   k (1): m
 *
 * Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
 * Made by symoro VERSION
 */

export declare const PARAMETERS: readonly ["m"];
export declare const INPUTS: { readonly A: readonly [4, 4], readonly v: readonly [4] };
export declare const OUTPUTS: { readonly x: readonly [4], readonly y: readonly [2] };

export interface Outputs {
    x: Float64Array;
    y: Float64Array;
}

export interface BatchOutputs {
    x: Float64Array;
    y: Float64Array;
}

export type Parameter = (typeof PARAMETERS)[number];

/** Constants from the parameters, by name or in their order; call it again after a parameter has changed. */
export declare function setup(p: ArrayLike<number> | Readonly<Record<Parameter, number>>): Float64Array;

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export declare function call(A: ArrayLike<number>, v: ArrayLike<number>, k: ArrayLike<number>,
    out?: Outputs): Outputs;

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export declare function batch(n: number, A: ArrayLike<number>, v: ArrayLike<number>, k: ArrayLike<number>,
    out?: BatchOutputs): BatchOutputs;
