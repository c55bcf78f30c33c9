# expanded: position, expanded
#
# Inputs
#   q (3): q1 q2 q3
# Outputs
#   P (3)
# Parameters
#   p (1): D3
# Constants, computed once from the parameters by expanded_setup
#   k (2): D3 k1
#
# Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
# Made by symoro VERSION

expanded_setup := proc(p)
    local D3, k1;
    D3 := p[1];
    k1 := 1 + D3;
    return [D3, k1];
end proc:

expanded := proc(q, k)
    local q1, q2, q3, D3, k1, C1, C2, C3, S1, S2, S3, P;
    q1 := q[1];
    q2 := q[2];
    q3 := q[3];
    D3 := k[1];
    k1 := k[2];
    C1 := cos(q1);
    C2 := cos(q2);
    C3 := cos(q3);
    S1 := sin(q1);
    S2 := sin(q2);
    S3 := sin(q3);
    P := Vector([C1*(D3*C2 - C3*k1*S2), S1*(D3*C2 - C3*k1*S2), C3*k1*S2 - D3*C2 - C2*S3]);
    return P;
end proc:
