function k = expanded_setup(p)
% expanded: position, expanded
%
% Inputs
%   q (3): q1 q2 q3
% Outputs
%   P (3)
% Parameters
%   p (1): D3
% Constants, computed once from the parameters by expanded_setup
%   k (2): D3 k1
%
% Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
% MATLAB Coder: codegen expanded_setup -args {zeros(1,1)}
% Made by symoro VERSION

%#codegen

if isstruct(p)
    k = expanded_setup([p.D3]);
    return
end
if numel(p) ~= 1
    error('symoro:size', 'p must be 1 x 1, got [%d %d], %d entries', size(p, 1), size(p, 2), numel(p));
end
D3 = double(p(1));
k1 = 1 + D3;
k = zeros(2, 1);
k(1) = D3;
k(2) = k1;
end
