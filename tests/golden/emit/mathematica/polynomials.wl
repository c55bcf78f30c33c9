(* polynomials: roots of polynomials

   Inputs
     a (5): a1 a2 a3 a4 a5
     k (5): k1 k2 k3 k4 k5
   Outputs
     x (8)
     t (12)
     pair (8)
     none (12)
   Parameters
     p (1): m
   Constants, computed once from the parameters by polynomialsSetup
     k$2 (1): m

   Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
   Made by symoro VERSION
*)

(* The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A defect is
   0 for a real angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With z = exp(it) the equation is a
   quartic. *)
kernelCircle[n_, k_] := Module[{c, c1, c2, z, solutions, slots},
    slots = {};
    If[VectorQ[k, NumericQ] && Max[Abs[Rest[k]]] > 0,
        c = SetPrecision[k, Infinity];
        c1 = (c[[2]] - I*c[[3]])/2;
        c2 = (c[[4]] - I*c[[5]])/2;
        solutions = z /. NSolve[c2*z^4 + c1*z^3 + c[[1]]*z^2 + Conjugate[c1]*z + Conjugate[c2] == 0, z,
            WorkingPrecision -> 32];
        solutions = Select[solutions, 10^-6 < Abs[#] < 10^6 &];
        slots = {Arg[#], 1 - Min[Abs[#], 1/Abs[#]]} & /@ solutions;
        (* pi must not become -pi because of round-off *)
        slots = Replace[slots, {t_, d_} /; t < 10^-15 - Pi :> {Pi, d}, {1}];
        slots = N[SortBy[slots, First]]
    ];
    slots = Replace[slots, {t_, d_} /; d < 10^-15 :> {t, 0.}, {1}];
    slots = Join[Map[{Sin[#[[1]]], Cos[#[[1]]], #[[2]]} &, slots], Table[{0., 1., 1.}, {4 - Length[slots]}]];
    Join[slots[[All, 1]], slots[[All, 2]], slots[[All, 3]]]
];

(* The real roots of a1 x^4 + a2 x^3 + a3 x^2 + a4 x + a5 = 0: 4 roots, ascending, and 4 defects. A defect is 0 for a
   real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. Leading coefficients below the
   round-off of the others, at the roots without them or at 1, are ignored. *)
kernelQuartic[n_, a_] := Module[{b, x, degree, reach, weights, solutions, slots},
    slots = {};
    If[VectorQ[a, NumericQ] && Max[Abs[Most[a]]] > 0,
        b = Reverse[SetPrecision[a, Infinity]];
        degree = Last[Position[b, c_ /; c != 0, {1}, Heads -> False]][[1]] - 1;
        Do[
            If[d < degree && b[[d + 1]] != 0,
                reach = N[Max[1, Table[Abs[b[[j + 1]]/b[[d + 1]]]^(1/(d - j)), {j, 0, d - 1}]], 32];
                weights = Table[Abs[b[[j + 1]]]*reach^j, {j, 0, 4}];
                If[Max[Drop[weights, d + 1]] < 10^-15*Max[Take[weights, d + 1]], degree = d]
            ],
            {d, 3, 1, -1}
        ];
        solutions = x /. NSolve[FromDigits[Reverse[Take[b, degree + 1]], x] == 0, x, WorkingPrecision -> 32];
        slots = N[SortBy[{Re[#], Abs[Im[#]]/(1 + Abs[#])} & /@ solutions, First]]
    ];
    slots = Replace[slots, {r_, e_} /; e < 10^-15 :> {r, 0.}, {1}];
    slots = Join[slots, Table[{0., 1.}, {4 - Length[slots]}]];
    Join[slots[[All, 1]], slots[[All, 2]]]
];

polynomialsSetup[p_] := Module[
    {m},
    m = p[[1]];
    {m}
]

polynomials[a_, k_, k$2_] := Module[
    {a1, a2, a3, a4, a5, k1, k2, k3, k4, k5, m, quartic1$1, quartic1, circle2$1, circle2, quartic3$1,
        quartic3, circle4$1, circle4, x, t, pair, none},
    a1 = a[[1]];
    a2 = a[[2]];
    a3 = a[[3]];
    a4 = a[[4]];
    a5 = a[[5]];
    k1 = k[[1]];
    k2 = k[[2]];
    k3 = k[[3]];
    k4 = k[[4]];
    k5 = k[[5]];
    m = k$2[[1]];
    quartic1$1 = {a1 + m, a2, -a3, a4, a5};
    quartic1 = kernelQuartic[8, quartic1$1];
    circle2$1 = {k1/4, k2, k3 + m, -k4, k5};
    circle2 = kernelCircle[12, circle2$1];
    quartic3$1 = {0, 0, 1, k1, quartic1[[5]] - 3};
    quartic3 = kernelQuartic[8, quartic3$1];
    circle4$1 = {m, 0, 0, 0, 0};
    circle4 = kernelCircle[12, circle4$1];
    x = {quartic1[[1]], quartic1[[2]], quartic1[[3]], quartic1[[4]], quartic1[[5]], quartic1[[6]],
        quartic1[[7]], quartic1[[8]]};
    t = {circle2[[1]], circle2[[2]], circle2[[3]], circle2[[4]], circle2[[5]], circle2[[6]], circle2[[7]],
        circle2[[8]], circle2[[9]], circle2[[10]], circle2[[11]], circle2[[12]]};
    pair = {quartic3[[1]], quartic3[[2]], quartic3[[3]], quartic3[[4]], quartic3[[5]], quartic3[[6]],
        quartic3[[7]], quartic3[[8]]};
    none = {circle4[[1]], circle4[[2]], circle4[[3]], circle4[[4]], circle4[[5]], circle4[[6]], circle4[[7]],
        circle4[[8]], circle4[[9]], circle4[[10]], circle4[[11]], circle4[[12]]};
    {x, t, pair, none}
]
