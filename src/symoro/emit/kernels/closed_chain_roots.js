/* Eigenvalues and null spaces, for the kernel closed_chain. */

/* Householder's reduction to Hessenberg form. */
function chain_hessenberg_(a) {
    const n = a.length;
    for (let m = 1; m < n - 1; ++m) {
        const v = a.map((row, r) => (r < m ? 0 : row[m - 1]));
        const top = v[m];
        let below = 0;
        for (let r = m + 1; r < n; ++r) {
            below += v[r] * v[r];
        }
        if (!(below > 0)) {
            continue;
        }
        const norm = Math.sqrt(top * top + below);
        const scale = 1 / (norm * (norm + Math.abs(top)));
        v[m] += top > 0 ? norm : -norm;
        const sums = new Array(n).fill(0);
        for (let r = m; r < n; ++r) {
            const factor = v[r] * scale;
            for (let j = 0; j < n; ++j) {
                sums[j] += factor * a[r][j];
            }
        }
        for (let r = m; r < n; ++r) {
            for (let j = 0; j < n; ++j) {
                a[r][j] -= v[r] * sums[j];
            }
        }
        for (const row of a) {
            let sum = 0;
            for (let j = m; j < n; ++j) {
                sum += row[j] * v[j];
            }
            sum *= scale;
            for (let j = m; j < n; ++j) {
                row[j] -= sum * v[j];
            }
        }
        a[m][m - 1] = top > 0 ? -norm : norm;
        for (let r = m + 1; r < n; ++r) {
            a[r][m - 1] = 0;
        }
    }
}

/* Start of a double step of Francis, as low as two small subdiagonal entries permit, and its first vector. */
function chain_start_(low, end, a, x, y, w) {
    for (let m = end - 2; ; --m) {
        const z = a[m][m];
        const p = ((x - z) * (y - z) - w) / a[m + 1][m] + a[m][m + 1];
        const q = a[m + 1][m + 1] - z - (x - z) - (y - z);
        const r = a[m + 2][m + 1];
        const size = Math.abs(p) + Math.abs(q) + Math.abs(r);
        const start = [m, p / size, q / size, r / size];
        if (m === low) {
            return start;
        }
        const around = Math.abs(a[m - 1][m - 1]) + Math.abs(z) + Math.abs(a[m + 1][m + 1]);
        const small = Math.abs(a[m][m - 1]) * (Math.abs(start[2]) + Math.abs(start[3]));
        if (small <= 1e-16 * Math.abs(start[1]) * around) {
            return start;
        }
    }
}

/* One double step of Francis on rows low .. end; its shifts are the eigenvalues of [[y, .], [., x]], w the product of
 * the other two entries. */
function chain_francis_(low, end, a, x, y, w) {
    let [m, p, q, r] = chain_start_(low, end, a, x, y, w);
    for (let k = m; k < end; ++k) {
        const three = k < end - 1;
        let size = 1;
        if (k > m) {
            p = a[k][k - 1];
            q = a[k + 1][k - 1];
            r = three ? a[k + 2][k - 1] : 0;
            size = Math.abs(p) + Math.abs(q) + Math.abs(r);
            if (size === 0) {
                continue;
            }
            p /= size;
            q /= size;
            r /= size;
        }
        let norm = Math.sqrt(p * p + q * q + r * r);
        norm = p < 0 ? -norm : norm;
        if (k > m) {
            a[k][k - 1] = -norm * size;
            a[k + 1][k - 1] = 0;
            if (three) {
                a[k + 2][k - 1] = 0;
            }
        } else if (low < m) {
            a[k][k - 1] = -a[k][k - 1];
        }
        p += norm;
        const px = p / norm;
        const py = q / norm;
        const pz = three ? r / norm : 0;
        const v = q / p;
        const u = three ? r / p : 0;
        const first = a[k];
        const second = a[k + 1];
        if (three) {
            const third = a[k + 2];
            for (let j = k; j <= end; ++j) {
                const t = first[j] + v * second[j] + u * third[j];
                first[j] -= t * px;
                second[j] -= t * py;
                third[j] -= t * pz;
            }
        } else {
            for (let j = k; j <= end; ++j) {
                const t = first[j] + v * second[j];
                first[j] -= t * px;
                second[j] -= t * py;
            }
        }
        for (let i = low; i <= Math.min(k + 3, end); ++i) {
            const row = a[i];
            if (three) {
                const t = px * row[k] + py * row[k + 1] + pz * row[k + 2];
                row[k] -= t;
                row[k + 1] -= t * v;
                row[k + 2] -= t * u;
            } else {
                const t = px * row[k] + py * row[k + 1];
                row[k] -= t;
                row[k + 1] -= t * v;
            }
        }
    }
}

