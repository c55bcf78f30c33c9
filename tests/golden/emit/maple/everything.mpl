# everything: every operation, and names that collide
#
# Inputs
#   q (3), joint positions: q1 q2 q3
#   T (2, 2), by rows: T11 T12 T21 T22
#   n (scalar): lambda
#   unused (2): unused1 unused2
# Outputs
#   t (2, 3), a matrix
#   k (scalar)
#   Q (6)
#   r (9)
#   last (2, 2, 2)
# Parameters
#   p (11): D3 d3 end double _a E k function t2 x_y xY
# Constants, computed once from the parameters by everything_setup
#   k_2 (7): D3 d3 end_2 while_2 MXR k1 k2
#
# Operations per call: 20 x, 18 +, 2 /, 10 functions, 23 others; once: 4 x, 4 +, 1 /
# Made by symoro VERSION

everything_setup := proc(p)
    local D3, d3, end_2, double, _a, E, k_3, function, t2, x_y, xY, while_2, MXR, k1, k2;
    D3 := p[1];
    d3 := p[2];
    end_2 := p[3];
    double := p[4];
    _a := p[5];
    E := p[6];
    k_3 := p[7];
    function := p[8];
    t2 := p[9];
    x_y := p[10];
    xY := p[11];
    while_2 := D3*d3 + end_2/double;
    MXR := -(k_3 + _a*E);
    k1 := function*while_2 - MXR;
    k2 := xY - t2*x_y;
    return [D3, d3, end_2, while_2, MXR, k1, k2];
end proc:

everything := proc(q, T, n, unused, k_2)
    local q1, q2, q3, T11, T12, T21, T22, lambda, D3, d3, end_2, while_2, MXR, k1, k2, C1, S1, C2, S2, t1,
        q1_2, class, t3, t4, t5, t, k, Q, r, last;
    q1 := q[1];
    q2 := q[2];
    q3 := q[3];
    T11 := T[1, 1];
    T12 := T[1, 2];
    T21 := T[2, 1];
    T22 := T[2, 2];
    lambda := n;
    D3 := k_2[1];
    d3 := k_2[2];
    end_2 := k_2[3];
    while_2 := k_2[4];
    MXR := k_2[5];
    k1 := k_2[6];
    k2 := k_2[7];
    C1 := cos(q1);
    S1 := sin(q1);
    C2 := cos(q2);
    S2 := sin(q2);
    t1 := C1*C2;
    q1_2 := D3*t1 - d3*S1*S2;
    class := -(end_2 + q3*q1_2);
    t3 := piecewise(q1_2 < q3, sqrt(3)/2*q1_2, class - q1_2);
    t4 := piecewise(T11 <= T22, 1, 0);
    t5 := t3 - q1_2;
    t := Matrix([[q1_2, -t3, 1], [-S1*t5, t5, C1*t5]]);
    k := MXR;
    Q := Vector([k1*q1, while_2, D3, q2, -q3, -k2]);
    r := Vector([sqrt(1 + q1^2)/(2 + S2), arcsin(S1*C2) - arctan(S1, C1) - arccos(t1) + tan(q3/4) + exp(-q2),
        signum(q1)*abs(q2 - q3) + 5*signum(q2 - T11), 1e-12*(min(q1, -q2) - 1e-07*max(q3, T12) +
        123456789012*min(S1, C2)), piecewise(q2 = T11, q2, -q3), q1*t4 + piecewise(t4 <> 0, T12, T21),
        lambda^2, -(q1 + lambda), Pi/2]);
    last := Array([[[class/(2 + C1), sqrt(3)/2], [-sqrt(3)/2, -2/3]], [[0, -1], [0.1, T22/7]]]);
    return t, k, Q, r, last;
end proc:
