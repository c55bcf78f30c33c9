# Solve A x = b for A (n, n) by rows.
solve_ := proc(n, a, b)
    return LinearAlgebra:-LinearSolve(Matrix(n, n, (r, c) -> a[(r - 1)*n + c]), Vector(b));
end proc:
