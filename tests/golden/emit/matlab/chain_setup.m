function k = chain_setup(p)
% chain: positions of all frames
%
% Inputs
%   q (2): q1 q2
% Outputs
%   P (2, 3)
% Parameters
%   p (4): D1 R1 D2 R2
% Constants, computed once from the parameters by chain_setup
%   k (7): D1 R1 D2 k1 k2 k3 k4
%
% Operations per call: 3 x, 3 +, 2 functions; once: 4 x, 1 +
% MATLAB Coder: codegen chain_setup -args {zeros(4,1)}
% Made by symoro VERSION

%#codegen

if isstruct(p)
    k = chain_setup([p.D1; p.R1; p.D2; p.R2]);
    return
end
if numel(p) ~= 4 || ~isvector(p)
    error('symoro:size', 'p must be 4 x 1, got [%d %d], %d entries', size(p, 1), size(p, 2), numel(p));
end
D1 = double(p(1));
R1 = double(p(2));
D2 = double(p(3));
R2 = double(p(4));
k1 = 0.3*D2;
k2 = 0.95*R2;
k3 = 0.95*D2;
k4 = R1 + 0.3*R2;
k = zeros(7, 1);
k(1) = D1;
k(2) = R1;
k(3) = D2;
k(4) = k1;
k(5) = k2;
k(6) = k3;
k(7) = k4;
end
