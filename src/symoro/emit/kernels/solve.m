function x = solve_(~, entries, right)
% Solve A x = b for A (n, n) by rows: elimination with partial pivoting.
n = numel(right);
a = reshape(entries, n, n).';
b = reshape(right, n, 1);
x = zeros(n, 1);
for c = 1:n
    [~, largest] = max(abs(a(c:n, c)));
    pivot = largest + c - 1;
    a([c, pivot], :) = a([pivot, c], :);
    b([c, pivot]) = b([pivot, c]);
    for r = c+1:n
        factor = a(r, c)/a(c, c);
        a(r, c+1:n) = a(r, c+1:n) - factor*a(c, c+1:n);
        b(r) = b(r) - factor*b(c);
    end
end
for r = n:-1:1
    x(r) = (b(r) - a(r, r+1:n)*x(r+1:n))/a(r, r);
end
end
