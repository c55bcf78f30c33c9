/* x of A x = b for A (n, n) by rows: elimination with partial pivoting. */
function solve_(n, matrix, right) {
    const a = matrix.slice();
    const b = right.slice();
    const x = new Array(n).fill(0);
    for (let c = 0; c < n; ++c) {
        let pivot = c;
        for (let r = c + 1; r < n; ++r) {
            if (Math.abs(a[r * n + c]) > Math.abs(a[pivot * n + c])) {
                pivot = r;
            }
        }
        for (let j = c; j < n && pivot !== c; ++j) {
            const swapped = a[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swapped;
        }
        const top = b[pivot];
        b[pivot] = b[c];
        b[c] = top;
        for (let r = c + 1; r < n; ++r) {
            const factor = a[r * n + c] / a[c * n + c];
            for (let j = c + 1; j < n; ++j) {
                a[r * n + j] -= factor * a[c * n + j];
            }
            b[r] -= factor * top;
        }
    }
    for (let r = n - 1; r >= 0; --r) {
        let sum = b[r];
        for (let j = r + 1; j < n; ++j) {
            sum -= a[r * n + j] * x[j];
        }
        x[r] = sum / a[r * n + r];
    }
    return x;
}
