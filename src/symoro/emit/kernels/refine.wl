(* Last frame of the chain K0 J1 K1 .. Jn Kn minus the target, and its derivatives, in the given entries. marks: n,
   tolerance, 12 flags (1: entry given), n joint types: 1 revolute, 2 prismatic, negative for the reverse direction. *)
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

(* (J'J + damping) x = right, for the derivatives J, with little damping. *)
kernelRefineSolve[slopes_, right_] := Module[{normal},
    normal = Transpose[slopes] . slopes;
    LinearSolve[normal + 1*^-14*Max[Diagonal[normal]]*IdentityMatrix[Length[right]], right]
];

(* The best of Newton's iterates from q, and its residual. *)
kernelRefineRow[placements_, target_, marks_, start_] := Module[{q, x, miss, slopes, least, tries, going},
    q = start;
    {miss, slopes} = kernelRefineMiss[placements, target, marks, q];
    least = Max[Abs[miss]];
    going = True;
    For[tries = 1, going && tries <= 15, tries++,
        x = q - kernelRefineSolve[slopes, Transpose[slopes] . miss];
        {miss, slopes} = kernelRefineMiss[placements, target, marks, x];
        going = TrueQ[Max[Abs[miss]] < least];
        If[going, q = x; least = Max[Abs[miss]]]
    ];
    {q, least}
];

(* Direction in which the last frame moves least, by inverse iteration, and whether it moves little. *)
kernelRefineWeak[placements_, target_, marks_, q_] := Module[{slopes, way},
    slopes = kernelRefineMiss[placements, target, marks, q][[2]];
    way = 1. + 0.1*Range[0, Length[q] - 1];
    Do[way = Normalize[kernelRefineSolve[slopes, way]], {3}];
    {way, TrueQ[Total[(slopes . way)^2] < 1*^-3*Max[Total[slopes^2]]]}
];

(* An angle in (-pi, pi], or a length. *)
kernelRefineTurn[mark_, x_] := If[Abs[mark] > 1.5, x, ArcTan[Cos[x], Sin[x]]];

(* Whether a valid row other than k contains the joint values q. *)
kernelRefineAgain[marks_, rows_, k_, q_] := Module[{n},
    n = Length[q];
    AnyTrue[Drop[rows, {k}], MatchQ[Round[#[[n + 2]]], 0 | 2] &&
        Max[Abs[Table[kernelRefineTurn[marks[[14 + i]], #[[i]] - q[[i]]], {i, n}]]] < 1*^-5 &]
];

(* One row. If Newton's method stops between two solutions that almost coincide, or at one that another row
   contains, it is started again on both sides along the direction in which the chain moves least. *)
kernelRefineOne[placements_, target_, marks_, rows_, k_] := Module[
    {n, fine, row, q, least, again, way, weak, aside, x, most, side},
    row = rows[[k]];
    n = Length[row] - 2;
    fine = 1*^-3*marks[[2]];
    {q, least} = kernelRefineRow[placements, target, marks, row[[1 ;; n]]];
    again = TrueQ[least <= marks[[2]]] && kernelRefineAgain[marks, rows, k, q];
    If[again || ! TrueQ[least <= fine],
        {way, weak} = kernelRefineWeak[placements, target, marks, q];
        aside = 10*Sqrt[If[TrueQ[least <= fine], row[[n + 1]], least]];
        For[side = -1, weak && side <= 1, side += 2,
            {x, most} = kernelRefineRow[placements, target, marks, q + side*aside*way];
            If[TrueQ[most <= fine] && ! kernelRefineAgain[marks, rows, k, x],
                q = x;
                least = most;
                again = False;
                weak = False
            ]
        ]
    ];
    Which[
        again, Append[Most[row], 3.],
        TrueQ[least <= marks[[2]]],
            Join[Table[kernelRefineTurn[marks[[14 + i]], q[[i]]], {i, n}], {least, If[TrueQ[Last[row] == 2], 2., 0.]}],
        True, row
    ]
];

(* Rows of joints, residual and status: those that are approximate solutions of K0 J1 K1 .. Jn Kn = T are refined
   by Newton's method, and become empty if another row contains the same solution. *)
kernelRefine[size_, placements_, target_, marks_, rows_] := Module[{n, results, residual},
    n = Round[marks[[1]]];
    results = Partition[rows, n + 2];
    Do[
        residual = results[[k, n + 1]];
        If[TrueQ[residual < 1*^-2] && (TrueQ[residual > 1*^-3*marks[[2]]] || TrueQ[results[[k, n + 2]] == 1]),
            results[[k]] = kernelRefineOne[placements, target, marks, results, k]
        ],
        {k, Length[results]}
    ];
    Flatten[results]
];
