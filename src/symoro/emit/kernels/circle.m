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
