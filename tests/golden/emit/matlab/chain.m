function [P] = chain(q, k)
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
% MATLAB Coder: codegen chain -args {zeros(2,1), zeros(7,1)}
% Made by symoro VERSION

%#codegen

if numel(q) ~= 2 || ~isvector(q)
    error('symoro:size', 'q must be 2 x 1, got [%d %d], %d entries', size(q, 1), size(q, 2), numel(q));
end
if ~isa(k, 'double') || numel(k) ~= 7 || ~isvector(k)
    error('symoro:size', 'k must be 7 x 1 double, got [%d %d], %d entries of class %s', size(k, 1), ...
        size(k, 2), numel(k), class(k));
end
q1 = double(q(1));
D1 = k(1);
R1 = k(2);
D2 = k(3);
k1 = k(4);
k2 = k(5);
k3 = k(6);
k4 = k(7);
C1 = cos(q1);
S1 = sin(q1);
% link 2: position
P2_1 = D1 + D2*C1;
P2_2 = k1*S1 - k2;
P2_3 = k3*S1 + k4;
P = zeros(2, 3);
P(1, 1) = D1;
P(1, 2) = 0;
P(1, 3) = R1;
P(2, 1) = P2_1;
P(2, 2) = P2_2;
P(2, 3) = P2_3;
end
