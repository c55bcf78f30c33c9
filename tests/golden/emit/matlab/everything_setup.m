function k_2 = everything_setup(p)
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
% MATLAB Coder: codegen everything_setup -args {zeros(11,1)}
% Made by symoro VERSION

%#codegen

if isstruct(p)
    k_2 = everything_setup([p.D3; p.d3; p.end_2; p.double_2; p.x_a; p.E; p.k_3; p.function_2; p.t2; ...
        p.x_y; p.xY]);
    return
end
if numel(p) ~= 11 || ~isvector(p)
    error('symoro:size', 'p must be 11 x 1, got [%d %d], %d entries', size(p, 1), size(p, 2), numel(p));
end
D3 = double(p(1));
d3 = double(p(2));
end_2 = double(p(3));
double_2 = double(p(4));
x_a = double(p(5));
E = double(p(6));
k_3 = double(p(7));
function_2 = double(p(8));
t2 = double(p(9));
x_y = double(p(10));
xY = double(p(11));
while_2 = D3*d3 + end_2/double_2;
MXR = -(k_3 + x_a*E);
k1 = function_2*while_2 - MXR;
k2 = xY - t2*x_y;
k_2 = zeros(7, 1);
k_2(1) = D3;
k_2(2) = d3;
k_2(3) = end_2;
k_2(4) = while_2;
k_2(5) = MXR;
k_2(6) = k1;
k_2(7) = k2;
end
