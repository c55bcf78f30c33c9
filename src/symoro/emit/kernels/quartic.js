/* Logarithms of the magnitudes of the roots, ascending, from the Newton polygon of the coefficients' logarithms. */
function quartic_sizes_(logs) {
    const hull = logs.slice();
    for (let m = 0; m < 5; ++m) {
        for (let i = 0; i < m; ++i) {
            for (let j = m + 1; j < 5; ++j) {
                const chord = (logs[i] * (j - m) + logs[j] * (m - i)) / (j - i);
                hull[m] = chord > hull[m] ? chord : hull[m];
            }
        }
    }
    return [0, 1, 2, 3].map((m) => hull[m] - hull[m + 1]);
}

/* Degree without the leading coefficients that are below the round-off of the others, at the roots without them or at
 * 1, from the logarithms of the coefficients, lowest first. -1 if all are zero. */
function quartic_degree_(logs) {
    let degree = 4;
    while (degree >= 0 && !(logs[degree] > -10000)) {
        --degree;
    }
    for (let d = 1; d < degree; ++d) {
        let reach = 0;
        let kept = -100000;
        let lost = -100000;
        for (let j = 0; j < d; ++j) {
            const size = (logs[j] - logs[d]) / (d - j);
            reach = size > reach ? size : reach;
        }
        for (let j = 0; j <= degree; ++j) {
            const weight = logs[j] + j * reach;
            kept = j <= d && weight > kept ? weight : kept;
            lost = j > d && weight > lost ? weight : lost;
        }
        if (logs[d] > -10000 && lost < kept - 34.5) {
            return d;
        }
    }
    return degree;
}

/* The unit of x in which the middle roots are about 1, of a, lowest first, and the degree, above which a becomes
 * zero; -1 if a is not a number, or all zero. */
function quartic_unit_(a) {
    const logs = a.map((entry) => (entry !== 0 ? Math.log(Math.abs(entry)) : -10000));
    const least = a.findIndex((entry) => entry !== 0);
    const total = a.reduce((sum, entry) => sum + entry, 0);
    const degree = Math.abs(total) < 6 ? quartic_degree_(logs) : -1;
    a.fill(0, degree + 1);
    logs.fill(-10000, degree + 1);
    if (degree <= least) {
        return [1, degree];
    }
    const sizes = quartic_sizes_(logs);
    const small = sizes[Math.floor((least + degree - 1) / 2)];
    const large = sizes[Math.floor((least + degree) / 2)];
    let size = 0.5 * (small + large);
    if (large - small >= 60) {
        size = -small > large ? large : small;
    }
    return [Math.exp(Math.max(-170, Math.min(170, size))), degree];
}

/* Newton's method on f[0] + f[1] x + ... + f[4] x^4, as long as the residual decreases. */
function quartic_polish_(f, x) {
    let left = (((f[4] * x + f[3]) * x + f[2]) * x + f[1]) * x + f[0];
    for (let m = 0; m < 2; ++m) {
        const x1 = x - left / (((4 * f[4] * x + 3 * f[3]) * x + 2 * f[2]) * x + f[1]);
        const left1 = (((f[4] * x1 + f[3]) * x1 + f[2]) * x1 + f[1]) * x1 + f[0];
        if (!(Math.abs(left1) < Math.abs(left))) {
            break;
        }
        x = x1;
        left = left1;
    }
    return x;
}

/* The real roots of a[0] x^4 + a[1] x^3 + a[2] x^2 + a[3] x + a[4] = 0: 4 roots, ascending, and 4 defects. A
 * defect is 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. With
 * x = unit*tan(t/2) the roots are angles t. */
function quartic_(n, a) {
    const largest = (entries) => entries.reduce((top, x) => (Math.abs(x) > top ? Math.abs(x) : top), 0);
    const scale = largest(a);
    let b = a.map((entry) => entry / scale).reverse();
    const [unit, degree] = quartic_unit_(b);
    const weights = [1 / unit / unit, 1 / unit, 1, unit, unit * unit];
    b = b.map((entry, j) => entry * weights[j]);
    const top = largest(b);
    b = b.map((entry) => entry / top);
    const back = b.slice().reverse();
    const twice = (b[0] + b[4] - b[2]) / 8;
    const k = [(b[0] + b[4]) / 2 - twice, (b[0] - b[4]) / 2, (b[3] + b[1]) / 4, twice, (b[1] - b[3]) / 8];
    const angles = circle_(12, k);
    /* |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect */
    const below = [0, 1, 2, 3].map((j) => {
        const s = angles[j];
        const c = angles[j + 4];
        const defect = angles[j + 8];
        const beside = c < 0 ? (s * s) / (1 - c) : 1 + c;
        return defect * defect + 2 * (1 - defect) * beside;
    });
    const unsorted = new Array(n).fill(0);
    const key = [0, 0, 0, 0];
    for (let j = 0; j < 4; ++j) {
        const s = angles[j];
        const c = angles[j + 4];
        const defect = angles[j + 8];
        /* number of roots nearer to infinity, which a polynomial of lower degree lacks */
        const nearer = below.filter((x, i) => x < below[j] || (x <= below[j] && i < j)).length;
        let x = 0;
        let imaginary = 0;
        if (defect > 0) {
            x = (unit * 2 * (1 - defect) * s) / below[j];
            imaginary = (unit * defect * (2 - defect)) / below[j];
        } else if (c < 0) {
            /* large roots are refined as 1/x, which cannot overflow */
            x = unit / quartic_polish_(back, s / (1 - c));
        } else {
            x = unit * quartic_polish_(b, s / (1 + c));
        }
        const relative = imaginary / (1 + Math.sqrt(x * x + imaginary * imaginary));
        const real = nearer >= 4 - degree && relative <= 1 && Math.abs(x) < Infinity;
        unsorted[j] = real ? x + 0 : 0;
        unsorted[j + 4] = real ? relative : 1;
        key[j] = real ? x : Infinity;
    }
    return circle_sorted_(key, unsorted);
}
