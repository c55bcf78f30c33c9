function results = refine_(~, placements, target, marks, rows)
% Rows of joints, residual and status: those that are approximate solutions of K0 J1 K1 .. Jn Kn = T are refined
% by Newton's method, and become empty if another row contains the same solution. marks: n, tolerance, 12 flags (1:
% entry given), n joint types: 1 revolute, 2 prismatic, negative for the reverse direction.
n = marks(1);
results = reshape(rows, n + 2, []).';
for k = 1:size(results, 1)
    residual = results(k, n + 1);
    if residual < 1e-2 && (residual > 1e-3*marks(2) || results(k, n + 2) == 1)
        results(k, :) = refine_one_(placements, target, marks, results, k);
    end
end
results = reshape(results.', [], 1);
end

function row = refine_one_(placements, target, marks, rows, k)
% One row. If Newton's method stops between two solutions that almost coincide, or at one that another row
% contains, it is started again on both sides along the direction in which the chain moves least.
n = marks(1);
fine = 1e-3*marks(2);
row = rows(k, :);
[q, least] = refine_row_(placements, target, marks, row(1:n).');
again = least <= marks(2) && refine_again_(marks, rows, k, q);
if again || ~(least <= fine)
    [way, weak] = refine_weak_(placements, target, marks, q);
    aside = 10*sqrt(least);
    if least <= fine
        aside = 10*sqrt(row(n + 1));
    end
    for side = [-1, 1]
        if ~weak
            break
        end
        [x, most] = refine_row_(placements, target, marks, q + side*aside*way);
        if most <= fine && ~refine_again_(marks, rows, k, x)
            q = x;
            least = most;
            again = false;
            break
        end
    end
end
if again
    row(n + 2) = 3;
elseif least <= marks(2)
    turns = abs(marks(15:14 + n)) < 1.5;
    q(turns) = atan2(sin(q(turns)), cos(q(turns)));
    row = [q.', least, 2*(row(n + 2) == 2)];
end
end

function again = refine_again_(marks, rows, k, q)
% Whether a valid row other than k contains the joint values q.
n = marks(1);
turns = abs(marks(15:14 + n)) < 1.5;
valid = rows(:, n + 2) == 0 | rows(:, n + 2) == 2;
valid(k) = false;
apart = rows(:, 1:n) - repmat(q.', size(rows, 1), 1);
apart(:, turns) = atan2(sin(apart(:, turns)), cos(apart(:, turns)));
again = any(valid & all(abs(apart) < 1e-5, 2));
end

function x = refine_solve_(slopes, x)
% (J'J + damping) x = right, for the derivatives J, with little damping. x first contains the right side.
n = size(slopes, 2);
a = slopes.'*slopes;
a = a + 1e-14*max(diag(a))*eye(n);
for c = 1:n
    for r = c + 1:n
        factor = a(r, c)/a(c, c);
        a(r, c + 1:n) = a(r, c + 1:n) - factor*a(c, c + 1:n);
        x(r) = x(r) - factor*x(c);
    end
end
for r = n:-1:1
    x(r) = (x(r) - a(r, r + 1:n)*x(r + 1:n))/a(r, r);
end
end

function [q, least] = refine_row_(placements, target, marks, q)
% The best of Newton's iterates from q, and its residual.
[miss, slopes] = refine_miss_(placements, target, marks, q);
least = max(abs(miss));
for tries = 1:15
    x = q - refine_solve_(slopes, slopes.'*miss);
    [miss, slopes] = refine_miss_(placements, target, marks, x);
    if ~(max(abs(miss)) < least) || any(isnan(miss))
        break
    end
    least = max(abs(miss));
    q = x;
end
end

function [way, weak] = refine_weak_(placements, target, marks, q)
% Direction in which the last frame moves least, by inverse iteration, and whether it moves little.
[~, slopes] = refine_miss_(placements, target, marks, q);
way = 1 + 0.1*(0:marks(1) - 1).';
for tries = 1:3
    way = refine_solve_(slopes, way);
    way = way/norm(way);
end
weak = sum((slopes*way).^2) < 1e-3*max(sum(slopes.^2, 1));
end

function [miss, slopes] = refine_miss_(placements, target, marks, q)
% Last frame of the chain K0 J1 K1 .. Jn Kn minus the target, and its derivatives, in the given entries.
n = marks(1);
given = marks(3:14) > 0.5;
parts = reshape(placements, 4, 3, n + 1);
t = parts(:, :, 1).';
axes = zeros(3, n);
points = zeros(3, n);
for i = 1:n
    way = sign(marks(14 + i));
    axes(:, i) = way*t(:, 3);
    points(:, i) = t(:, 4);
    if abs(marks(14 + i)) > 1.5
        t(:, 4) = t(:, 4) + q(i)*axes(:, i);
    else
        c = cos(q(i));
        s = way*sin(q(i));
        t(:, 1:2) = [c*t(:, 1) + s*t(:, 2), c*t(:, 2) - s*t(:, 1)];
    end
    b = parts(:, :, i + 1).';
    t = [t(:, 1:3)*b(:, 1:3), t(:, 1:3)*b(:, 4) + t(:, 4)];
end
miss = reshape(t.', 12, 1) - target(:);
miss = miss(given);
slopes = zeros(12, n);
for i = 1:n
    moved = zeros(3, 4);
    if abs(marks(14 + i)) > 1.5
        moved(:, 4) = axes(:, i);
    else
        z = axes(:, i);
        moved = [0, -z(3), z(2); z(3), 0, -z(1); -z(2), z(1), 0]*[t(:, 1:3), t(:, 4) - points(:, i)];
    end
    slopes(:, i) = reshape(moved.', 12, 1);
end
slopes = slopes(given, :);
end
