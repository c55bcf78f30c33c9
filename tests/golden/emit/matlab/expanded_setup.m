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
% Made by symoro VERSION

if isstruct(p)
    p = [p.D3];
end
if numel(p) ~= 1
    error('p must be 1 x 1, got %s', mat2str(size(p)));
end
p = double(p);
D3 = p(1);
k1 = 1 + D3;
k = zeros(2, 1);
k(1) = D3;
k(2) = k1;
end
