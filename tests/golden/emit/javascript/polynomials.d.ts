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

export declare const PARAMETERS: readonly ["m"];
export declare const INPUTS: { readonly a: readonly [5], readonly k: readonly [5] };
export declare const OUTPUTS: { readonly x: readonly [8], readonly t: readonly [12],
    readonly pair: readonly [8], readonly none: readonly [12] };

export interface Outputs {
    x: Float64Array;
    t: Float64Array;
    pair: Float64Array;
    none: Float64Array;
}

export interface BatchOutputs {
    x: Float64Array;
    t: Float64Array;
    pair: Float64Array;
    none: Float64Array;
}

export type Parameter = (typeof PARAMETERS)[number];

/** Constants from the parameters, by name or in their order; call it again after a parameter has changed. */
export declare function setup(p: ArrayLike<number> | Readonly<Record<Parameter, number>>): Float64Array;

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export declare function call(a: ArrayLike<number>, k: ArrayLike<number>, k_2: ArrayLike<number>,
    out?: Outputs): Outputs;

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export declare function batch(n: number, a: ArrayLike<number>, k: ArrayLike<number>, k_2: ArrayLike<number>,
    out?: BatchOutputs): BatchOutputs;
