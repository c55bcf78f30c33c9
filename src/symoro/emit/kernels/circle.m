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
