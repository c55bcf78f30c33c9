(* The end of the chain K0 J1 K1 .. Jn Kn less the target, and its derivatives, in the entries that are given. marks: n,
   tolerance, 12 times 1 where an entry is given, n times 1 (turns) or 2 (slides), negative backwards. *)
kernelRefineMiss[placements_, target_, marks_, q_] := Module[{n, parts, t, axes, points, way, c, s, given, moved},
    n = Length[q];
    parts = Map[Append[#, {0, 0, 0, 1}] &, Partition[Partition[placements, 4], 3]];
    t = parts[[1]];
    axes = {};
    points = {};
    Do[
        way = Sign[marks[[14 + i]]];
        AppendTo[axes, way*t[[1 ;; 3, 3]]];
        AppendTo[points, t[[1 ;; 3, 4]]];
        If[Abs[marks[[14 + i]]] > 1.5,
            moved = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, way*q[[i]]}, {0, 0, 0, 1}},
            c = Cos[q[[i]]];
            s = way*Sin[q[[i]]];
            moved = {{c, -s, 0, 0}, {s, c, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
        ];
        t = t . moved . parts[[i + 1]],
        {i, n}
    ];
    given = Flatten[Position[marks[[3 ;; 14]], x_ /; x > 0.5, {1}]];
    {
        Flatten[t[[1 ;; 3]]][[given]] - target[[given]],
        Transpose[Table[
            moved = If[Abs[marks[[14 + i]]] > 1.5,
                {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, axes[[i]]},
                Table[Cross[axes[[i]], t[[1 ;; 3, j]] - If[j == 4, points[[i]], 0]], {j, 4}]
            ];
            Flatten[Transpose[moved]][[given]],
            {i, n}
        ]]
    }
];

(* The best of Newton's iterates from q, angles in (-pi, pi], and its residual. *)
kernelRefineRow[placements_, target_, marks_, start_] := Module[{q, x, miss, slopes, normal, least, tries, going, n},
    n = Length[start];
    q = start;
    {miss, slopes} = kernelRefineMiss[placements, target, marks, q];
    least = Max[Abs[miss]];
    going = True;
    For[tries = 1, going && tries <= 10, tries++,
        normal = Transpose[slopes] . slopes;
        normal = normal + 1*^-14*Max[Diagonal[normal]]*IdentityMatrix[n];
        x = q - LinearSolve[normal, Transpose[slopes] . miss];
        {miss, slopes} = kernelRefineMiss[placements, target, marks, x];
        going = TrueQ[Max[Abs[miss]] < least];
        If[going, q = x; least = Max[Abs[miss]]]
    ];
    {Table[If[Abs[marks[[14 + i]]] > 1.5, q[[i]], ArcTan[Cos[q[[i]]], Sin[q[[i]]]]], {i, n}], least}
];

(* Rows of joints, residual and status: those that are not quite solutions of K0 J1 K1 .. Jn Kn = T are made so by
   Newton's method, and are empty where another row holds the same. *)
kernelRefine[size_, placements_, target_, marks_, rows_] := Module[{n, results, residual, status, q, least, again},
    n = Round[marks[[1]]];
    results = Partition[rows, n + 2];
    Do[
        {residual, status} = results[[k, n + 1 ;; n + 2]];
        If[TrueQ[residual < 1*^-2] && (TrueQ[residual > 1*^-3*marks[[2]]] || TrueQ[status == 1]),
            {q, least} = kernelRefineRow[placements, target, marks, results[[k, 1 ;; n]]];
            If[TrueQ[least <= marks[[2]]],
                again = AnyTrue[Drop[results, {k}],
                    MatchQ[Round[#[[n + 2]]], 0 | 2] && Max[Table[
                        Abs[If[Abs[marks[[14 + i]]] > 1.5, #[[i]] - q[[i]],
                            ArcTan[Cos[#[[i]] - q[[i]]], Sin[#[[i]] - q[[i]]]]]], {i, n}]] < 1*^-5 &];
                results[[k]] = If[again,
                    Append[results[[k, 1 ;; n + 1]], 3.],
                    Join[q, {least, If[TrueQ[status == 2], 2., 0.]}]]
            ]
        ],
        {k, Length[results]}
    ];
    Flatten[results]
];
