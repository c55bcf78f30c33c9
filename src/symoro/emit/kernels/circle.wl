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
