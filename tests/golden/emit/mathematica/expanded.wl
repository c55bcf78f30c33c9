(* expanded: position, expanded

   Inputs
     q (3): q1 q2 q3
   Outputs
     P (3)
   Parameters
     p (1): D3
   Constants, computed once from the parameters by expandedSetup
     k (2): D3 k1

   Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
   Made by symoro VERSION
*)

expandedSetup[p_] := Module[
    {D3, k1},
    D3 = p[[1]];
    k1 = 1 + D3;
    {D3, k1}
]

expanded[q_, k_] := Module[
    {q1, q2, q3, D3, k1, C1, C2, C3, S1, S2, S3, P},
    q1 = q[[1]];
    q2 = q[[2]];
    q3 = q[[3]];
    D3 = k[[1]];
    k1 = k[[2]];
    C1 = Cos[q1];
    C2 = Cos[q2];
    C3 = Cos[q3];
    S1 = Sin[q1];
    S2 = Sin[q2];
    S3 = Sin[q3];
    P = {C1*(D3*C2 - C3*k1*S2), S1*(D3*C2 - C3*k1*S2), C3*k1*S2 - D3*C2 - C2*S3};
    P
]
