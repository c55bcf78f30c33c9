function [t, k, Q, r, last] = everything(q, T, n, unused, k_2)
% everything: every operation, and names that collide
%
% Inputs
%   q (3), joint positions: q1 q2 q3
%   T (2, 2), by rows: T11 T12 T21 T22
%   n (scalar): lambda
%   unused (2): unused1 unused2
% Outputs
%   t (2, 3), a matrix
%   k (scalar)
%   Q (6)
%   r (9)
%   last (2, 2, 2)
% Parameters
%   p (11): D3 d3 end double _a E k function t2 x_y xY
% Constants, computed once from the parameters by everything_setup
%   k_2 (7): D3 d3 end_2 while_2 MXR k1 k2
%
% Operations per call: 20 x, 18 +, 2 /, 10 functions, 23 others; once: 4 x, 4 +, 1 /
% MATLAB Coder: codegen everything -args {zeros(3,1), zeros(2,2), zeros(1), zeros(2,1),
%     zeros(7,1)}
% Made by symoro VERSION

%#codegen

if numel(q) ~= 3 || ~isvector(q)
    error('symoro:size', 'q must be 3 x 1, got [%d %d], %d entries', size(q, 1), size(q, 2), numel(q));
end
if size(T, 1) ~= 2 || size(T, 2) ~= 2 || numel(T) ~= 4
    error('symoro:size', 'T must be 2 x 2, got [%d %d], %d entries', size(T, 1), size(T, 2), numel(T));
end
if numel(n) ~= 1
    error('symoro:size', 'n must be 1 x 1, got [%d %d], %d entries', size(n, 1), size(n, 2), numel(n));
end
if numel(unused) ~= 2 || ~isvector(unused)
    error('symoro:size', 'unused must be 2 x 1, got [%d %d], %d entries', size(unused, 1), size(unused, ...
        2), numel(unused));
end
if ~isa(k_2, 'double') || numel(k_2) ~= 7 || ~isvector(k_2)
    error('symoro:size', 'k_2 must be 7 x 1 double, got [%d %d], %d entries of class %s', size(k_2, 1), ...
        size(k_2, 2), numel(k_2), class(k_2));
end
q1 = double(q(1));
q2 = double(q(2));
q3 = double(q(3));
T11 = double(T(1, 1));
T12 = double(T(1, 2));
T21 = double(T(2, 1));
T22 = double(T(2, 2));
lambda = double(n);
D3 = k_2(1);
d3 = k_2(2);
end_2 = k_2(3);
while_2 = k_2(4);
MXR = k_2(5);
k1 = k_2(6);
k2 = k_2(7);
C1 = cos(q1);
S1 = sin(q1);
C2 = cos(q2);
S2 = sin(q2);
t1 = C1*C2;
q1_2 = D3*t1 - d3*S1*S2;
class_2 = -(end_2 + q3*q1_2);
t3 = select_(q1_2 < q3, 0.8660254037844386*q1_2, class_2 - q1_2);
t4 = double(T11 <= T22);
t5 = t3 - q1_2;
t = zeros(2, 3);
Q = zeros(6, 1);
r = zeros(9, 1);
last = zeros(2, 2, 2);
t(1, 1) = q1_2;
t(1, 2) = -t3;
t(1, 3) = 1;
t(2, 1) = -S1*t5;
t(2, 2) = t5;
t(2, 3) = C1*t5;
k = MXR;
Q(1) = k1*q1;
Q(2) = while_2;
Q(3) = D3;
Q(4) = q2;
Q(5) = -q3;
Q(6) = -k2;
r(1) = real_sqrt(1 + q1*q1)/(2 + S2);
r(2) = real_asin(S1*C2) - atan2(S1, C1) - real_acos(t1) + tan(0.25*q3) + exp(-q2);
r(3) = sign(q1)*abs(q2 - q3) + 5*sign(q2 - T11);
r(4) = 1e-12*(min(q1, -q2) - 1e-07*max(q3, T12) + 123456789012.0*min(S1, C2));
r(5) = select_(q2 == T11, q2, -q3);
r(6) = q1*t4 + select_(t4 ~= 0, T12, T21);
r(7) = lambda*lambda;
r(8) = -(q1 + lambda);
r(9) = 1.5707963267948966;
last(1, 1, 1) = class_2/(2 + C1);
last(1, 1, 2) = 0.8660254037844386;
last(1, 2, 1) = -0.8660254037844386;
last(1, 2, 2) = -0.6666666666666666;
last(2, 1, 1) = 0;
last(2, 1, 2) = -1;
last(2, 2, 1) = 0.1;
last(2, 2, 2) = 0.14285714285714285*T22;
end

function y = real_sqrt(x)
if x >= 0
    y = sqrt(x);
else
    y = NaN;
end
end

function y = real_asin(x)
if abs(x) <= 1
    y = asin(x);
else
    y = NaN;
end
end

function y = real_acos(x)
if abs(x) <= 1
    y = acos(x);
else
    y = NaN;
end
end

function y = select_(condition, a, b)
if condition
    y = a;
else
    y = b;
end
end
