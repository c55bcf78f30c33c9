/* Last frame of the chain K0 J1 K1 .. Jn Kn minus the given entries of the target, into miss, and its derivatives, one
 * row per joint, into slopes. Returns the largest entry. marks: n, tolerance, 12 flags (1: entry given), n joint
 * types: 1 revolute, 2 prismatic, negative for the reverse direction. */
function refine_miss_(placements, target, marks, q, miss, slopes) {
    const n = marks[0];
    const t = placements.slice(0, 12);
    const axes = new Array(6 * n).fill(0);
    for (let i = 0; i < n; ++i) {
        const b = 12 * (i + 1);
        const way = marks[14 + i] < 0 ? -1 : 1;
        const slides = Math.abs(marks[14 + i]) > 1.5;
        const c = slides ? 1 : Math.cos(q[i]);
        const s = slides ? 0 : way * Math.sin(q[i]);
        for (let r = 0; r < 3; ++r) {
            axes[6 * i + r] = way * t[4 * r + 2];
            axes[6 * i + 3 + r] = t[4 * r + 3];
            const x = c * t[4 * r] + s * t[4 * r + 1];
            const y = c * t[4 * r + 1] - s * t[4 * r];
            const z = t[4 * r + 2];
            const p = t[4 * r + 3] + (slides ? way * q[i] * z : 0);
            for (let j = 0; j < 4; ++j) {
                const moved = x * placements[b + j] + y * placements[b + 4 + j] + z * placements[b + 8 + j];
                t[4 * r + j] = moved + (j === 3 ? p : 0);
            }
        }
    }
    let most = 0;
    for (let e = 0; e < 12; ++e) {
        miss[e] = marks[2 + e] > 0.5 ? t[e] - target[e] : 0;
        most = Math.max(most, Math.abs(miss[e])); /* keeps NaN */
    }
    for (let i = 0; i < n; ++i) {
        const slides = Math.abs(marks[14 + i]) > 1.5;
        const [zx, zy, zz, px, py, pz] = axes.slice(6 * i, 6 * i + 6);
        for (let j = 0; j < 4; ++j) {
            const last = j === 3 ? 1 : 0;
            const x = t[j] - last * px;
            const y = t[4 + j] - last * py;
            const w = t[8 + j] - last * pz;
            slopes[12 * i + j] = slides ? last * zx : zy * w - zz * y;
            slopes[12 * i + 4 + j] = slides ? last * zy : zz * x - zx * w;
            slopes[12 * i + 8 + j] = slides ? last * zz : zx * y - zy * x;
        }
        for (let e = 0; e < 12; ++e) {
            slopes[12 * i + e] = marks[2 + e] > 0.5 ? slopes[12 * i + e] : 0;
        }
    }
    return most;
}

/* x of (J'J + damping) x = right, for the derivatives J, with little damping. */
function refine_solve_(n, slopes, right) {
    const width = n + 1;
    const a = new Array(n * width).fill(0);
    const x = new Array(n).fill(0);
    let top = 0;
    for (let i = 0; i < n; ++i) {
        for (let j = 0; j < n; ++j) {
            let sum = 0;
            for (let e = 0; e < 12; ++e) {
                sum += slopes[12 * i + e] * slopes[12 * j + e];
            }
            a[width * i + j] = sum;
        }
        a[width * i + n] = right[i];
        top = a[width * i + i] > top ? a[width * i + i] : top;
    }
    for (let i = 0; i < n; ++i) {
        a[width * i + i] += 1e-14 * top;
    }
    for (let c = 0; c < n; ++c) {
        for (let r = c + 1; r < n; ++r) {
            const factor = a[width * r + c] / a[width * c + c];
            for (let j = c + 1; j <= n; ++j) {
                a[width * r + j] -= factor * a[width * c + j];
            }
        }
    }
    for (let r = n - 1; r >= 0; --r) {
        let sum = a[width * r + n];
        for (let j = r + 1; j < n; ++j) {
            sum -= a[width * r + j] * x[j];
        }
        x[r] = sum / a[width * r + r];
    }
    return x;
}

