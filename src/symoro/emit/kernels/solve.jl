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
