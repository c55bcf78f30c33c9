/* The same without branches, for expressions and recorded scalars: rows are exchanged by choices, so that the pivots are
 * selected anew wherever the result is evaluated. */
template <class Scalar>
inline void solve_choices_(int n, Scalar *a, Scalar *b, Scalar *x)
{
    using std::abs;
    for (int c = 0; c < n; ++c) {
        for (int r = c + 1; r < n; ++r) {
            const auto exchange = of<Scalar>::less(abs(a[c * n + c]), abs(a[r * n + c]));
            for (int j = c; j <= n; ++j) {
                Scalar &upper = j < n ? a[c * n + j] : b[c];
                Scalar &lower = j < n ? a[r * n + j] : b[r];
                const Scalar first = select<Scalar>(exchange, lower, upper);
                lower = select<Scalar>(exchange, upper, lower);
                upper = first;
            }
        }
        for (int r = c + 1; r < n; ++r) {
            const Scalar factor = a[r * n + c] / a[c * n + c];
            for (int j = c + 1; j < n; ++j) {
                a[r * n + j] -= factor * a[c * n + j];
            }
            b[r] -= factor * b[c];
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

template <class Scalar>
inline void solve_kernel(int n, Scalar *a, Scalar *b, Scalar *x, number_kind)
{
    solve_<Scalar>(n, a, b, x);
}
template <class Scalar, class Kind>
inline void solve_kernel(int n, Scalar *a, Scalar *b, Scalar *x, Kind)
{
    solve_choices_<Scalar>(n, a, b, x);
}
template <class Scalar>
inline void solve_kernel(int n, Scalar *a, Scalar *b, Scalar *x)
{
    solve_kernel<Scalar>(n, a, b, x, kind<Scalar>());
}
