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
