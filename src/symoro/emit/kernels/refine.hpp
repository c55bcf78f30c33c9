// The end of the chain K0 J1 K1 .. Jn Kn less the target where that is given, and its derivatives, a joint a row.
// Returns the largest entry. marks: n, tolerance, 12 times 1 where given, n times 1 (turns) or 2 (slides), negative
// backwards.
template <class Scalar>
inline Scalar refine_miss(const Scalar* placements, const Scalar* target, const Scalar* marks, const Scalar* q,
                          Scalar* miss, Scalar* slopes)
{
    using std::abs;
    using std::cos;
    using std::sin;
    const int n = static_cast<int>(marks[0]);
    Scalar t[12];
    Scalar axes[96];
    Scalar most = Scalar(0.0);
    for (int e = 0; e < 12; ++e) {
        t[e] = placements[e];
    }
    for (int i = 0; i < n; ++i) {
        const Scalar* b = placements + 12*(i + 1);
        const Scalar way = marks[14 + i] < Scalar(0.0) ? -Scalar(1.0) : Scalar(1.0);
        const int slides = abs(marks[14 + i]) > Scalar(1.5);
        const Scalar c = slides ? Scalar(1.0) : cos(q[i]);
        const Scalar s = slides ? Scalar(0.0) : way*sin(q[i]);
        for (int r = 0; r < 3; ++r) {
            axes[6*i + r] = way*t[4*r + 2];
            axes[6*i + 3 + r] = t[4*r + 3];
            const Scalar x = c*t[4*r] + s*t[4*r + 1];
            const Scalar y = c*t[4*r + 1] - s*t[4*r];
            const Scalar z = t[4*r + 2];
            const Scalar p = t[4*r + 3] + (slides ? way*q[i]*z : Scalar(0.0));
            for (int j = 0; j < 4; ++j) {
                t[4*r + j] = x*b[j] + y*b[4 + j] + z*b[8 + j] + (j == 3 ? p : Scalar(0.0));
            }
        }
    }
    for (int e = 0; e < 12; ++e) {
        miss[e] = marks[2 + e] > Scalar(0.5) ? t[e] - target[e] : Scalar(0.0);
        most = abs(miss[e]) <= most ? most : abs(miss[e]); // keeps what is not a number
    }
    for (int i = 0; i < n; ++i) {
        const Scalar* z = axes + 6*i;
        const int slides = abs(marks[14 + i]) > Scalar(1.5);
        for (int j = 0; j < 4; ++j) {
            const Scalar last = j == 3 ? Scalar(1.0) : Scalar(0.0);
            const Scalar x = t[j] - last*z[3];
            const Scalar y = t[4 + j] - last*z[4];
            const Scalar w = t[8 + j] - last*z[5];
            slopes[12*i + j] = slides ? last*z[0] : z[1]*w - z[2]*y;
            slopes[12*i + 4 + j] = slides ? last*z[1] : z[2]*x - z[0]*w;
            slopes[12*i + 8 + j] = slides ? last*z[2] : z[0]*y - z[1]*x;
        }
        for (int e = 0; e < 12; ++e) {
            slopes[12*i + e] = marks[2 + e] > Scalar(0.5) ? slopes[12*i + e] : Scalar(0.0);
        }
    }
    return most;
}

// (J'J + damping) x = right, for the derivatives J; hardly damped.
template <class Scalar>
inline void refine_solve(int n, const Scalar* slopes, const Scalar* right, Scalar* x)
{
    Scalar a[272];
    Scalar top = Scalar(0.0);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            Scalar sum = Scalar(0.0);
            for (int e = 0; e < 12; ++e) {
                sum += slopes[12*i + e]*slopes[12*j + e];
            }
            a[17*i + j] = sum;
        }
        a[17*i + n] = right[i];
        top = a[18*i] > top ? a[18*i] : top;
    }
    for (int i = 0; i < n; ++i) {
        a[18*i] += Scalar(1e-14)*top;
    }
    for (int c = 0; c < n; ++c) {
        for (int r = c + 1; r < n; ++r) {
            const Scalar factor = a[17*r + c]/a[18*c];
            for (int j = c + 1; j <= n; ++j) {
                a[17*r + j] -= factor*a[17*c + j];
            }
        }
    }
    for (int r = n - 1; r >= 0; --r) {
        Scalar sum = a[17*r + n];
        for (int j = r + 1; j < n; ++j) {
            sum -= a[17*r + j]*x[j];
        }
        x[r] = sum/a[18*r];
    }
}

// The best of Newton's iterates from q; returns its residual.
template <class Scalar>
inline Scalar refine_row(const Scalar* placements, const Scalar* target, const Scalar* marks, Scalar* q)
{
    const int n = static_cast<int>(marks[0]);
    Scalar miss[12];
    Scalar slopes[192];
    Scalar right[16] = {Scalar(0.0)};
    Scalar step[16] = {Scalar(0.0)};
    Scalar x[16] = {Scalar(0.0)};
    Scalar least = refine_miss(placements, target, marks, q, miss, slopes);
    for (int tries = 0; tries < 15; ++tries) {
        for (int i = 0; i < n; ++i) {
            right[i] = Scalar(0.0);
            for (int e = 0; e < 12; ++e) {
                right[i] += slopes[12*i + e]*miss[e];
            }
        }
        refine_solve(n, slopes, right, step);
        for (int i = 0; i < n; ++i) {
            x[i] = q[i] - step[i];
        }
        const Scalar most = refine_miss(placements, target, marks, x, miss, slopes);
        if (!(most < least)) {
            break;
        }
        least = most;
        for (int i = 0; i < n; ++i) {
            q[i] = x[i];
        }
    }
    return least;
}

// The direction in which the end of the chain moves least, by inverse iteration; returns whether that is little.
template <class Scalar>
inline int refine_weak(const Scalar* placements, const Scalar* target, const Scalar* marks, const Scalar* q,
                       Scalar* way)
{
    using std::sqrt;
    const int n = static_cast<int>(marks[0]);
    Scalar miss[12];
    Scalar slopes[192];
    Scalar x[16] = {Scalar(0.0)};
    Scalar top = Scalar(0.0);
    Scalar least = Scalar(0.0);
    refine_miss(placements, target, marks, q, miss, slopes);
    for (int i = 0; i < n; ++i) {
        Scalar square = Scalar(0.0);
        for (int e = 0; e < 12; ++e) {
            square += slopes[12*i + e]*slopes[12*i + e];
        }
        top = square > top ? square : top;
        way[i] = Scalar(1.0) + Scalar(0.1)*Scalar(i);
    }
    for (int tries = 0; tries < 3; ++tries) {
        Scalar size = Scalar(0.0);
        refine_solve(n, slopes, way, x);
        for (int i = 0; i < n; ++i) {
            size += x[i]*x[i];
        }
        for (int i = 0; i < n; ++i) {
            way[i] = x[i]/sqrt(size);
        }
    }
    for (int e = 0; e < 12; ++e) {
        Scalar sum = Scalar(0.0);
        for (int i = 0; i < n; ++i) {
            sum += slopes[12*i + e]*way[i];
        }
        least += sum*sum;
    }
    return least < Scalar(1e-3)*top;
}

// Whether a valid row other than k holds the joints q.
template <class Scalar>
inline int refine_again(int count, const Scalar* marks, const Scalar* rows, int k, const Scalar* q)
{
    using std::abs;
    using std::atan2;
    using std::cos;
    using std::sin;
    const int n = static_cast<int>(marks[0]);
    for (int j = 0; j < count; ++j) {
        const Scalar* row = rows + (n + 2)*j;
        int same = j != k && (row[n + 1] == Scalar(0.0) || row[n + 1] == Scalar(2.0));
        for (int i = 0; i < n && same; ++i) {
            const Scalar d = row[i] - q[i];
            same = abs(abs(marks[14 + i]) > Scalar(1.5) ? d : atan2(sin(d), cos(d))) < Scalar(1e-5);
        }
        if (same) {
            return 1;
        }
    }
    return 0;
}

// One row. Where Newton's method is caught between two solutions that almost meet, or ends at one that another row
// holds, it starts again to both sides along the direction in which the chain moves least.
template <class Scalar>
inline void refine_one(int count, const Scalar* placements, const Scalar* target, const Scalar* marks,
                       Scalar* rows, int k)
{
    using std::abs;
    using std::atan2;
    using std::cos;
    using std::sin;
    using std::sqrt;
    const int n = static_cast<int>(marks[0]);
    const Scalar fine = Scalar(1e-3)*marks[1];
    Scalar* row = rows + (n + 2)*k;
    Scalar way[16] = {Scalar(0.0)};
    Scalar q[16] = {Scalar(0.0)};
    Scalar x[16] = {Scalar(0.0)};
    for (int i = 0; i < n; ++i) {
        q[i] = row[i];
    }
    Scalar least = refine_row(placements, target, marks, q);
    int again = least <= marks[1] && refine_again(count, marks, rows, k, q);
    if ((again || !(least <= fine)) && refine_weak(placements, target, marks, q, way)) {
        const Scalar aside = Scalar(10.0)*sqrt(least <= fine ? row[n] : least);
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < n; ++i) {
                x[i] = q[i] + Scalar(side)*aside*way[i];
            }
            const Scalar most = refine_row(placements, target, marks, x);
            if (most <= fine && !refine_again(count, marks, rows, k, x)) {
                least = most;
                again = 0;
                for (int i = 0; i < n; ++i) {
                    q[i] = x[i];
                }
                break;
            }
        }
    }
    if (again) {
        row[n + 1] = Scalar(3.0);
    } else if (least <= marks[1]) {
        for (int i = 0; i < n; ++i) {
            row[i] = abs(marks[14 + i]) > Scalar(1.5) ? q[i] : atan2(sin(q[i]), cos(q[i]));
        }
        row[n] = least;
        row[n + 1] = row[n + 1] == Scalar(2.0) ? Scalar(2.0) : Scalar(0.0);
    }
}

// Rows of joints, residual and status: those that are not quite solutions of K0 J1 K1 .. Jn Kn = T are made so by
// Newton's method, and are empty where another row holds the same.
template <class Scalar>
inline void refine(int size, const Scalar* placements, const Scalar* target, const Scalar* marks,
                   const Scalar* rows, Scalar* results)
{
    const int n = static_cast<int>(marks[0]);
    const int count = size/(n + 2);
    for (int e = 0; e < size; ++e) {
        results[e] = rows[e];
    }
    for (int k = 0; k < count; ++k) {
        const Scalar* row = results + (n + 2)*k;
        if (row[n] < Scalar(1e-2) && (row[n] > Scalar(1e-3)*marks[1] || row[n + 1] == Scalar(1.0))) {
            refine_one(count, placements, target, marks, results, k);
        }
    }
}
