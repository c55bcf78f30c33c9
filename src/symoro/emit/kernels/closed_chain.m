function results = closed_chain_(n, constants, kinds, plan)
% All real solutions of prod_{i=1..6} J_i(q_i) C_i = 1, J = Rz (revolute) or Tz (prismatic): Raghavan and Roth 1993
% with the eigenvalues of Manocha and Canny 1994. See the documentation of the kernel closed_chain.
results = zeros(7, n/7);
results(7, :) = 1e30;
kinds = double(kinds(:).' > 0.5);
given = cell(1, 6);
lengths = [];
for i = 1:6
    given{i} = [reshape(constants(12*i-11:12*i), 4, 3).'; 0 0 0 1];
    lengths = [lengths; given{i}(1:3, 4)];
end
usable = all(isfinite([constants(:); kinds(:); plan(:)]));
for i = 1:6
    r = given{i}(1:3, 1:3);
    usable = usable && all(all(abs(r*r.' - eye(3)) < 0.1)); % a rotation but for rounding
end
scale = max(abs(lengths));
if ~(scale > 0)
    scale = 1;
end
scaled = given;
for i = 1:6
    scaled{i}(1:3, 4) = scaled{i}(1:3, 4)/scale;
    scaled{i} = chain_straighten(scaled{i});
end
seen = scaled;
table = zeros(0, 7);
best = zeros(1, 7);
[~, ~, best(7)] = chain_errors(scaled, kinds, best(1:6));
decided = false;
uncertain = 2;
again = 2*usable;
% If two solutions nearly coincide, or some may be missing (real ones come in pairs), another arrangement may be better
% conditioned. At a nearby pose on either side such roots are separate; they are then refined for the given pose.
for tries = 1:5
    if ~again
        break
    end
    before = size(table, 1);
    if tries > 3
        move = 1e-5*[0 1 -0.7 0.3; -1 0 0.4 -0.5; 0.7 -0.4 0 0.6];
        seen{6}(1:3, :) = scaled{6}(1:3, :) + (9 - 2*tries)*move;
        seen{6} = chain_straighten(seen{6});
    end
    limit = 1e-3;
    if tries > 1 && before == 0
        limit = 0.03;
    end
    first = 4*mod(tries - 1, 3);
    step = plan(first+1:first+4);
    [table, best, again, uncertain] = chain_try(seen, scaled, kinds, step, limit, table, best, again, uncertain);
    decided = decided || (uncertain == 0 && tries < 4);
    if again
        for row = table.'
            table = chain_split(scaled, kinds, row(1:6).', table);
        end
    end
    if again == 1 && tries > 1 && size(table, 1) == before && mod(before, 2) == 0
        again = 0;
    end
end
if usable && isempty(table) && (~decided || best(7) < 1e-6)
    table = best;
end
for k = 1:min(size(table, 1), n/7)
    q = table(k, 1:6);
    q(kinds == 1) = q(kinds == 1)*scale;
    results(1:6, k) = q(:);
    [~, ~, results(7, k)] = chain_errors(given, kinds, q);
end
results = results(:);
end

function t = chain_straighten(t)
% Orthonormalise rotation matrices with rounding errors: Newton's iteration for the polar factor.
for k = 1:3
    r = t(1:3, 1:3);
    t(1:3, 1:3) = 1.5*r - 0.5*(r*r.')*r;
end
end

function made = chain_inverse(t)
r = t(1:3, 1:3).';
made = [r, -r*t(1:3, 4); 0 0 0 1];
end

function made = chain_joint(kind, value)
if kind
    made = eye(4);
    made(3, 4) = value;
else
    made = [cos(value), -sin(value), 0, 0; sin(value), cos(value), 0, 0; 0 0 1 0; 0 0 0 1];
end
end

function f = chain_functions(slides, t)
% Functions that both sides have in common, of a product of transforms.
l = t(1:3, 3);
p = t(1:3, 4);
if slides
    f = [reshape(t(1:3, 1:3), 9, 1); p(1)*l(2) - p(2)*l(1)];
else
    f = [p; l; p.'*p; p.'*l; cross(p, l); (p.'*p)*l - 2*(p.'*l)*p];
end
end

function [nodes, fit, powers] = chain_bases(kind)
% Interpolation nodes of a variable; maps from values there to coefficients of (cos, sin, 1) or (r^2, r, 1),
% and to coefficients of (x^2, x, 1), x = tan(q/2) or r, times 1 + x^2 for an angle.
if kind
    nodes = [-1, 0, 1];
    fit = [0.5 -1 0.5; -0.5 0 0.5; 0 1 0];
    powers = fit;
else
    nodes = [0, 2, 4]*pi/3;
    fit = [cos(nodes); sin(nodes); 0.5 0.5 0.5]*2/3;
    powers = [-1 0 1; 0 2 0; 1 0 1]*fit;
end
end

function [table, best, again, uncertain] = chain_try(seen, placements, kinds, step, limit, table, best, again, uncertain)
% Solutions of one arrangement of the loop `seen`, refined for the loop `placements`. again: 2 if some may be
% missing, 1 if two of them nearly coincide. best: the posture with the smallest defect. uncertain: of the roots.
if ~(step(1) >= 0 && step(1) < 12)
    return
end
arrangement = floor(step(1));
shifts = [0, 0, step(2), step(3), step(4), 0];
roles = cell(1, 6);
order = zeros(1, 6);
turn = diag([1, -1, -1, 1]);
for i = 1:6
    if arrangement < 6
        order(i) = mod(arrangement + i - 1, 6) + 1;
        roles{i} = seen{order(i)};
    else
        order(i) = mod(18 - arrangement - i, 6) + 1;
        roles{i} = turn*chain_inverse(seen{mod(order(i) + 4, 6) + 1})*turn;
    end
    roles{i} = chain_joint(kinds(order(i)), shifts(i))*roles{i};
end
marks = kinds(order);
slides = marks(3) && marks(6);
if marks(6) && ~slides
    return
end
[pencil, right, constant] = chain_pencil(roles, marks, slides);
if slides
    pivot = 4;
else
    pivot = 3;
end
[halves, uncertain] = chain_roots(pencil, marks(pivot), limit);
inverse = pinv(right, 1e-9*norm(right));
failed = false;
weak = false;
for half = halves(:).'
    s = sin(half);
    c = cos(half);
    vectors = chain_vectors(pencil{1}*(s*s) + pencil{2}*(s*c) + pencil{3}*(c*c));
    for v = 1:size(vectors, 2)
        grid = reshape(vectors(:, v), [], 4);
        values = zeros(1, 6);
        if marks(pivot)
            values(pivot) = tan(half);
        else
            values(pivot) = 2*half;
        end
        values(pivot + 1) = chain_ratio(marks(pivot + 1), grid(:, 1:3), grid(:, 2:4));
        if ~slides
            values(5) = chain_ratio(marks(5), grid(1:2, :), grid(2:3, :));
        end
        chain = eye(4);
        for i = 3:5
            chain = chain*chain_joint(marks(i), values(i))*roles{i};
        end
        m = inverse*(chain_functions(slides, chain) - constant);
        if marks(1)
            values(1) = m(6);
        else
            values(1) = atan2(m(6), m(3));
        end
        if marks(2)
            values(2) = m(8);
        else
            values(2) = atan2(m(8), m(7));
        end
        if ~slides % otherwise Newton's first step computes both lengths, because they enter linearly
            before = roles{6}*chain_joint(marks(1), values(1))*roles{1}*chain_joint(marks(2), values(2))*roles{2};
            chain = before*chain;
            values(6) = atan2(-chain(2, 1), chain(1, 1));
        end
        q = zeros(1, 6);
        q(order) = values + shifts;
        [row, near] = chain_polish(placements, kinds, q);
        weak = weak || near;
        if row(7) < best(7)
            best = row;
        end
        if row(7) < 1e-10
            table = chain_insert(placements, kinds, row, table);
        else
            failed = true;
            if row(7) < 1e-2
                table = chain_split(placements, kinds, row(1:6), table);
            end
        end
    end
end
count = size(table, 1);
again = double(weak);
if uncertain > 1 || failed || mod(count, 2) == 1 || (count == 0 && uncertain > 0)
    again = 2;
end
end

function [pencil, right, constant] = chain_pencil(roles, marks, slides)
% The matrices of x^2, x and 1, and the right side without its constant.
at = cell(5, 3);
fits = cell(1, 5);
powers = cell(1, 5);
for i = 1:5
    [nodes, fits{i}, powers{i}] = chain_bases(marks(i));
    for k = 1:3
        at{i, k} = chain_joint(marks(i), nodes(k))*roles{i};
    end
end
right = [];
left = [];
for i = 1:3
    for j = 1:3
        f = chain_functions(slides, chain_inverse(roles{6}*at{1, i}*at{2, j}));
        right = [right, f];
        if slides
            left = [left, chain_functions(slides, roles{3}*at{4, i}*at{5, j})];
            continue
        end
        for k = 1:3
            left = [left, chain_functions(slides, at{3, i}*at{4, j}*at{5, k})];
        end
    end
end
right = right*kron(fits{1}, fits{2}).';
constant = right(:, 9);
right = right(:, 1:8);
for k = 1:size(left, 2)
    left(:, k) = left(:, k) - constant;
end
if slides
    last = 1;
    left = left*kron(powers{4}, powers{5}).';
else
    last = 3;
    left = left*kron(powers{3}, kron(powers{4}, powers{5})).';
end
[rotation, ~] = qr(right);
equations = rotation(:, 9:end).'*left;
pencil = cell(1, 3);
gap = zeros(2*last, last);
for x = 1:3
    part = equations(:, 3*last*(x - 1)+1:3*last*x);
    pencil{x} = [gap, part; part, gap];
end
end

function [halves, uncertain] = chain_roots(pencil, kind, limit)
% Half angles of the roots, x = tan(half), that are real up to a limit, from the eigenvalues t = 1/x of a companion
% matrix. uncertain: 2 if its leading matrix is singular, 1 if it is nearly singular or other roots are almost real.
n = size(pencil{3}, 1);
uncertain = 2;
if rcond(pencil{3}) > 1e-12
    lower = pencil{3}\[pencil{1}, pencil{2}];
    largest = max(abs(lower(:)));
    if largest < 1e10
        uncertain = double(~(largest < 1e6));
    end
    t = eig([zeros(n), eye(n); -lower]);
else
    t = eig([zeros(n), eye(n); -pencil{1}, -pencil{2}], [eye(n), zeros(n); zeros(n), pencil{3}]);
end
t = t(isfinite(t));
if kind
    t = t(abs(t) > 1e-5);
end
sizes = abs(imag(t))./(1 + abs(t).^2);
if any(sizes >= limit & sizes < 0.03)
    uncertain = max(uncertain, 1);
end
halves = sort(atan2(1, real(t(sizes < limit))));
end

function vectors = chain_vectors(matrix)
% Null vectors that are vectors of monomials. Solutions that have the same value of the pivot are separated by the
% eigenvectors of multiplication by y + 0.37 z in the null space.
n = size(matrix, 1);
last = n/4;
[~, sizes, basis] = svd(matrix);
sizes = diag(sizes);
count = min(max(sum(sizes < 1e-6*sizes(1)), 1), 4);
vectors = basis(:, n-count+1:n);
if count == 1
    return
end
action = pinv(vectors(last+1:n, :))*vectors(1:n-last, :);
if last == 3
    high = mod(0:n-1, 3) < 2;
    low = mod(0:n-1, 3) > 0;
    action = action + 0.37*(pinv(vectors(low, :))*vectors(high, :));
end
[directions, factors] = eig(action);
factors = diag(factors);
kept = abs(imag(factors)) < 1e-2*(1 + abs(factors));
vectors = real(vectors*directions(:, kept));
end

function value = chain_ratio(kind, high, low)
% The variable x with high = x low, as a joint value.
top = sum(high(:).*low(:));
bottom = sum(low(:).*low(:));
if ~kind
    value = 2*atan2(top, bottom);
elseif bottom > 0
    value = top/bottom;
else
    value = 0;
end
end

function [error, jacobian, defect] = chain_errors(placements, kinds, q)
% Error twist, Jacobian and largest entry of |product - 1|.
chain = eye(4);
axes = zeros(3, 6);
points = zeros(3, 6);
for i = 1:6
    axes(:, i) = chain(1:3, 3);
    points(:, i) = chain(1:3, 4);
    chain = chain*chain_joint(kinds(i), q(i))*placements{i};
end
jacobian = zeros(6, 6);
for i = 1:6
    if kinds(i)
        jacobian(1:3, i) = axes(:, i);
    else
        jacobian(:, i) = [cross(axes(:, i), chain(1:3, 4) - points(:, i)); axes(:, i)];
    end
end
error = [chain(1:3, 4); [chain(3, 2) - chain(2, 3); chain(1, 3) - chain(3, 1); chain(2, 1) - chain(1, 2)]/2];
defect = max(max(abs(chain - eye(4))));
end

function [best, weak] = chain_polish(placements, kinds, q)
% The best of Newton's iterates from q, angles in (-pi, pi], and its defect; whether the Jacobian is nearly singular. A
% step is damped if an angle would change too much.
best = [q, 1e30];
turning = kinds == 0;
settled = false;
weak = true;
for tries = 1:40
    if any(~isfinite(q))
        break
    end
    q(turning) = pi - mod(pi - q(turning), 2*pi);
    [error, jacobian, defect] = chain_errors(placements, kinds, q);
    if defect < best(7)
        best = [q, defect];
    end
    if settled || ~(defect < 1e30)
        break
    end
    damped = ~(rcond(jacobian) > 1e-14);
    if ~damped
        steps = jacobian\[error, [-1; 1; -1; 1; -1; 1]];
        step = steps(:, 1).';
        damped = any(abs(step(kinds == 0)) >= 0.5);
        weak = damped || ~all(abs(steps(:, 2)) < 1e3); % two solutions nearly meet
    end
    if damped
        weak = true;
        weight = sqrt(min(max(defect, 1e-12), 1e-6));
        step = ([jacobian; weight*eye(6)]\[error; zeros(6, 1)]).';
    end
    q = q - step;
    settled = ~damped && max(abs(step)) < 1e-8;
end
end

function table = chain_split(placements, kinds, q, table)
% Add the solutions next to a posture q. Along the direction v in which the error of the loop grows least, it is the
% parabola c + b s + a s^2 / 2: Newton's method starts at both roots s.
h = 1e-3; % step of the difference quotient for a
[c, jacobian] = chain_errors(placements, kinds, q);
if ~all(isfinite(jacobian(:)))
    return
end
[left, sizes, right] = svd(jacobian);
u = left(:, 6).';
v = right(:, 6).';
b = sizes(6, 6);
c = u*c;
a = (u*chain_errors(placements, kinds, q - h*v) - 2*c + u*chain_errors(placements, kinds, q + h*v))/(h*h);
for side = [-1, 1]
    s = (side*sqrt(max(b*b - 2*a*c, 0)) - b)/a;
    if abs(s) < 0.5 % not too far for a parabola
        row = chain_polish(placements, kinds, q + s*v);
        if row(7) < 1e-10
            table = chain_insert(placements, kinds, row, table);
        end
    end
end
end

function table = chain_insert(placements, kinds, row, table)
% Insert a solution, unless it is already there: two rows are the same if the posture between them closes the loop as
% well as they do.
for k = 1:size(table, 1)
    gap = row(1:6) - table(k, 1:6);
    turning = kinds == 0;
    gap(turning) = gap(turning) - 2*pi*round(gap(turning)/(2*pi));
    if all(abs(gap) < 1e-5)
        [~, ~, defect] = chain_errors(placements, kinds, table(k, 1:6) + gap/2);
        if defect <= max([1e-14, row(7), table(k, 7)])
            return
        end
    end
end
if size(table, 1) == 16
    return
end
table = [table; row];
keys = table(:, 1:6);
for i = find(kinds == 0)
    low = keys(:, i) < 1e-6 - pi;
    keys(low, i) = keys(low, i) + 2*pi;
end
[~, order] = sortrows(round(keys/1e-6));
table = table(order, :);
end