/* The best of Newton's iterates from a start, and its residual. */
function refine_row_(placements, target, marks, start) {
    const n = marks[0];
    const miss = new Array(12).fill(0);
    const slopes = new Array(12 * n).fill(0);
    const right = new Array(n).fill(0);
    let q = start;
    let least = refine_miss_(placements, target, marks, q, miss, slopes);
    for (let tries = 0; tries < 15; ++tries) {
        for (let i = 0; i < n; ++i) {
            right[i] = 0;
            for (let e = 0; e < 12; ++e) {
                right[i] += slopes[12 * i + e] * miss[e];
            }
        }
        const step = refine_solve_(n, slopes, right);
        const x = q.map((entry, i) => entry - step[i]);
        const most = refine_miss_(placements, target, marks, x, miss, slopes);
        if (!(most < least)) {
            break;
        }
        least = most;
        q = x;
    }
    return [q, least];
}

/* Direction in which the last frame moves least, by inverse iteration; null if it moves much. */
function refine_weak_(placements, target, marks, q) {
    const n = marks[0];
    const slopes = new Array(12 * n).fill(0);
    refine_miss_(placements, target, marks, q, new Array(12).fill(0), slopes);
    let way = q.map((entry, i) => 1 + 0.1 * i);
    for (let tries = 0; tries < 3; ++tries) {
        const x = refine_solve_(n, slopes, way);
        const size = Math.sqrt(x.reduce((sum, entry) => sum + entry * entry, 0));
        way = x.map((entry) => entry / size);
    }
    let top = 0;
    for (let i = 0; i < n; ++i) {
        const square = slopes.slice(12 * i, 12 * i + 12).reduce((sum, entry) => sum + entry * entry, 0);
        top = square > top ? square : top;
    }
    let least = 0;
    for (let e = 0; e < 12; ++e) {
        const sum = way.reduce((total, entry, i) => total + slopes[12 * i + e] * entry, 0);
        least += sum * sum;
    }
    return least < 1e-3 * top ? way : null;
}

/* An angle in (-pi, pi], or a length. */
function refine_turn_(mark, x) {
    return Math.abs(mark) > 1.5 ? x : Math.atan2(Math.sin(x), Math.cos(x));
}

/* Whether a valid row other than k contains the joint values q. */
function refine_again_(marks, rows, k, q) {
    const n = marks[0];
    return rows.some((row, j) => {
        const valid = j !== k && (row[n + 1] === 0 || row[n + 1] === 2);
        return valid && q.every((x, i) => Math.abs(refine_turn_(marks[14 + i], row[i] - x)) < 1e-5);
    });
}

/* One row. If Newton's method stops between two solutions that almost coincide, or at one that another row
 * contains, it is started again on both sides along the direction in which the chain moves least. */
function refine_one_(placements, target, marks, rows, k) {
    const n = marks[0];
    const fine = 1e-3 * marks[1];
    const row = rows[k];
    let [q, least] = refine_row_(placements, target, marks, row.slice(0, n));
    let again = least <= marks[1] && refine_again_(marks, rows, k, q);
    const way = again || !(least <= fine) ? refine_weak_(placements, target, marks, q) : null;
    if (way !== null) {
        const aside = 10 * Math.sqrt(least <= fine ? row[n] : least);
        for (const side of [-1, 1]) {
            const start = q.map((entry, i) => entry + side * aside * way[i]);
            const [x, most] = refine_row_(placements, target, marks, start);
            if (most <= fine && !refine_again_(marks, rows, k, x)) {
                least = most;
                again = false;
                q = x;
                break;
            }
        }
    }
    if (again) {
        row[n + 1] = 3;
    } else if (least <= marks[1]) {
        const turned = q.map((x, i) => refine_turn_(marks[14 + i], x));
        rows[k] = [...turned, least, row[n + 1] === 2 ? 2 : 0];
    }
}

/* Rows of joints, residual and status: those that are approximate solutions of K0 J1 K1 .. Jn Kn = T are refined
 * by Newton's method, and become empty if another row contains the same solution. */
function refine_(size, placements, target, marks, given) {
    const n = marks[0];
    const rows = [];
    for (let first = 0; first < size; first += n + 2) {
        rows.push(given.slice(first, first + n + 2));
    }
    rows.forEach((row, k) => {
        if (row[n] < 1e-2 && (row[n] > 1e-3 * marks[1] || row[n + 1] === 1)) {
            refine_one_(placements, target, marks, rows, k);
        }
    });
    return rows.flat();
}
