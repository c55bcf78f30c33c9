function results = refine_(~, placements, target, marks, rows)
% Rows of joints, residual and status: those that are not quite solutions of K0 J1 K1 .. Jn Kn = T are made so by
% Newton's method, and are empty where another row holds the same. marks: n, tolerance, 12 times 1 where an entry is
% given, n times 1 (turns) or 2 (slides), negative backwards.
n = marks(1);
tolerance = marks(2);
turns = abs(reshape(marks(15:14 + n), 1, n)) < 1.5;
results = reshape(rows, n + 2, []).';
for k = 1:size(results, 1)
    residual = results(k, n + 1);
    status = results(k, n + 2);
    if ~(residual < 1e-2) || (residual <= 1e-3*tolerance && status ~= 1)
        continue
    end
    [q, least] = refine_row_(placements, target, marks, results(k, 1:n).');
    if ~(least <= tolerance)
        continue
    end
    valid = results(:, n + 2) == 0 | results(:, n + 2) == 2;
    valid(k) = false;
    apart = results(:, 1:n) - repmat(q.', size(results, 1), 1);
    apart(:, turns) = atan2(sin(apart(:, turns)), cos(apart(:, turns)));
    if any(valid & all(abs(apart) < 1e-5, 2))
        results(k, n + 2) = 3;
    else
        results(k, 1:n + 1) = [q.', least];
        results(k, n + 2) = 2*(status == 2);
    end
end
results = reshape(results.', [], 1);
end

function [q, least] = refine_row_(placements, target, marks, q)
% The best of Newton's iterates from q, angles in (-pi, pi], and its residual.
n = marks(1);
[miss, slopes] = refine_miss_(placements, target, marks, q);
least = max(abs(miss));
for tries = 1:10
    normal = slopes.'*slopes;
    normal = normal + 1e-14*max(diag(normal))*eye(n);
    right = slopes.'*miss;
    for c = 1:n
        for r = c + 1:n
            factor = normal(r, c)/normal(c, c);
            normal(r, c + 1:n) = normal(r, c + 1:n) - factor*normal(c, c + 1:n);
            right(r) = right(r) - factor*right(c);
        end
    end
    step = zeros(n, 1);
    for r = n:-1:1
        step(r) = (right(r) - normal(r, r + 1:n)*step(r + 1:n))/normal(r, r);
    end
    x = q - step;
    [miss, slopes] = refine_miss_(placements, target, marks, x);
    if ~(max(abs(miss)) < least) || any(isnan(miss))
        break
    end
    least = max(abs(miss));
    q = x;
end
turns = abs(marks(15:14 + n)) < 1.5;
q(turns) = atan2(sin(q(turns)), cos(q(turns)));
end

function [miss, slopes] = refine_miss_(placements, target, marks, q)
% The end of the chain K0 J1 K1 .. Jn Kn less the target, and its derivatives, in the entries that are given.
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
