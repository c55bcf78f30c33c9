function [x, y] = solver(A, v, k)
% solver: linear systems
%
% Inputs
%   A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
%   v (4): v1 v2 v3 v4
% Outputs
%   x (4)
%   y (2)
% Parameters
%   p (1): m
% Constants, computed once from the parameters by solver_setup
%   k (1): m
%
% Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
% MATLAB Coder: codegen solver -args {zeros(4,4), zeros(4,1), zeros(1,1)}
% Made by symoro VERSION

%#codegen

if size(A, 1) ~= 4 || size(A, 2) ~= 4 || numel(A) ~= 16
    error('symoro:size', 'A must be 4 x 4, got [%d %d], %d entries', size(A, 1), size(A, 2), numel(A));
end
if numel(v) ~= 4 || ~isvector(v)
    error('symoro:size', 'v must be 4 x 1, got [%d %d], %d entries', size(v, 1), size(v, 2), numel(v));
end
if ~isa(k, 'double') || numel(k) ~= 1
    error('symoro:size', 'k must be 1 x 1 double, got [%d %d], %d entries of class %s', size(k, 1), ...
        size(k, 2), numel(k), class(k));
end
A2 = double(A(1, 2));
A3 = double(A(1, 3));
A4 = double(A(1, 4));
A5 = double(A(2, 1));
A6 = double(A(2, 2));
A7 = double(A(2, 3));
A8 = double(A(2, 4));
A9 = double(A(3, 1));
A10 = double(A(3, 2));
A11 = double(A(3, 3));
A12 = double(A(3, 4));
A13 = double(A(4, 1));
A14 = double(A(4, 2));
A15 = double(A(4, 3));
A16 = double(A(4, 4));
v1 = double(v(1));
v2 = double(v(2));
v3 = double(v(3));
v4 = double(v(4));
m = k(1);
solve1_1 = [0, A2 + m, A3, A4, A5 + m, A6, A7 + m, A8, A9, A10 + m, A11, A12 + m, A13, A14, A15 + m, A16];
solve1_2 = [-v1, v2, v3, v4];
solve1 = solve_(4, solve1_1, solve1_2);
solve2_1 = [solve1(1) + 3, 1, 0, solve1(2) - 2];
solve2_2 = [v1*solve1(4), 5];
solve2 = solve_(2, solve2_1, solve2_2);
x = zeros(4, 1);
y = zeros(2, 1);
x(1) = solve1(1);
x(2) = solve1(2);
x(3) = solve1(3);
x(4) = solve1(4);
y(1) = solve2(1)*solve2(1);
y(2) = -solve2(2);
end

function x = solve_(~, entries, right)
% Solve A x = b for A (n, n) by rows: elimination with partial pivoting.
n = numel(right);
a = reshape(entries, n, n).';
b = reshape(right, n, 1);
x = zeros(n, 1);
for c = 1:n
    [~, largest] = max(abs(a(c:n, c)));
    pivot = largest + c - 1;
    a([c, pivot], :) = a([pivot, c], :);
    b([c, pivot]) = b([pivot, c]);
    for r = c+1:n
        factor = a(r, c)/a(c, c);
        a(r, c+1:n) = a(r, c+1:n) - factor*a(c, c+1:n);
        b(r) = b(r) - factor*b(c);
    end
end
for r = n:-1:1
    x(r) = (b(r) - a(r, r+1:n)*x(r+1:n))/a(r, r);
end
end
