function [P] = expanded(q, k)
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
% MATLAB Coder: codegen expanded -args {zeros(3,1), zeros(2,1)}
% Made by symoro VERSION

%#codegen

if numel(q) ~= 3 || ~isvector(q)
    error('symoro:size', 'q must be 3 x 1, got [%d %d], %d entries', size(q, 1), size(q, 2), numel(q));
end
if ~isa(k, 'double') || numel(k) ~= 2 || ~isvector(k)
    error('symoro:size', 'k must be 2 x 1 double, got [%d %d], %d entries of class %s', size(k, 1), ...
        size(k, 2), numel(k), class(k));
end
q1 = double(q(1));
q2 = double(q(2));
q3 = double(q(3));
D3 = k(1);
k1 = k(2);
C1 = cos(q1);
C2 = cos(q2);
C3 = cos(q3);
S1 = sin(q1);
S2 = sin(q2);
S3 = sin(q3);
P = zeros(3, 1);
P(1) = C1*(D3*C2 - C3*k1*S2);
P(2) = S1*(D3*C2 - C3*k1*S2);
P(3) = C3*k1*S2 - D3*C2 - C2*S3;
end
