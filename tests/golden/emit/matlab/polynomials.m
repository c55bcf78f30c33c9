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
% Constants, made once from the parameters by polynomials_setup
%   k_2 (1): m
%
% Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
% Made by symoro VERSION

if numel(a) ~= 5 || ~isvector(a)
    error('a must be 5 x 1, got %s', mat2str(size(a)));
end
a = double(a);
if numel(k) ~= 5 || ~isvector(k)
    error('k must be 5 x 1, got %s', mat2str(size(k)));
end
k = double(k);
if numel(k_2) ~= 1
    error('k_2 must be 1 x 1, got %s', mat2str(size(k_2)));
end
k_2 = double(k_2);
a1 = a(1);
a2 = a(2);
a3 = a(3);
a4 = a(4);
a5 = a(5);
k1 = k(1);
k2 = k(2);
k3 = k(3);
k4 = k(4);
k5 = k(5);
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
% A defect is 0 for an angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With x = tan(u/2),
% t = u + turn, the equation is a quartic whose leading coefficient is the largest of eight values of the
% left side; Ferrari splits it into two quadratics; Newton's method on the equation itself ends.
slots = [zeros(4, 1); ones(8, 1)];
k = k(:)/max(abs(k));
if ~all(isfinite(k))
    return
end
turns = (0:7)*pi/4;
there = k(1) + k(2)*cos(turns) + k(3)*sin(turns) + k(4)*cos(2*turns) + k(5)*sin(2*turns);
[~, at] = max(abs(there));
ct = -cos(turns(at));
st = -sin(turns(at));
c2 = cos(2*turns(at));
s2 = sin(2*turns(at));
a = k(2)*ct + k(3)*st;
b = k(3)*ct - k(2)*st;
g = k(4)*c2 + k(5)*s2;
h = k(5)*c2 - k(4)*s2;
lead = k(1) - a + g;
a2 = (2*k(1) - 6*g)/lead;
a1 = (2*b + 4*h)/lead;
a0 = (k(1) + a + g)/lead;
% y = x + e: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2), of v and w2 - w1 the larger one is a
% square root, the other q over it.
e = (b/2 - h)/lead;
p = a2 - 6*e^2;
q = a1 - 2*e*(a2 - 4*e^2);
r = a0 - e*(a1 - e*(a2 - 3*e^2));
z = circle_resolvent_(p, q, r);
gap = (p + z)^2 - 4*r;
v = 0;
difference = 0;
if z^2 >= gap
    if z > 0
        v = sqrt(z);
        difference = q/v;
    end
else
    difference = sqrt(gap);
    if q < 0
        difference = -difference;
    end
    v = q/difference;
end
inside = v^2/4 - (p + z)/2 + [difference; -difference]/2;
reach = sqrt(max(inside, 0));
y = sqrt(max(-inside, 0));
x = [-v; v]/2 - e;
x = [x - reach; x + reach];
y = [y; y];
% exp(iu) = (1 + i(x + iy))/(1 - i(x + iy))
squared = 4*y./((1 + y).^2 + x.^2);
defect = squared./(1 + sqrt(1 - squared));
su = 2*x;
cu = 1 - x.^2 - y.^2;
scale = max(sqrt(su.^2 + cu.^2), realmin);
s = (su*ct + cu*st)./scale;
c = (cu*ct - su*st)./scale;
[left, slope] = circle_left_(k, s, c);
for m = 1:2
    step = -left./slope;
    s1 = (s + c.*step)./sqrt(1 + step.^2);
    c1 = (c - s.*step)./sqrt(1 + step.^2);
    [left1, slope1] = circle_left_(k, s1, c1);
    better = defect == 0 & abs(left1) < abs(left);
    s(better) = s1(better);
    c(better) = c1(better);
    left(better) = left1(better);
    slope(better) = slope1(better);
end
empty = ~(defect < 0.999999 & s.^2 + c.^2 > 0.5);
s(empty | (c < 0 & abs(s) < 1e-15)) = 0; % pi is not -pi, whatever the round-off
c(empty) = 1;
defect(empty) = 1;
d = s./(abs(s) + abs(c));
key = d;
key(c < 0 & s >= 0) = 2 - d(c < 0 & s >= 0);
key(c < 0 & s < 0) = -2 - d(c < 0 & s < 0);
key(empty) = 3;
[~, order] = sort(key);
slots = [s(order); c(order); defect(order)];
end

function z = circle_resolvent_(p, q, r)
% The largest root of z^3 + 2p z^2 + (p^2 - 4r) z - q^2, which is not negative.
big = (p^2 + 12*r)/9;
odd = p*(4*r/3 - p^2/27) - q^2/2;
rest = odd^2 - big^3;
if rest < 0
    angle = acos(max(-1, min(1, odd/sqrt(big^3))));
    z = -2*sqrt(big)*cos((angle + 2*pi)/3);
