function [x, t, pair, none] = polynomials(a, k, k_2)
% polynomials: roots of polynomials
%
% Inputs
%   a (5): a1 a2 a3 a4 a5
%   k (5): k1 k2 k3 k4 k5
% Outputs
%   x (8)
%   t (12)
%   pair (8)
%   none (12)
% Parameters
%   p (1): m
% Constants, computed once from the parameters by polynomials_setup
%   k_2 (1): m
%
% Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
% Made by symoro VERSION

if numel(a) ~= 5 || ~isvector(a)
    error('symoro:size', 'a must be 5 x 1, got [%d %d], %d entries', size(a, 1), size(a, 2), numel(a));
end
if numel(k) ~= 5 || ~isvector(k)
    error('symoro:size', 'k must be 5 x 1, got [%d %d], %d entries', size(k, 1), size(k, 2), numel(k));
end
if ~isa(k_2, 'double') || numel(k_2) ~= 1
    error('symoro:size', 'k_2 must be 1 x 1 double, got [%d %d], %d entries of class %s', size(k_2, 1), ...
        size(k_2, 2), numel(k_2), class(k_2));
end
a1 = double(a(1));
a2 = double(a(2));
a3 = double(a(3));
a4 = double(a(4));
a5 = double(a(5));
k1 = double(k(1));
k2 = double(k(2));
k3 = double(k(3));
k4 = double(k(4));
k5 = double(k(5));
m = k_2(1);
quartic1_1 = [a1 + m, a2, -a3, a4, a5];
quartic1 = quartic_(8, quartic1_1);
circle2_1 = [0.25*k1, k2, k3 + m, -k4, k5];
circle2 = circle_(12, circle2_1);
quartic3_1 = [0, 0, 1, k1, quartic1(5) - 3];
quartic3 = quartic_(8, quartic3_1);
circle4_1 = [m, 0, 0, 0, 0];
circle4 = circle_(12, circle4_1);
x = zeros(8, 1);
t = zeros(12, 1);
pair = zeros(8, 1);
none = zeros(12, 1);
x(1) = quartic1(1);
x(2) = quartic1(2);
x(3) = quartic1(3);
x(4) = quartic1(4);
x(5) = quartic1(5);
x(6) = quartic1(6);
x(7) = quartic1(7);
x(8) = quartic1(8);
t(1) = circle2(1);
t(2) = circle2(2);
t(3) = circle2(3);
t(4) = circle2(4);
t(5) = circle2(5);
t(6) = circle2(6);
t(7) = circle2(7);
t(8) = circle2(8);
t(9) = circle2(9);
t(10) = circle2(10);
t(11) = circle2(11);
t(12) = circle2(12);
pair(1) = quartic3(1);
pair(2) = quartic3(2);
pair(3) = quartic3(3);
pair(4) = quartic3(4);
pair(5) = quartic3(5);
pair(6) = quartic3(6);
pair(7) = quartic3(7);
pair(8) = quartic3(8);
none(1) = circle4(1);
none(2) = circle4(2);
none(3) = circle4(3);
none(4) = circle4(4);
none(5) = circle4(5);
none(6) = circle4(6);
none(7) = circle4(7);
none(8) = circle4(8);
none(9) = circle4(9);
none(10) = circle4(10);
none(11) = circle4(11);
none(12) = circle4(12);
end

function slots = circle_(~, k)
% The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects.
% A defect is 0 for a real angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. exp(it) is a root of a
% quartic; those on the unit circle are refined by Newton's method on the equation itself.
slots = [zeros(4, 1); ones(8, 1)];
k = k(:).'/max(abs(k));
if ~all(isfinite(k))
    return
end
quartic = [k(4) - 1i*k(5), k(2) - 1i*k(3), 2*k(1), k(2) + 1i*k(3), k(4) + 1i*k(5)];
quartic(abs(quartic) < 1e-60) = 0; % roots that large are none, and the companion matrix might overflow
z = roots(quartic);
z = z(abs(z) > 1e-6 & abs(z) < 1e6);
t = angle(z);
defect = 1 - min(abs(z), 1./abs(z));
near = t;
value = @(t) k(1) + k(2)*cos(t) + k(3)*sin(t) + k(4)*cos(2*t) + k(5)*sin(2*t);
for m = 1:3
    slope = k(3)*cos(near) - k(2)*sin(near) + 2*(k(5)*cos(2*near) - k(4)*sin(2*near));
    next = near - value(near)./slope;
    better = abs(value(next)) < abs(value(near));
    near(better) = next(better);
end
on_circle = defect < 1e-3 & abs(value(near)) < 1e-14; % the equation holds up to round-off
t(on_circle) = near(on_circle);
defect(on_circle) = 0;
t = atan2(sin(t), cos(t));
t(t < 1e-15 - pi) = pi; % pi must not become -pi because of round-off
[t, order] = sort(t);
count = numel(t);
s = sin(t);
s(abs(t) > 3 & abs(s) < 1e-15) = 0;
slots(1:count) = s;
slots(5:4 + count) = cos(t);
slots(9:8 + count) = defect(order);
end

function slots = quartic_(~, a)
% The real roots of a1 x^4 + a2 x^3 + a3 x^2 + a4 x + a5 = 0: 4 roots, ascending, and 4 defects. A defect is
% 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. Leading coefficients
% below the round-off of the others, at the roots without them or at 1, are ignored.
slots = [zeros(4, 1); ones(4, 1)];
a = a(:)/max(abs(a));
if ~all(isfinite(a)) || ~any(a(1:4))
    return
end
logs = log(abs(a(5:-1:1))); % lowest power first
powers = (0:4).';
degree = find(a(5:-1:1), 1, 'last') - 1;
for d = 1:degree - 1
    weights = logs + powers*max(max((logs(1:d) - logs(d + 1))./(d - powers(1:d))), 0);
    if isfinite(logs(d + 1)) && max(weights(d + 2:5)) < max(weights(1:d + 1)) - 34.5
        degree = d;
        break
    end
end
least = find(a(5:-1:1), 1) - 1;
unit = 0; % logarithm of the unit of x in which the first and the last coefficient are of one size
if degree > least
    unit = (logs(least + 1) - logs(degree + 1))/(degree - least);
end
logs = logs + powers*unit;
b = sign(a(5:-1:1)).*exp(logs - max(logs(1:degree + 1)));
b = b(degree + 1:-1:1);
x = roots(b);
real_x = real(x);
for j = 1:numel(x)
    if abs(imag(x(j))) < 1e-3*abs(x(j))
        [near, closed] = quartic_polish_(b, real_x(j));
        if closed
            x(j) = near;
        end
    end
end
x = x*exp(unit);
x = x(isfinite(x));
defect = abs(imag(x))./(1 + abs(x));
[sorted, order] = sort(real(x));
slots(1:numel(x)) = sorted + 0;
slots(5:4 + numel(x)) = defect(order);
end

function [x, closed] = quartic_polish_(b, x)
% Newton's method for a root of a polynomial; whether the polynomial is zero there up to round-off. A large root is
% refined as 1/x, which cannot overflow.
inverse = abs(x) > 1;
if inverse
    b = b(end:-1:1);
    x = 1/x;
end
for m = 1:3
    next = x - polyval(b, x)/polyval(polyder(b), x);
    if abs(polyval(b, next)) < abs(polyval(b, x))
        x = next;
    end
end
closed = abs(polyval(b, x)) <= 1e-14*polyval(abs(b), abs(x));
if inverse
    x = 1/x;
end
end
