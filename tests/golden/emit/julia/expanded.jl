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
module Expanded

export expanded, expanded!, expanded_setup

const PARAMETERS = ["D3"]

expanded_setup(p::AbstractDict) = expanded_setup([p[name] for name in PARAMETERS])

function expanded_setup(p)
    length(p) == 1 || throw(DimensionMismatch("p must have the length 1, got $(length(p))"))
    D3 = p[1]
    k1 = 1 + D3
    return [D3, k1]
end

function expanded!(P, q, k)
    length(q) == 3 || throw(DimensionMismatch("q must have the length 3, got $(length(q))"))
    length(k) == 2 || throw(DimensionMismatch("k must have the length 2, got $(length(k))"))
    q1 = q[1]
    q2 = q[2]
    q3 = q[3]
    D3 = k[1]
    k1 = k[2]
    C1 = cos(q1)
    C2 = cos(q2)
    C3 = cos(q3)
    S1 = sin(q1)
    S2 = sin(q2)
    S3 = sin(q3)
    P[1] = C1*(D3*C2 - C3*k1*S2)
    P[2] = S1*(D3*C2 - C3*k1*S2)
    P[3] = C3*k1*S2 - D3*C2 - C2*S3
    return nothing
end

function expanded(q, k)
    Element = float(promote_type(eltype(q), eltype(k)))
    P = zeros(Element, 3)
    expanded!(P, q, k)
    return (; P = P)
end

end # module Expanded
