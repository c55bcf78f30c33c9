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
% Made by symoro VERSION

if isstruct(p)
    p = [p.D1; p.R1; p.D2; p.R2];
end
if numel(p) ~= 4 || ~isvector(p)
    error('p must be 4 x 1, got %s', mat2str(size(p)));
end
p = double(p);
D1 = p(1);
R1 = p(2);
D2 = p(3);
R2 = p(4);
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