/* Eigenvalues of a matrix that is overwritten: [real, imaginary] of each. */
function chain_eigenvalues_(a) {
    chain_hessenberg_(a);
    const eigenvalues = a.map(() => [0, 0]);
    let end = a.length - 1;
    let tries = 0;
    let norm = 0;
    for (const row of a) {
        norm = row.reduce((most, entry) => (Math.abs(entry) > most ? Math.abs(entry) : most), norm);
    }
    while (end >= 0) {
        let low = end;
        for (; low > 0; --low) {
            const down = Math.abs(a[low][low - 1]);
            const around = Math.abs(a[low - 1][low - 1]) + Math.abs(a[low][low]) + 0.1 * norm;
            if (down <= 2e-16 * around) {
                break;
            }
        }
        const x = a[end][end];
        if (low === end) {
            eigenvalues[end] = [x, 0];
            end -= 1;
            tries = 0;
            continue;
        }
        const y = a[end - 1][end - 1];
        const w = a[end][end - 1] * a[end - 1][end];
        if (low === end - 1 || tries === 40) {
            /* a cluster that does not converge is accepted as it is */
            const p = (y - x) / 2;
            const q = p * p + w;
            const root = Math.sqrt(Math.abs(q));
            if (q >= 0) {
                const z = p + (p < 0 ? -root : root);
                eigenvalues[end - 1] = [x + z, 0];
                eigenvalues[end] = [z !== 0 ? x - w / z : x, 0];
            } else {
                eigenvalues[end - 1] = [x + p, root];
                eigenvalues[end] = [x + p, -root];
            }
            end -= 2;
            tries = 0;
            continue;
        }
        tries += 1;
        if (tries % 10 === 0) {
            /* exceptional shift, against cycles */
            const s = Math.abs(a[end][end - 1]) + Math.abs(a[end - 1][end - 2]);
            chain_francis_(low, end, a, x + 0.75 * s, x + 0.75 * s, -0.4375 * s * s);
        } else {
            chain_francis_(low, end, a, x, y, w);
        }
    }
    return eigenvalues;
}

/* At most `most` vectors of a basis of the null space of a matrix, which is overwritten, by complete pivoting. Pivots
 * that are small relative to the first count as zero, the last one always. */
function chain_null_space_(a, most) {
    const n = a.length;
    const column = Array.from(a, (row, k) => k);
    let rank = 0;
    let first = 0;
    for (; rank < n - 1; ++rank) {
        let at = rank;
        let from = rank;
        let largest = -1;
        for (let r = rank; r < n; ++r) {
            for (let c = rank; c < n; ++c) {
                const size = Math.abs(a[r][c]);
                if (size > largest) {
                    largest = size;
                    from = r;
                    at = c;
                }
            }
        }
        first = rank === 0 ? largest : first;
        if (!(largest > CHAIN_NULL_ * first)) {
            break;
        }
        [a[rank], a[from]] = [a[from], a[rank]];
        for (const row of [column, ...a]) {
            const swapped = row[rank];
            row[rank] = row[at];
            row[at] = swapped;
        }
        for (let r = rank + 1; r < n; ++r) {
            const factor = a[r][rank] / a[rank][rank];
            for (let j = rank; j < n; ++j) {
                a[r][j] -= factor * a[rank][j];
            }
        }
    }
    const vectors = chain_rows_(Math.min(n - rank, most), n);
    vectors.forEach((vector, k) => {
        const x = new Array(n).fill(0);
        x[n - 1 - k] = 1;
        for (let r = rank - 1; r >= 0; --r) {
            let sum = 0;
            for (let j = r + 1; j < n; ++j) {
                sum += a[r][j] * x[j];
            }
            x[r] = -sum / a[r][r];
        }
        column.forEach((place, j) => {
            vector[place] = x[j];
        });
    });
    return vectors;
}

/* low . low of two vectors of monomials, low being those with a factor y (or z) less; or high . low, with that factor
 * where `raised`. */
