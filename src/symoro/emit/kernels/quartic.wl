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
