(* solver: linear systems

   Inputs
     A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
     v (4): v1 v2 v3 v4
   Outputs
     x (4)
     y (2)
   Parameters
     p (1): m
   Constants, computed once from the parameters by solverSetup
     k (1): m

   Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
   Made by symoro VERSION
*)

(* Solve A x = b for A (n, n) by rows. *)
kernelSolve[n_, a_, b_] := LinearSolve[Partition[a, n], b];

solverSetup[p_] := Module[
    {m},
    m = p[[1]];
    {m}
]

solver[A_, v_, k_] := Module[
    {A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, v1, v2, v3, v4, m, solve1$1,
        solve1$2, solve1, solve2$1, solve2$2, solve2, x, y},
    A2 = A[[1, 2]];
    A3 = A[[1, 3]];
    A4 = A[[1, 4]];
    A5 = A[[2, 1]];
    A6 = A[[2, 2]];
    A7 = A[[2, 3]];
    A8 = A[[2, 4]];
    A9 = A[[3, 1]];
    A10 = A[[3, 2]];
    A11 = A[[3, 3]];
    A12 = A[[3, 4]];
    A13 = A[[4, 1]];
    A14 = A[[4, 2]];
    A15 = A[[4, 3]];
    A16 = A[[4, 4]];
    v1 = v[[1]];
    v2 = v[[2]];
    v3 = v[[3]];
    v4 = v[[4]];
    m = k[[1]];
    solve1$1 = {0, A2 + m, A3, A4, A5 + m, A6, A7 + m, A8, A9, A10 + m, A11, A12 + m, A13, A14, A15 + m, A16};
    solve1$2 = {-v1, v2, v3, v4};
    solve1 = kernelSolve[4, solve1$1, solve1$2];
    solve2$1 = {solve1[[1]] + 3, 1, 0, solve1[[2]] - 2};
    solve2$2 = {v1*solve1[[4]], 5};
    solve2 = kernelSolve[2, solve2$1, solve2$2];
    x = {solve1[[1]], solve1[[2]], solve1[[3]], solve1[[4]]};
    y = {solve2[[1]]^2, -solve2[[2]]};
    {x, y}
]
