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
% MATLAB Coder: codegen solver_setup -args {zeros(1,1)}
% Made by symoro VERSION

%#codegen

if isstruct(p)
    k = solver_setup([p.m]);
    return
end
if numel(p) ~= 1
    error('symoro:size', 'p must be 1 x 1, got [%d %d], %d entries', size(p, 1), size(p, 2), numel(p));
end
m = double(p(1));
k = zeros(1, 1);
k(1) = m;
end
