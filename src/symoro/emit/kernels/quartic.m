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
