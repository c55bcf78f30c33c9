/* Monomials of q1, q2 from the value of the left side; the least ones when they are not fixed. */
function chain_monomials_(loop, value) {
    const { side, scales, pivots, columns, rank } = loop;
    const known = value.slice();
    for (let c = 0; c < 8; ++c) {
        let sum = 0;
        for (let r = c; r < known.length; ++r) {
            sum += side[r][c] * known[r];
        }
        sum *= scales[c];
        for (let r = c; r < known.length; ++r) {
            known[r] -= side[r][c] * sum;
        }
    }
    /* the triangular system, solved for the columns beyond the rank and for the value */
    const loose = 8 - rank;
    const solved = chain_rows_(rank, loose + 1);
    for (let k = 0; k <= loose; ++k) {
        for (let c = rank - 1; c >= 0; --c) {
            let sum = k < loose ? side[c][rank + k] : known[c];
            for (let j = c + 1; j < rank; ++j) {
                sum -= side[c][j] * solved[j][k];
            }
            solved[c][k] = sum / pivots[c];
        }
    }
    const system = chain_rows_(loose, loose + 1);
    for (let i = 0; i < loose; ++i) {
        for (let j = 0; j <= loose; ++j) {
            system[i][j] = solved.reduce((sum, row) => sum + row[i] * row[j], i === j ? 1 : 0);
        }
    }
    chain_solve_(system);
    const monomials = new Array(8).fill(0);
    columns.forEach((column, i) => {
        monomials[column] =
            i < rank
                ? system.reduce((left, row, k) => left - solved[i][k] * row[loose], solved[i][loose])
                : system[i - rank][loose];
    });
    return monomials;
}

/* The value of the variable that a vector of monomials has. */
function chain_ratio_(slides, vector, last, byZ) {
    const top = chain_pair_(vector, vector, last, byZ, true);
    const bottom = chain_pair_(vector, vector, last, byZ, false);
    if (slides) {
        return bottom > 0 ? top / bottom : 0;
    }
    return 2 * Math.atan2(top, bottom);
}

/* Joint values, in the joints' order, from the pivot's half angle and a vector of monomials. */
function chain_values_(loop, half, vector) {
    const { kinds, placements, slides } = loop;
    const last = slides ? 1 : 3;
    const pivot = slides ? 3 : 2;
    const values = [0, 0, 0, 0, 0, 0];
    const joint = (i) => chain_joint_(kinds[i], values[i], placements[i]);
    values[pivot] = kinds[pivot] ? Math.tan(half) : 2 * half;
    values[pivot + 1] = chain_ratio_(kinds[pivot + 1], vector, last, false);
    if (!slides) {
        values[4] = chain_ratio_(kinds[4], vector, last, true);
    }
    const chain = chain_compose_(chain_compose_(joint(2), joint(3)), joint(4));
    const known = chain_functions_(slides, chain).map((value, f) => value - loop.constants[f]);
    const monomials = chain_monomials_(loop, known);
    values[0] = kinds[0] ? monomials[5] : Math.atan2(monomials[5], monomials[2]);
    values[1] = kinds[1] ? monomials[7] : Math.atan2(monomials[7], monomials[6]);
    if (!slides) {
        /* else Newton's first step finds both lengths: they enter linearly */
        const before = chain_compose_(chain_compose_(placements[5], joint(0)), joint(1));
        const product = chain_compose_(before, chain);
        values[5] = Math.atan2(-product[4], product[0]);
    }
    const q = new Array(6).fill(0);
    loop.order.forEach((place, i) => {
        q[place] = values[i] + loop.shifts[i];
    });
    return q;
}

/* The product of the loop, the axes and points of its joints, and the largest entry of |product - 1|. */
function chain_product_(placements, kinds, q) {
    const axes = [];
    let product = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
    for (let i = 0; i < 6; ++i) {
        axes.push([product[2], product[6], product[10], product[3], product[7], product[11]]);
        product = chain_compose_(product, chain_joint_(kinds[i], q[i], placements[i]));
    }
    let defect = 0;
    for (let k = 0; k < 12; ++k) {
        defect = Math.max(defect, Math.abs(product[k] - (k % 5 === 0 ? 1 : 0)));
    }
    return { product, axes, defect };
}

/* A step of Newton's method from an error twist (t is the product of the loop); damped where an angle would jump, since
 * there the Jacobian is nearly singular. */
function chain_step_(kinds, axes, t, defect) {
    const damping = Math.min(1e-6, Math.max(1e-12, defect));
    const error = [t[3], t[7], t[11], (t[9] - t[6]) / 2, (t[2] - t[8]) / 2, (t[4] - t[1]) / 2];
    const columns = axes.map((axis, i) => {
        const [zx, zy, zz] = axis;
        const [x, y, w] = [t[3] - axis[3], t[7] - axis[4], t[11] - axis[5]];
        return kinds[i] ? [zx, zy, zz, 0, 0, 0] : [zy * w - zz * y, zz * x - zx * w, zx * y - zy * x, zx, zy, zz];
    });
    columns.push(error);
    let step = error;
    for (const damped of [false, true]) {
        const system = chain_rows_(6, 7);
        for (let i = 0; i < 6; ++i) {
            for (let j = 0; j < 7; ++j) {
                let sum = i === j ? damping : 0;
                for (let k = 0; k < 6; ++k) {
                    sum += columns[i][k] * columns[j][k];
                }
                system[i][j] = damped ? sum : columns[j][i];
            }
        }
        const regular = chain_solve_(system);
        step = system.map((row) => row[6]);
        if (regular && step.every((entry, i) => kinds[i] || Math.abs(entry) < 0.5)) {
            return { step, damped };
        }
    }
    return { step, damped: true };
}

/* The best of Newton's iterates from q, angles in (-pi, pi]; null when it is no solution. */
function chain_polish_(placements, kinds, q) {
    let x = q;
    let best = null;
    let least = CHAIN_ACCEPT_;
    let settled = false;
    for (let tries = 0; tries < 16; ++tries) {
        const { product, axes, defect } = chain_product_(placements, kinds, x);
        if (defect < least) {
            least = defect;
            best = x;
        }
        if (settled || !(defect < 1e30)) {
            break;
        }
        const { step, damped } = chain_step_(kinds, axes, product, defect);
        x = x.map((entry, i) => entry - step[i]);
        settled = !damped && step.every((entry) => Math.abs(entry) < 1e-8);
    }
    const turns = (angle) => 2 * Math.PI * Math.ceil((angle - Math.PI) / (2 * Math.PI));
    return best && best.map((entry, i) => (kinds[i] ? entry : entry - turns(entry)));
}

/* What orders the solutions: joint values in steps, -pi counting as pi. */
function chain_keys_(kinds, q) {
    return q.map((entry, i) => {
        const wrapped = !kinds[i] && entry < CHAIN_GRAIN_ - Math.PI ? entry + 2 * Math.PI : entry;
        return Math.floor(wrapped / CHAIN_GRAIN_ + 0.5);
    });
}

/* Put a solution in its place in the table, unless it is there already. */
function chain_insert_(kinds, q, table) {
    const apart = (a, b, i) => {
        const distance = Math.abs(a - b);
        return !kinds[i] && distance > Math.PI ? Math.abs(distance - 2 * Math.PI) : distance;
    };
    const same = (other) => q.every((entry, i) => apart(entry, other[i], i) < CHAIN_SAME_);
    if (table.length === 16 || table.some(same)) {
        return;
    }
    const keys = chain_keys_(kinds, q);
    const before = (other) => {
        const others = chain_keys_(kinds, other);
        const at = keys.findIndex((key, i) => key !== others[i]);
        return at >= 0 && keys[at] < others[at];
    };
    let place = table.length;
    while (place > 0 && before(table[place - 1])) {
        place -= 1;
    }
    table.splice(place, 0, q);
}

/* The matrices of x^2, x and 1 from the rows that are free of q1, q2. */
function chain_pencil_(side, slides) {
    const last = slides ? 1 : 3;
    const inner = 3 * last;
    return [0, 1, 2].map((x) => {
        const entries = side.slice(8).map((row) => row.slice(9 + x * inner, 9 + (x + 1) * inner));
        const gap = new Array(last).fill(0);
        return [...entries.map((row) => gap.concat(row)), ...entries.map((row) => row.concat(gap))];
    });
}

/* Add the solutions of one arrangement to the table; returns whether some may be missing. */
function chain_try_(arranged, placements, kinds, table) {
    const { slides } = arranged;
    const side = chain_equations_(arranged);
    const constants = side.map((row) => row[8]); /* of the right side, before it is reduced */
    const loop = { ...arranged, side, constants, ...chain_eliminate_(side) };
    const pencil = chain_pencil_(side, slides);
    const { halves, singular } = chain_roots_(loop.kinds[slides ? 3 : 2], pencil);
    let candidates = 0;
    let beyond = -1;
    for (const half of halves) {
        if (half < beyond) {
            continue; /* found with the root before, whose null space has more than one vector */
        }
        const s = Math.sin(half);
        const c = Math.cos(half);
        const atRoot = pencil[0].map((row, i) =>
            row.map((entry, j) => entry * (s * s) + pencil[1][i][j] * (s * c) + pencil[2][i][j] * (c * c)),
        );
        const vectors = chain_vectors_(slides ? 1 : 3, atRoot);
        for (const vector of vectors) {
            const found = chain_polish_(placements, kinds, chain_values_(loop, half, vector));
            candidates += 1;
            if (found) {
                chain_insert_(kinds, found, table);
            }
        }
        beyond = vectors.length > 1 ? half + 1e-7 : beyond;
    }
    return singular || (table.length > 0 ? table.length % 2 === 1 : candidates > 0);
}

/* Rotations that were rounded become rotations again: Newton's iteration for the polar factor. */
function chain_straighten_(placement) {
    const a = placement.slice();
    for (let tries = 0; tries < 3; ++tries) {
        const turn = [0, 4, 8].map((r) => a.slice(r, r + 3));
        const square = turn.map((x) => turn.map((y) => x[0] * y[0] + x[1] * y[1] + x[2] * y[2]));
        square.forEach((x, r) => {
            for (let c = 0; c < 3; ++c) {
                const product = x[0] * turn[0][c] + x[1] * turn[1][c] + x[2] * turn[2][c];
                a[4 * r + c] = 1.5 * turn[r][c] - 0.5 * product;
            }
        });
    }
    return a;
}

/* A placement moved a little. */
function chain_nudge_(placement) {
    const move = [0, 1, -0.7, 0.3, -1, 0, 0.4, -0.5, 0.7, -0.4, 0, 0.6];
    return chain_straighten_(placement.map((entry, k) => entry + 1e-5 * move[k]));
}

function closed_chain_(size, constants, marks, plan) {
    const kinds = Array.from(marks, (mark) => mark > 0.5);
    const given = kinds.map((kind, i) => constants.slice(12 * i, 12 * i + 12));
    const lengths = constants.filter((entry, k) => k % 4 === 3).map(Math.abs);
    const scale = Math.max(...lengths) || 1;
    const scaled = given.map((t) => chain_straighten_(t.map((entry, k) => (k % 4 === 3 ? entry / scale : entry))));
    const seen = [...scaled];
    const table = [];
    /* Real solutions come in pairs, except where two meet: what is odd is tried again in another arrangement. Where
     * the loop can move all may fail: last comes a pose nearby, polished on the true one. */
    let again = [constants, marks, plan].every((entries) => entries.every(Number.isFinite));
    again = again && constants.every((entry, k) => k % 4 === 3 || Math.abs(entry) < 1.5);
    for (let tries = 0; again && tries < (table.length > 0 ? 3 : 4); ++tries) {
        if (tries === 3) {
            seen[5] = chain_nudge_(seen[5]);
        }
        const first = 4 * (tries % 3);
        const loop = chain_arrange_(seen, kinds, plan.slice(first, first + 4));
        again = loop ? chain_try_(loop, scaled, kinds, table) : again;
    }
    const solutions = table.map((row) => {
        const q = row.map((entry, i) => (kinds[i] ? scale * entry : entry));
        return [...q, chain_product_(given, kinds, q).defect];
    });
    while (solutions.length < size / 7) {
        solutions.push([0, 0, 0, 0, 0, 0, 1e30]);
    }
    return solutions.flat();
}
