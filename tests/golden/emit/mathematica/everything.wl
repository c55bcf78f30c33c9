(* everything: every operation, and names that collide

   Inputs
     q (3), joint positions: q1 q2 q3
     T (2, 2), by rows: T11 T12 T21 T22
     n (scalar): lambda
     unused (2): unused1 unused2
   Outputs
     t (2, 3), a matrix
     k (scalar)
     Q (6)
     r (9)
     last (2, 2, 2)
   Parameters
     p (11): D3 d3 end double _a E k function t2 x_y xY
   Constants, computed once from the parameters by everythingSetup
     k$2 (7): D3 d3 end while MXR k1 k2

   Operations per call: 20 x, 18 +, 2 /, 10 functions, 23 others; once: 4 x, 4 +, 1 /
   Made by symoro VERSION
*)

everythingSetup[p_] := Module[
    {D3, d3, end, double, xA, E$2, k$3, function, t2, xY, xY$2, while, MXR, k1, k2},
    D3 = p[[1]];
    d3 = p[[2]];
    end = p[[3]];
    double = p[[4]];
    xA = p[[5]];
    E$2 = p[[6]];
    k$3 = p[[7]];
    function = p[[8]];
    t2 = p[[9]];
    xY = p[[10]];
    xY$2 = p[[11]];
    while = D3*d3 + end/double;
    MXR = -(k$3 + xA*E$2);
    k1 = function*while - MXR;
    k2 = xY$2 - t2*xY;
    {D3, d3, end, while, MXR, k1, k2}
]

everything[q_, T_, n_, unused_, k$2_] := Module[
    {q1, q2, q3, T11, T12, T21, T22, lambda, D3, d3, end, while, MXR, k1, k2, C1, S1, C2, S2, t1, q1$2,
        class, t3, t4, t5, t, k, Q, r, last},
    q1 = q[[1]];
    q2 = q[[2]];
    q3 = q[[3]];
    T11 = T[[1, 1]];
    T12 = T[[1, 2]];
    T21 = T[[2, 1]];
    T22 = T[[2, 2]];
    lambda = n;
    D3 = k$2[[1]];
    d3 = k$2[[2]];
    end = k$2[[3]];
    while = k$2[[4]];
    MXR = k$2[[5]];
    k1 = k$2[[6]];
    k2 = k$2[[7]];
    C1 = Cos[q1];
    S1 = Sin[q1];
    C2 = Cos[q2];
    S2 = Sin[q2];
    t1 = C1*C2;
    q1$2 = D3*t1 - d3*S1*S2;
    class = -(end + q3*q1$2);
    t3 = If[q1$2 < q3, Sqrt[3]/2*q1$2, class - q1$2];
    t4 = If[T11 <= T22, 1, 0];
    t5 = t3 - q1$2;
    t = {{q1$2, -t3, 1}, {-S1*t5, t5, C1*t5}};
    k = MXR;
    Q = {k1*q1, while, D3, q2, -q3, -k2};
    r = {Sqrt[1 + q1^2]/(2 + S2), ArcSin[S1*C2] - ArcTan[C1, S1] - ArcCos[t1] + Tan[q3/4] + Exp[-q2],
        Sign[q1]*Abs[q2 - q3] + 5*Sign[q2 - T11], 1*^-12*(Min[q1, -q2] - 1*^-7*Max[q3, T12] +
        123456789012*Min[S1, C2]), If[q2 == T11, q2, -q3], q1*t4 + If[t4 != 0, T12, T21], lambda^2, -(q1 +
        lambda), Pi/2};
    last = {{{class/(2 + C1), Sqrt[3]/2}, {-Sqrt[3]/2, -2/3}}, {{0, -1}, {0.1, T22/7}}};
    {t, k, Q, r, last}
]
