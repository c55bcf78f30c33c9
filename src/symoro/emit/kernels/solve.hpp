// Solve A x = b for A (n, n) by rows: elimination with partial pivoting. A and b are overwritten.
template <class Scalar>
inline void solve(int n, Scalar* a, Scalar* b, Scalar* x)
{
    using std::abs;
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            if (abs(a[r * n + c]) > abs(a[pivot * n + c])) {
                pivot = r;
            }
        }
        for (int j = c; j < n && pivot != c; ++j) {
            const Scalar swapped = a[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swapped;
        }
        const Scalar right = b[pivot];
        b[pivot] = b[c];
        b[c] = right;
        for (int r = c + 1; r < n; ++r) {
            const Scalar factor = a[r * n + c] / a[c * n + c];
            for (int j = c + 1; j < n; ++j) {
                a[r * n + j] -= factor * a[c * n + j];
            }
            b[r] -= factor * right;
        }
    }
    for (int r = n - 1; r >= 0; --r) {
        Scalar sum = b[r];
        for (int j = r + 1; j < n; ++j) {
            sum -= a[r * n + j] * x[j];
        }
        x[r] = sum / a[r * n + r];
    }
}
