function k_2 = polynomials_setup(p)
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
% MATLAB Coder: codegen polynomials_setup -args {zeros(1,1)}
% Made by symoro VERSION

%#codegen

if isstruct(p)
    k_2 = polynomials_setup([p.m]);
    return
end
if numel(p) ~= 1
    error('symoro:size', 'p must be 1 x 1, got [%d %d], %d entries', size(p, 1), size(p, 2), numel(p));
end
m = double(p(1));
k_2 = zeros(1, 1);
k_2(1) = m;
end