else
    root = (abs(odd) + sqrt(rest))^(1/3);
    z = 0;
    if root > 0
        z = root + big/root;
    end
    if odd > 0
        z = -z;
    end
end
z = max(z - 2*p/3, 0);
end

function [left, slope] = circle_left_(k, s, c)
% k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t and its derivative.
c2 = (c - s).*(c + s);
s2 = 2*s.*c;
left = k(1) + k(2)*c + k(3)*s + k(4)*c2 + k(5)*s2;
slope = k(3)*c - k(2)*s + 2*(k(5)*c2 - k(4)*s2);
end

function roots = quartic_(~, a)
% The real roots of a1 x^4 + a2 x^3 + a3 x^2 + a4 x + a5 = 0: 4 roots, ascending, and 4 defects. A defect is
% 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. With
% x = unit*tan(t/2) the roots are angles t.
roots = [zeros(4, 1); ones(4, 1)];
b = a(end:-1:1);
b = b(:)/max(abs(b));
if ~all(isfinite(b))
    return
end
[b, degree, unit] = quartic_unit_(b);
b = b.*[1/unit/unit; 1/unit; 1; unit; unit*unit];
b = b/max(abs(b));
back = b(5:-1:1);
twice = (b(1) + b(5) - b(3))/8;
angles = circle_(12, [(b(1) + b(5))/2 - twice; (b(1) - b(5))/2; (b(4) + b(2))/4; twice; (b(2) - b(4))/8]);
s = angles(1:4);
c = angles(5:8);
defect = angles(9:12);
% |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect
below = 1 + c;
below(c < 0) = s(c < 0).^2./(1 - c(c < 0));
below = defect.^2 + 2*(1 - defect).*below;
x = 2*(1 - defect).*s./max(below, realmin);
for j = 1:4
    if defect(j) == 0 && c(j) < 0 % large roots are polished as 1/x, which cannot overflow
        x(j) = 1/quartic_polish_(back, s(j)/(1 - c(j)));
    elseif defect(j) == 0
        x(j) = quartic_polish_(b, s(j)/(1 + c(j)));
    end
end
x = unit*x;
imaginary = unit*defect.*(2 - defect)./max(below, realmin);
defect = imaginary./(1 + sqrt(x.^2 + imaginary.^2));
empty = ~(defect <= 1) | isinf(x);
[~, nearest] = sort(below);
empty(nearest(1:4 - degree)) = true; % the roots next to infinity are those that a lower degree lacks
x(empty) = Inf;
defect(empty) = 1;
[x, order] = sort(x);
x(isinf(x)) = 0;
roots = [x + 0; defect(order)];
end

function [a, degree, unit] = quartic_unit_(a)
% The unit of x in which the middle roots are about 1, of a, lowest first. Above the degree, a becomes zero.
logs = max(log(abs(a)), -1e4);
degree = quartic_degree_(a, logs);
least = find(a ~= 0, 1) - 1;
a(degree + 2:5) = 0;
logs(degree + 2:5) = -1e4;
unit = 1;
if degree > least
    sizes = quartic_sizes_(logs);
    small = sizes(floor((least + degree - 1)/2) + 1);
    large = sizes(floor((least + degree)/2) + 1);
    middle = (small + large)/2;
    if large - small >= 60 && -small > large
        middle = large;
    elseif large - small >= 60
        middle = small;
    end
    unit = exp(max(-170, min(170, middle)));
end
end

function degree = quartic_degree_(a, logs)
% The degree without the leading coefficients that are lost in the round-off of the others, at the roots without
% them or at 1.
degree = find(a ~= 0, 1, 'last') - 1;
powers = (0:4).';
for d = 1:degree-1
    weights = logs + powers*max(max((logs(1:d) - logs(d+1))./(d - powers(1:d))), 0);
    if a(d+1) ~= 0 && max(weights(d+2:5)) < max(weights(1:d+1)) - 34.5
        degree = d;
        return
    end
end
end

function sizes = quartic_sizes_(logs)
% Logarithms of the sizes of the roots, ascending, by the Newton polygon of the coefficients' logarithms.
hull = logs;
for m = 2:4
    for i = 1:m-1
        for j = m+1:5
            hull(m) = max(hull(m), (logs(i)*(j - m) + logs(j)*(m - i))/(j - i));
        end
    end
end
sizes = hull(1:4) - hull(2:5);
end

function x = quartic_polish_(f, x)
% Newton's method on f1 + f2 x + ... + f5 x^4, as long as it gets nearer to zero.
left = (((f(5)*x + f(4))*x + f(3))*x + f(2))*x + f(1);
for m = 1:2
    x1 = x - left/(((4*f(5)*x + 3*f(4))*x + 2*f(3))*x + f(2));
    left1 = (((f(5)*x1 + f(4))*x1 + f(3))*x1 + f(2))*x1 + f(1);
    if ~(abs(left1) < abs(left))
        break
    end
    x = x1;
    left = left1;
end
end