function chain_pair_(a, b, last, byZ, raised) {
    const up = raised ? (byZ ? 1 : last) : 0;
    let sum = 0;
    for (let y = byZ ? 0 : 1; y < 4; ++y) {
        for (let z = byZ ? 1 : 0; z < last; ++z) {
            const low = y * last + z;
            sum += a[low - up] * b[low];
        }
    }
    return sum;
}

/* Solve A X = B in place, A (n, n) and B side by side; false when A is singular. */
function chain_solve_(a) {
    const n = a.length;
    const width = n === 0 ? 0 : a[0].length;
    for (let c = 0; c < n; ++c) {
        let pivot = c;
        for (let r = c + 1; r < n; ++r) {
            if (Math.abs(a[r][c]) > Math.abs(a[pivot][c])) {
                pivot = r;
            }
        }
        if (!(Math.abs(a[pivot][c]) > 1e-280)) {
            return false;
        }
        [a[c], a[pivot]] = [a[pivot], a[c]];
        const inverse = 1 / a[c][c];
        for (let j = c; j < width; ++j) {
            a[c][j] *= inverse;
        }
        for (let r = c + 1; r < n; ++r) {
            const factor = a[r][c];
            for (let j = c + 1; j < width; ++j) {
                a[r][j] -= factor * a[c][j];
            }
        }
    }
    for (let c = n - 1; c > 0; --c) {
        for (let r = 0; r < c; ++r) {
            const factor = a[r][c];
            for (let j = n; j < width; ++j) {
                a[r][j] -= factor * a[c][j];
            }
        }
    }
    return true;
}

/* Vectors of monomials in the null space of the pencil at a root. Solutions that have the same value of the pivot are
 * separated by the eigenvectors of multiplication by y + 0.37 z in that space. */
function chain_vectors_(last, atRoot) {
    const space = chain_null_space_(atRoot, 4);
    const count = space.length;
    if (count === 1) {
        return space;
    }
    const action = chain_rows_(count, count);
    for (const byZ of last === 3 ? [false, true] : [false]) {
        const pairs = (one, raised) => space.map((other) => chain_pair_(other, one, last, byZ, raised));
        const system = space.map((one) => pairs(one, false).concat(pairs(one, true)));
        if (!chain_solve_(system)) {
            return [];
        }
        action.forEach((row, i) => {
            for (let j = 0; j < count; ++j) {
                row[j] += (byZ ? 0.37 : 1) * system[i][count + j];
            }
        });
    }
    const values = chain_eigenvalues_(action.map((row) => row.slice()));
    const real = values.filter(([x, y]) => Math.abs(y) < 1e-2 * (1 + Math.abs(x)));
    return real.map(([value]) => {
        const shifted = action.map((row, i) => row.map((entry, j) => (i === j ? entry - value : entry)));
        const [direction] = chain_null_space_(shifted, 1);
        return space[0].map((entry, k) => space.reduce((sum, one, i) => sum + direction[i] * one[k], 0));
    });
}

/* Half angles of the roots of the pencil M2 x^2 + M1 x + M0, x = tan(half), that are real up to a limit. `uncertain` is
 * 2 if M0 is singular, 1 if it is nearly singular or other roots are almost real, and 0 otherwise. */
function chain_roots_(slides, limit, pencil) {
    const n = pencil[0].length;
    const system = pencil[2].map((row, r) => row.concat(pencil[0][r], pencil[1][r]));
    const regular = chain_solve_(system);
    const lower = system.map((row) => row.slice(n).map((entry) => -entry));
    const below = (bound) => regular && lower.every((row) => row.every((entry) => Math.abs(entry) < bound));
    const companion = [...chain_rows_(n, 2 * n), ...lower];
    for (let r = 0; r < n; ++r) {
        companion[r][n + r] = 1;
    }
    const roots = chain_eigenvalues_(companion).filter(([t]) => !(slides && Math.abs(t) < CHAIN_FAR_));
    const within = (bound) => roots.filter(([t, i]) => Math.abs(i) < bound * (1 + t * t + i * i));
    const real = within(limit);
    const nearly = within(CHAIN_NEAR_).length > real.length || !below(CHAIN_LARGE_);
    const halves = real.map(([t]) => Math.atan2(1, t)).sort((x, y) => x - y);
    return { halves, uncertain: below(1e10) ? Number(nearly) : 2 };
}
