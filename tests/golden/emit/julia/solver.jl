# solver: linear systems
#
# Inputs
#   A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
#   v (4): v1 v2 v3 v4
# Outputs
#   x (4)
#   y (2)
# Parameters
#   p (1): m
# Constants, computed once from the parameters by solver_setup
#   k (1): m
#
# Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
# Made by symoro VERSION
module Solver

export solver, solver!, solver_setup

const PARAMETERS = ["m"]

# Solve A x = b for A (n, n) by rows: elimination with partial pivoting. a and b are overwritten.
function solve_(n, a, b)
    x = similar(b)
    at(r, j) = (r - 1) * n + j
    for c in 1:n
        pivot = c
        for r in c+1:n
            if abs(a[at(r, c)]) > abs(a[at(pivot, c)])
                pivot = r
            end
        end
        for j in c:n
            a[at(c, j)], a[at(pivot, j)] = a[at(pivot, j)], a[at(c, j)]
        end
        b[c], b[pivot] = b[pivot], b[c]
        for r in c+1:n
            factor = a[at(r, c)] / a[at(c, c)]
            for j in c+1:n
                a[at(r, j)] -= factor * a[at(c, j)]
            end
            b[r] -= factor * b[c]
        end
    end
    for r in n:-1:1
        total = b[r]
        for j in r+1:n
            total -= a[at(r, j)] * x[j]
        end
        x[r] = total / a[at(r, r)]
    end
    return x
end

solver_setup(p::AbstractDict) = solver_setup([p[name] for name in PARAMETERS])

function solver_setup(p)
    length(p) == 1 || throw(DimensionMismatch("p must have the length 1, got $(length(p))"))
    m = p[1]
    return [m]
end

function solver!(x, y, A, v, k)
    size(A) == (4, 4) || throw(DimensionMismatch("A must have the size (4, 4), got $(size(A))"))
    length(v) == 4 || throw(DimensionMismatch("v must have the length 4, got $(length(v))"))
    length(k) == 1 || throw(DimensionMismatch("k must have the length 1, got $(length(k))"))
    A2 = A[1, 2]
    A3 = A[1, 3]
    A4 = A[1, 4]
    A5 = A[2, 1]
    A6 = A[2, 2]
    A7 = A[2, 3]
    A8 = A[2, 4]
    A9 = A[3, 1]
    A10 = A[3, 2]
    A11 = A[3, 3]
    A12 = A[3, 4]
    A13 = A[4, 1]
    A14 = A[4, 2]
    A15 = A[4, 3]
    A16 = A[4, 4]
    v1 = v[1]
    v2 = v[2]
    v3 = v[3]
    v4 = v[4]
    m = k[1]
    solve1_1 = float([0, A2 + m, A3, A4, A5 + m, A6, A7 + m, A8, A9, A10 + m, A11, A12 + m, A13, A14, A15 +
        m, A16])
    solve1_2 = float([-v1, v2, v3, v4])
    solve1 = solve_(4, solve1_1, solve1_2)
    solve2_1 = float([solve1[1] + 3, 1, 0, solve1[2] - 2])
    solve2_2 = float([v1*solve1[4], 5])
    solve2 = solve_(2, solve2_1, solve2_2)
    x[1] = solve1[1]
    x[2] = solve1[2]
    x[3] = solve1[3]
    x[4] = solve1[4]
    y[1] = solve2[1]*solve2[1]
    y[2] = -solve2[2]
    return nothing
end

function solver(A, v, k)
    Element = float(promote_type(eltype(A), eltype(v), eltype(k)))
    x = zeros(Element, 4)
    y = zeros(Element, 2)
    solver!(x, y, A, v, k)
    return (; x = x, y = y)
end

end # module Solver
