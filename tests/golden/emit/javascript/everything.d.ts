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

export declare const PARAMETERS: readonly ["D3", "d3", "end", "double", "_a", "E", "k", "function", "t2",
    "x_y", "xY"];
export declare const INPUTS: { readonly q: readonly [3], readonly T: readonly [2, 2], readonly n: readonly [],
    readonly unused: readonly [2] };
export declare const OUTPUTS: { readonly t: readonly [2, 3], readonly k: readonly [],
    readonly Q: readonly [6], readonly r: readonly [9], readonly last: readonly [2, 2, 2] };

export interface Outputs {
    t: Float64Array;
    k: number;
    Q: Float64Array;
    r: Float64Array;
    last: Float64Array;
}

export interface BatchOutputs {
    t: Float64Array;
    k: Float64Array;
    Q: Float64Array;
    r: Float64Array;
    last: Float64Array;
}

export type Parameter = (typeof PARAMETERS)[number];

/** Constants from the parameters, by name or in their order; call it again after a parameter has changed. */
export declare function setup(p: ArrayLike<number> | Readonly<Record<Parameter, number>>): Float64Array;

/** One sample, matrices by rows. Returns the outputs, in `out` if given. Arrays must not share memory. */
export declare function call(q: ArrayLike<number>, T: ArrayLike<number>, n: number, unused: ArrayLike<number>,
    k_2: ArrayLike<number>, out?: Outputs): Outputs;

/** Many samples, one after the other: entry e of sample i is x[size * i + e]; the constants are common. */
export declare function batch(n_2: number, q: ArrayLike<number>, T: ArrayLike<number>, n: ArrayLike<number>,
    unused: ArrayLike<number>, k_2: ArrayLike<number>, out?: BatchOutputs): BatchOutputs;
