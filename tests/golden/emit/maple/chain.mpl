# chain: positions of all frames
#
# Inputs
#   q (2): q1 q2
# Outputs
#   P (2, 3)
# Parameters
#   p (4): D1 R1 D2 R2
# Constants, computed once from the parameters by chain_setup
#   k (7): D1 R1 D2 k1 k2 k3 k4
#
# Operations per call: 3 x, 3 +, 2 functions; once: 4 x, 1 +
# Made by symoro VERSION

chain_setup := proc(p)
    local D1, R1, D2, R2, k1, k2, k3, k4;
    D1 := p[1];
    R1 := p[2];
    D2 := p[3];
    R2 := p[4];
    k1 := 0.3*D2;
    k2 := 0.95*R2;
    k3 := 0.95*D2;
    k4 := R1 + 0.3*R2;
    return [D1, R1, D2, k1, k2, k3, k4];
end proc:

chain := proc(q, k)
    local q1, D1, R1, D2, k1, k2, k3, k4, C1, S1, P2_1, P2_2, P2_3, P;
    q1 := q[1];
    D1 := k[1];
    R1 := k[2];
    D2 := k[3];
    k1 := k[4];
    k2 := k[5];
    k3 := k[6];
    k4 := k[7];
    C1 := cos(q1);
    S1 := sin(q1);
    # link 2: position
    P2_1 := D1 + D2*C1;
    P2_2 := k1*S1 - k2;
    P2_3 := k3*S1 + k4;
    P := Matrix([[D1, 0, R1], [P2_1, P2_2, P2_3]]);
    return P;
end proc:
