/* Monomials of q1, q2 from the value of the left side; those of least norm if they are not unique. */
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

/* Value of the variable of a vector of monomials. */
function chain_ratio_(slides, vector, last, byZ) {
    const top = chain_pair_(vector, vector, last, byZ, true);
    const bottom = chain_pair_(vector, vector, last, byZ, false);
    if (slides) {
        return bottom > 0 ? top / bottom : 0;
    }
    return 2 * Math.atan2(top, bottom);
}

/* Joint values, in joint order, from the pivot's half angle and a vector of monomials. */
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
        /* otherwise Newton's first step computes both lengths, because they enter linearly */
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

/* Error twist and the columns of the Jacobian, at the product t of the loop. */
function chain_jacobian_(kinds, axes, t) {
    const error = [t[3], t[7], t[11], (t[9] - t[6]) / 2, (t[2] - t[8]) / 2, (t[4] - t[1]) / 2];
    const columns = axes.map((axis, i) => {
        const [zx, zy, zz] = axis;
        const [x, y, w] = [t[3] - axis[3], t[7] - axis[4], t[11] - axis[5]];
        return kinds[i] ? [zx, zy, zz, 0, 0, 0] : [zy * w - zz * y, zz * x - zx * w, zx * y - zy * x, zx, zy, zz];
    });
    return { error, columns };
}

/* A step of Newton's method from the product t of the loop; damped if an angle would change too much, because the
 * Jacobian is nearly singular (weak). */
function chain_step_(kinds, axes, t, defect) {
    const damping = Math.min(1e-6, Math.max(1e-12, defect));
    const { error, columns } = chain_jacobian_(kinds, axes, t);
    const probe = [-1, 1, -1, 1, -1, 1];
    columns.push(error);
    let step = error;
    for (const damped of [false, true]) {
        const system = chain_rows_(6, 8);
        for (let i = 0; i < 6; ++i) {
            for (let j = 0; j < 7; ++j) {
                let sum = i === j ? damping : 0;
                for (let k = 0; k < 6; ++k) {
                    sum += columns[i][k] * columns[j][k];
                }
                system[i][j] = damped ? sum : columns[j][i];
            }
            system[i][7] = probe[i];
        }
        const regular = chain_solve_(system);
        step = system.map((row) => row[6]);
        if (regular && step.every((entry, i) => kinds[i] || Math.abs(entry) < 0.5)) {
            const weak = damped || !system.every((row) => Math.abs(row[7]) < CHAIN_WEAK_);
            return { step, damped, weak };
        }
    }
    return { step, damped: true, weak: true };
}

/* The best of Newton's iterates from q, angles in (-pi, pi], its defect, and whether its Jacobian is almost
 * singular. */
function chain_polish_(placements, kinds, q) {
    const turns = (angle) => 2 * Math.PI * Math.ceil((angle - Math.PI) / (2 * Math.PI));
    let x = q;
    let best = q;
    let least = 1e30;
    let settled = false;
    let weak = true;
    for (let tries = 0; tries < 40; ++tries) {
        x = x.map((entry, i) => (kinds[i] ? entry : entry - turns(entry)));
        const { product, axes, defect } = chain_product_(placements, kinds, x);
        if (defect < least) {
            least = defect;
            best = x;
        }
        if (settled || !(defect < 1e30)) {
            break;
        }
        const made = chain_step_(kinds, axes, product, defect);
        weak = made.weak;
        x = x.map((entry, i) => entry - made.step[i]);
        settled = !made.damped && made.step.every((entry) => Math.abs(entry) < 1e-8);
    }
    return { q: best, defect: least, weak };
}

/* Sort key of solutions: joint values in steps, -pi counting as pi. */
function chain_keys_(kinds, q) {
    return q.map((entry, i) => {
        const wrapped = !kinds[i] && entry < CHAIN_GRAIN_ - Math.PI ? entry + 2 * Math.PI : entry;
        return Math.floor(wrapped / CHAIN_GRAIN_ + 0.5);
    });
}

/* Whether two rows are the same solution: the posture between them closes the loop as well as they do. */
function chain_same_(placements, kinds, row, other) {
    const apart = row.q.map((entry, i) => {
        const gap = entry - other.q[i];
        return kinds[i] ? gap : gap - 2 * Math.PI * Math.floor(gap / (2 * Math.PI) + 0.5);
    });
    if (!apart.every((gap) => Math.abs(gap) < CHAIN_SAME_)) {
        return false;
    }
    const between = other.q.map((entry, i) => entry + apart[i] / 2);
    const limit = Math.max(CHAIN_ROUND_OFF_, row.defect, other.defect);
    return chain_product_(placements, kinds, between).defect <= limit;
}

/* Insert a solution into the table, unless it is already there. */
function chain_insert_(placements, kinds, row, table) {
    if (table.length === 16 || table.some((other) => chain_same_(placements, kinds, row, other))) {
        return;
    }
    const keys = chain_keys_(kinds, row.q);
    const before = (other) => {
        const others = chain_keys_(kinds, other.q);
        const at = keys.findIndex((key, i) => key !== others[i]);
        return at >= 0 && keys[at] < others[at];
    };
    let place = table.length;
    while (place > 0 && before(table[place - 1])) {
        place -= 1;
    }
    table.splice(place, 0, row);
}

/* Unit vector with the smallest image under a matrix, from the scalar products of its columns, by inverse iteration. */
function chain_weakest_(products) {
    let v = products.map((row, i) => 1 + 0.1 * i);
    for (let tries = 0; tries < 3; ++tries) {
        const system = products.map((row, i) => [...row.map((x, j) => (i === j ? x + 1e-20 : x)), v[i]]);
        chain_solve_(system);
        const size = Math.sqrt(system.reduce((sum, row) => sum + row[6] * row[6], 0));
        v = system.map((row) => row[6] / size);
    }
    return v;
}

/* Add the solutions next to a posture q to the table. Along the direction v in which the error of the loop grows least,
 * it is the parabola c + b s + a s^2 / 2: Newton's method starts at both roots s. */
function chain_split_(placements, kinds, q, table) {
    const h = 1e-3; /* step of the difference quotient for a */
    const dot = (x, y) => x.reduce((sum, entry, i) => sum + entry * y[i], 0);
    const at = (x) => {
        const { product, axes } = chain_product_(placements, kinds, x);
        return chain_jacobian_(kinds, axes, product);
    };
    const moved = (s, v) => q.map((entry, i) => entry + s * v[i]);
    const { columns } = at(q);
    const rows = columns.map((column, i) => columns.map((other) => other[i]));
    const v = chain_weakest_(columns.map((x) => columns.map((y) => dot(x, y))));
    const u = chain_weakest_(rows.map((x) => rows.map((y) => dot(x, y))));
    const b = dot(u, rows.map((row) => dot(row, v)));
    const [low, c, high] = [-h, 0, h].map((s) => dot(u, at(moved(s, v)).error));
    const a = (low - 2 * c + high) / (h * h);
    for (const side of [-1, 1]) {
        const s = (side * Math.sqrt(Math.max(b * b - 2 * a * c, 0)) - b) / a;
        if (Math.abs(s) < 0.5) { /* not too far for a parabola */
            const row = chain_polish_(placements, kinds, moved(s, v));
            if (row.defect < CHAIN_ACCEPT_) {
                chain_insert_(placements, kinds, row, table);
            }
        }
    }
}

/* The matrices of x^2, x and 1 from the rows that do not depend on q1, q2. */
function chain_pencil_(side, slides) {
    const last = slides ? 1 : 3;
    const inner = 3 * last;
    return [0, 1, 2].map((x) => {
        const entries = side.slice(8).map((row) => row.slice(9 + x * inner, 9 + (x + 1) * inner));
        const gap = new Array(last).fill(0);
        return [...entries.map((row) => gap.concat(row)), ...entries.map((row) => row.concat(gap))];
    });
}

/* Add the solutions of one arrangement to the table. `again` is 2 if some may be missing, 1 if two of them nearly
 * coincide; `best` is the posture with the smallest defect. */
function chain_try_(arranged, placements, kinds, limit, table, best) {
    const { slides } = arranged;
    const side = chain_equations_(arranged);
    const constants = side.map((row) => row[8]); /* of the right side, before it is reduced */
    const loop = { ...arranged, side, constants, ...chain_eliminate_(side) };
    const pencil = chain_pencil_(side, slides);
    const { halves, uncertain } = chain_roots_(loop.kinds[slides ? 3 : 2], limit, pencil);
    let least = best;
    let failed = false;
    let weak = false;
    let beyond = -1;
    for (const half of halves) {
        if (half < beyond) {
            continue; /* computed with the previous root, whose null space has several dimensions */
        }
        const s = Math.sin(half);
        const c = Math.cos(half);
        const atRoot = pencil[0].map((row, i) =>
            row.map((entry, j) => entry * (s * s) + pencil[1][i][j] * (s * c) + pencil[2][i][j] * (c * c)),
        );
        const vectors = chain_vectors_(slides ? 1 : 3, atRoot);
        for (const vector of vectors) {
            const row = chain_polish_(placements, kinds, chain_values_(loop, half, vector));
            weak = weak || row.weak;
            least = row.defect < least.defect ? row : least;
            if (row.defect < CHAIN_ACCEPT_) {
                chain_insert_(placements, kinds, row, table);
            } else {
                failed = true;
                if (row.defect < 1e-2) {
                    chain_split_(placements, kinds, row.q, table);
                }
            }
        }
        beyond = vectors.length > 1 ? half + 1e-7 : beyond;
    }
    const incomplete = uncertain > 1 || failed || table.length % 2 === 1 || (table.length === 0 && uncertain > 0);
    return { again: incomplete ? 2 : Number(weak), best: least, uncertain };
}

/* Orthonormalise rotation matrices with rounding errors: Newton's iteration for the polar factor. */
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

/* Whether a transform contains a rotation except for rounding errors. */
function chain_turns_(placement) {
    const turn = [0, 4, 8].map((r) => placement.slice(r, r + 3));
    const square = turn.map((x) => turn.map((y) => x[0] * y[0] + x[1] * y[1] + x[2] * y[2]));
    return square.every((row, r) => row.every((entry, c) => Math.abs(entry - (r === c ? 1 : 0)) < 0.1));
}

/* Slightly displaced transform. */
function chain_nudge_(placement, size) {
    const move = [0, 1, -0.7, 0.3, -1, 0, 0.4, -0.5, 0.7, -0.4, 0, 0.6];
    return chain_straighten_(placement.map((entry, k) => entry + size * move[k]));
}

function closed_chain_(size, constants, marks, plan) {
    const kinds = Array.from(marks, (mark) => mark > 0.5);
    const given = kinds.map((kind, i) => constants.slice(12 * i, 12 * i + 12));
    const lengths = constants.filter((entry, k) => k % 4 === 3).map(Math.abs);
    const scale = Math.max(...lengths) || 1;
    const scaled = given.map((t) => chain_straighten_(t.map((entry, k) => (k % 4 === 3 ? entry / scale : entry))));
    const seen = [...scaled];
    const table = [];
    const zero = [0, 0, 0, 0, 0, 0];
    let best = { q: zero, defect: chain_product_(scaled, kinds, zero).defect };
    let decided = false;
    const finite = [constants, marks, plan].every((entries) => entries.every(Number.isFinite));
    const usable = finite && given.every(chain_turns_);
    /* If two solutions nearly coincide, or some may be missing (real ones come in pairs), another arrangement may be
     * better conditioned. At a nearby pose on either side such roots are separate; they are then refined for the
     * given pose. */
    for (let tries = 0, again = usable ? 2 : 0; again && tries < 5; ++tries) {
        const before = table.length;
        if (tries > 2) {
            seen[5] = chain_nudge_(scaled[5], tries === 3 ? 1e-5 : -1e-5);
        }
        const first = 4 * (tries % 3);
        const loop = chain_arrange_(seen, kinds, plan.slice(first, first + 4));
        if (!loop) {
            continue;
        }
        const limit = tries > 0 && before === 0 ? CHAIN_NEAR_ : CHAIN_REAL_;
        const made = chain_try_(loop, scaled, kinds, limit, table, best);
        best = made.best;
        again = made.again;
        decided = decided || (made.uncertain === 0 && tries < 3);
        if (again) {
            for (const row of [...table]) {
                chain_split_(scaled, kinds, row.q, table);
            }
        }
        again = again === 1 && tries > 0 && table.length === before && before % 2 === 0 ? 0 : again;
    }
    if (usable && table.length === 0 && (!decided || best.defect < CHAIN_CLOSE_)) {
        table.push(best);
    }
    const solutions = table.map((row) => {
        const q = row.q.map((entry, i) => (kinds[i] ? scale * entry : entry));
        return [...q, chain_product_(given, kinds, q).defect];
    });
    while (solutions.length < size / 7) {
        solutions.push([0, 0, 0, 0, 0, 0, 1e30]);
    }
    return solutions.flat();
}
