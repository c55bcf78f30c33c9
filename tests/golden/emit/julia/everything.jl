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
module Everything

export everything, everything!, everything_setup

const PARAMETERS = ["D3", "d3", "end", "double", "_a", "E", "k", "function", "t2", "x_y", "xY"]

real_sqrt(x) = x >= 0 ? sqrt(x) : sqrt(one(x)) * NaN

real_asin(x) = abs(x) <= 1 ? asin(x) : asin(one(x)) * NaN

real_acos(x) = abs(x) <= 1 ? acos(x) : acos(one(x)) * NaN

everything_setup(p::AbstractDict) = everything_setup([p[name] for name in PARAMETERS])

function everything_setup(p)
    length(p) == 11 || throw(DimensionMismatch("p must have the length 11, got $(length(p))"))
    D3 = p[1]
    d3 = p[2]
    end_2 = p[3]
    double = p[4]
    _a = p[5]
    E = p[6]
    k_3 = p[7]
    function_2 = p[8]
    t2 = p[9]
    x_y = p[10]
    xY = p[11]
    while_2 = D3*d3 + end_2/double
    MXR = -(k_3 + _a*E)
    k1 = function_2*while_2 - MXR
    k2 = xY - t2*x_y
    return [D3, d3, end_2, while_2, MXR, k1, k2]
end

function everything!(t, k, Q, r, last, q, T, n, unused, k_2)
    length(q) == 3 || throw(DimensionMismatch("q must have the length 3, got $(length(q))"))
    size(T) == (2, 2) || throw(DimensionMismatch("T must have the size (2, 2), got $(size(T))"))
    length(unused) == 2 || throw(DimensionMismatch("unused must have the length 2, got $(length(unused))"))
    length(k_2) == 7 || throw(DimensionMismatch("k_2 must have the length 7, got $(length(k_2))"))
    q1 = q[1]
    q2 = q[2]
    q3 = q[3]
    T11 = T[1, 1]
    T12 = T[1, 2]
    T21 = T[2, 1]
    T22 = T[2, 2]
    lambda = n[]
    D3 = k_2[1]
    d3 = k_2[2]
    end_2 = k_2[3]
    while_2 = k_2[4]
    MXR = k_2[5]
    k1 = k_2[6]
    k2 = k_2[7]
    C1 = cos(q1)
    S1 = sin(q1)
    C2 = cos(q2)
    S2 = sin(q2)
    t1 = C1*C2
    q1_2 = D3*t1 - d3*S1*S2
    class = -(end_2 + q3*q1_2)
    t3 = ifelse(q1_2 < q3, 0.8660254037844386*q1_2, class - q1_2)
    t4 = ifelse(T11 <= T22, 1.0, 0.0)
    t5 = t3 - q1_2
    t[1, 1] = q1_2
    t[1, 2] = -t3
    t[1, 3] = 1
    t[2, 1] = -S1*t5
    t[2, 2] = t5
    t[2, 3] = C1*t5
    k[] = MXR
    Q[1] = k1*q1
    Q[2] = while_2
    Q[3] = D3
    Q[4] = q2
    Q[5] = -q3
    Q[6] = -k2
    r[1] = real_sqrt(1 + q1*q1)/(2 + S2)
    r[2] = real_asin(S1*C2) - atan(S1, C1) - real_acos(t1) + tan(0.25*q3) + exp(-q2)
    r[3] = sign(q1)*abs(q2 - q3) + 5*sign(q2 - T11)
    r[4] = 1e-12*(min(q1, -q2) - 1e-07*max(q3, T12) + 123456789012.0*min(S1, C2))
    r[5] = ifelse(q2 == T11, q2, -q3)
    r[6] = q1*t4 + ifelse(t4 != 0, T12, T21)
    r[7] = lambda*lambda
    r[8] = -(q1 + lambda)
    r[9] = 1.5707963267948966
    last[1, 1, 1] = class/(2 + C1)
    last[1, 1, 2] = 0.8660254037844386
    last[1, 2, 1] = -0.8660254037844386
    last[1, 2, 2] = -0.6666666666666666
    last[2, 1, 1] = 0
    last[2, 1, 2] = -1
    last[2, 2, 1] = 0.1
    last[2, 2, 2] = 0.14285714285714285*T22
    return nothing
end

function everything(q, T, n, unused, k_2)
    Element = float(promote_type(eltype(q), eltype(T), eltype(n), eltype(unused), eltype(k_2)))
    t = zeros(Element, 2, 3)
    k = zeros(Element)
    Q = zeros(Element, 6)
    r = zeros(Element, 9)
    last = zeros(Element, 2, 2, 2)
    everything!(t, k, Q, r, last, q, T, n, unused, k_2)
    return (; t = t, k = k[], Q = Q, r = r, last = last)
end

end # module Everything
