function k = solver_setup(p)
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
% Made by symoro VERSION

if isstruct(p)
    p = [p.m];
end
if numel(p) ~= 1
    error('p must be 1 x 1, got %s', mat2str(size(p)));
end
p = double(p);
m = p(1);
k = zeros(1, 1);
k(1) = m;
end
