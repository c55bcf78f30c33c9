(* Solve A x = b for A (n, n) by rows. *)
kernelSolve[n_, a_, b_] := LinearSolve[Partition[a, n], b];
