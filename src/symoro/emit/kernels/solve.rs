/// Solve A x = b for A (n, n) by rows: elimination with partial pivoting.
fn solve_<const N: usize, const M: usize>(n: usize, mut a: [f64; M], mut b: [f64; N]) -> [f64; N] {
    for c in 0..n {
        let mut pivot = c;
        for r in c + 1..n {
            if abs_(a[r*n + c]) > abs_(a[pivot*n + c]) {
                pivot = r;
            }
        }
        if pivot != c {
            for j in c..n {
                a.swap(c*n + j, pivot*n + j);
            }
            b.swap(c, pivot);
        }
        for r in c + 1..n {
            let factor = a[r*n + c]/a[c*n + c];
            for j in c + 1..n {
                a[r*n + j] -= factor*a[c*n + j];
            }
            b[r] -= factor*b[c];
        }
    }
    for r in (0..n).rev() {
        let mut sum = b[r];
        for j in r + 1..n {
            sum -= a[r*n + j]*b[j];
        }
        b[r] = sum/a[r*n + r];
    }
    b
}
