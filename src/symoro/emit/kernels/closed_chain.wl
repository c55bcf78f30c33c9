(* All real solutions of prod_{i=1..6} J_i(q_i) C_i = 1, J = Rz (revolute) or Tz (prismatic): Raghavan and Roth 1993
   with the eigenvalues of Manocha and Canny 1994. See the documentation of the kernel closed_chain. *)
kernelClosedChain[n_, constants_, marks_, plan_] := Module[
    {numbers, kinds, given, scale, scaled, seen, table, usable, again, uncertain, decided, best, before, limit, tries, move,
        step, rows, q},
    numbers = N[Join[constants, marks, plan]];
    table = {};
    usable = VectorQ[numbers, NumberQ];
    If[usable,
        kinds = Map[If[# > 0.5, 1, 0] &, numbers[[73 ;; 78]]];
        given = Map[Append[Partition[#, 4], {0., 0., 0., 1.}] &, Partition[numbers[[1 ;; 72]], 12]];
        (* rotations except for rounding errors *)
        usable = Max[Map[Max[Abs[# . Transpose[#] - IdentityMatrix[3]]] &, given[[All, 1 ;; 3, 1 ;; 3]]]] < 0.1;
        scale = Max[Abs[Flatten[given[[All, 1 ;; 3, 4]]]]];
        scale = If[scale > 0, scale, 1.]];
    If[usable,
        scaled = Map[chainStraightened[#, scale] &, given];
        seen = scaled;
        q = {0., 0., 0., 0., 0., 0.};
        best = Append[q, chainErrors[scaled, kinds, q][[3]]]];
    decided = False;
    uncertain = 2;
    again = If[usable, 2, 0];
    (* If two solutions nearly coincide, or some may be missing (real ones come in pairs), another arrangement may be
       better conditioned. At a nearby pose on either side such roots are separate; they are then refined for the
       given pose. *)
    tries = 0;
    While[again > 0 && tries < 5,
        before = Length[table];
        If[tries > 2,
            move = {{0., 1., -0.7, 0.3}, {-1., 0., 0.4, -0.5}, {0.7, -0.4, 0., 0.6}, {0., 0., 0., 0.}};
            move = If[tries == 3, 0.00001, -0.00001]*move;
            seen = Append[Most[scaled], chainStraightened[Last[scaled] + move, 1.]]];
        step = numbers[[78 + 4*Mod[tries, 3] + {1, 2, 3, 4}]];
        limit = If[tries > 0 && before == 0, 0.03, 0.001];
        {table, best, again, uncertain} = chainTry[seen, scaled, kinds, step, limit, {table, best, again, uncertain}];
        decided = decided || (uncertain == 0 && tries < 3);
        If[again > 0, Do[table = chainSplit[scaled, kinds, Most[row], table], {row, table}]];
        If[again == 1 && tries > 0 && Length[table] == before && EvenQ[before], again = 0];
        tries = tries + 1];
    If[usable && table === {} && (! decided || best[[7]] < 10.^-6), table = {best}];
    rows = Table[
        If[k <= Length[table],
            q = Most[table[[k]]]*Map[If[# == 1, scale, 1.] &, kinds];
            Append[q, chainErrors[given, kinds, q][[3]]],
            {0., 0., 0., 0., 0., 0., 10.^30}],
        {k, 1, Quotient[n, 7]}];
    Flatten[rows]
];

(* Lengths divided by the scale; rotation matrices with rounding errors are orthonormalised by Newton's iteration for
   the polar factor. *)
chainStraightened[t_, scale_] := Module[
    {r},
    r = t[[1 ;; 3, 1 ;; 3]];
    Do[r = 1.5*r - 0.5*r . Transpose[r] . r, {3}];
    Append[Table[Append[r[[k]], t[[k, 4]]/scale], {k, 1, 3}], {0., 0., 0., 1.}]
];

chainInverse[t_] := Module[
    {r, p},
    r = Transpose[t[[1 ;; 3, 1 ;; 3]]];
    p = -r . t[[1 ;; 3, 4]];
    Append[Table[Append[r[[k]], p[[k]]], {k, 1, 3}], {0., 0., 0., 1.}]
];

chainJoint[kind_, value_] := If[kind == 1,
    {{1., 0., 0., 0.}, {0., 1., 0., 0.}, {0., 0., 1., value}, {0., 0., 0., 1.}},
    {{Cos[value], -Sin[value], 0., 0.}, {Sin[value], Cos[value], 0., 0.}, {0., 0., 1., 0.}, {0., 0., 0., 1.}}];

(* Functions that both sides have in common, of a product of transforms. *)
chainFunctions[slides_, t_] := Module[
    {l, p, cross, pp, pl},
    l = t[[1 ;; 3, 3]];
    p = t[[1 ;; 3, 4]];
    cross = Cross[p, l];
    pp = p . p;
    pl = p . l;
    If[slides,
        Append[Flatten[t[[1 ;; 3, 1 ;; 3]]], cross[[3]]],
        Join[p, l, {pp, pl}, cross, pp*l - 2*pl*p]]
];

(* Interpolation nodes of a variable; maps from values there to coefficients of (cos, sin, 1) or (r^2, r, 1),
   and to coefficients of (x^2, x, 1), x = tan(q/2) or r, times 1 + x^2 for an angle. *)
chainBases[kind_] := Module[
    {nodes, fit},
    If[kind == 1,
        nodes = {-1., 0., 1.};
        fit = {{0.5, -1., 0.5}, {-0.5, 0., 0.5}, {0., 1., 0.}};
        {nodes, fit, fit},
        nodes = N[{0, 2*Pi/3, 4*Pi/3}];
        fit = {Cos[nodes], Sin[nodes], {0.5, 0.5, 0.5}}*2/3;
        {nodes, fit, {{-1., 0., 1.}, {0., 2., 0.}, {1., 0., 1.}} . fit}]
];

(* The table, with the solutions added that one arrangement of the loop "seen" leads to, polished on the loop
   "placements"; the posture with the smallest defect; 2 if solutions may be missing, 1 if two of them nearly
   coincide; the uncertainty of the roots. *)
chainTry[seen_, placements_, allKinds_, step_, limit_, known_] := Module[
    {arrangement, order, kinds},
    arrangement = Floor[step[[1]]];
    order = Table[Mod[If[arrangement < 6, arrangement + i - 1, 18 - arrangement - i], 6] + 1, {i, 1, 6}];
    kinds = allKinds[[order]];
    If[0 <= arrangement < 12 && (kinds[[6]] == 0 || kinds[[3]] == 1),
        chainArranged[seen, placements, allKinds, arrangement, order, Rest[step], limit, known],
        known]
];

chainArranged[seen_, placements_, allKinds_, arrangement_, order_, moves_, limit_, known_] := Module[
    {roles, kinds, shifts, turn, slides, pencil, right, constant, pivot, halves, uncertain, inverse, failed, weak, near,
        table, best, s, c, vectors, values, grid, chain, m, q, row},
    shifts = Join[{0., 0.}, moves, {0.}];
    turn = DiagonalMatrix[{1., -1., -1., 1.}];
    kinds = allKinds[[order]];
    slides = kinds[[3]] == 1 && kinds[[6]] == 1;
    roles = If[arrangement < 6,
        seen[[order]],
        Map[turn . chainInverse[seen[[Mod[# + 4, 6] + 1]]] . turn &, order]];
    roles = Table[chainJoint[kinds[[i]], shifts[[i]]] . roles[[i]], {i, 1, 6}];
    {pencil, right, constant} = chainPencil[roles, kinds, slides];
    pivot = If[slides, 4, 3];
    {halves, uncertain} = chainRoots[pencil, kinds[[pivot]], limit];
    inverse = chainPseudoInverse[right, 10.^-9];
    {table, best} = Take[known, 2];
    failed = False;
    weak = False;
    Do[
        s = Sin[half];
        c = Cos[half];
        vectors = chainVectors[pencil[[1]]*(s*s) + pencil[[2]]*(s*c) + pencil[[3]]*(c*c)];
        Do[
            grid = Partition[vector, Length[vector]/4];
            values = {0., 0., 0., 0., 0., 0.};
            values[[pivot]] = If[kinds[[pivot]] == 1, Tan[half], 2*half];
            values[[pivot + 1]] = chainRatio[kinds[[pivot + 1]], grid[[1 ;; 3]], grid[[2 ;; 4]]];
            If[! slides, values[[5]] = chainRatio[kinds[[5]], grid[[All, 1 ;; 2]], grid[[All, 2 ;; 3]]]];
            chain = chainJoint[kinds[[3]], values[[3]]] . roles[[3]];
            chain = chain . chainJoint[kinds[[4]], values[[4]]] . roles[[4]];
            chain = chain . chainJoint[kinds[[5]], values[[5]]] . roles[[5]];
            m = inverse . (chainFunctions[slides, chain] - constant);
            values[[1]] = If[kinds[[1]] == 1, m[[6]], ArcTan[m[[3]], m[[6]]]];
            values[[2]] = If[kinds[[2]] == 1, m[[8]], ArcTan[m[[7]], m[[8]]]];
            If[! slides, (* otherwise Newton's first step computes both lengths, because they enter linearly *)
                chain = chainJoint[kinds[[2]], values[[2]]] . roles[[2]] . chain;
                chain = roles[[6]] . chainJoint[kinds[[1]], values[[1]]] . roles[[1]] . chain;
                values[[6]] = ArcTan[chain[[1, 1]], -chain[[2, 1]]]];
            q = Table[(values + shifts)[[First[First[Position[order, j]]]]], {j, 1, 6}];
            {row, near} = chainPolish[placements, allKinds, q];
            weak = weak || near;
            If[row[[7]] < best[[7]], best = row];
            If[row[[7]] < 10.^-10,
                table = chainInserted[placements, allKinds, row, table],
                failed = True;
                If[row[[7]] < 0.01, table = chainSplit[placements, allKinds, Most[row], table]]],
            {vector, vectors}],
        {half, halves}];
    If[uncertain > 1 || failed || OddQ[Length[table]] || (table === {} && uncertain > 0),
        {table, best, 2, uncertain},
        {table, best, If[weak, 1, 0], uncertain}]
];

(* The matrices of x^2, x and 1, and the right side without its constant. *)
chainPencil[roles_, kinds_, slides_] := Module[
    {bases, at, right, left, powers, constant, cancel, equations, last, gap, parts},
    bases = Map[chainBases, kinds[[1 ;; 5]]];
    at = Table[chainJoint[kinds[[i]], bases[[i, 1, k]]] . roles[[i]], {i, 1, 5}, {k, 1, 3}];
    right = Flatten[
        Table[chainFunctions[slides, chainInverse[roles[[6]] . at[[1, i]] . at[[2, j]]]], {i, 1, 3}, {j, 1, 3}], 1];
    left = If[slides,
        Flatten[Table[chainFunctions[slides, roles[[3]] . at[[4, i]] . at[[5, j]]], {i, 1, 3}, {j, 1, 3}], 1],
        Flatten[
            Table[chainFunctions[slides, at[[3, i]] . at[[4, j]] . at[[5, k]]], {i, 1, 3}, {j, 1, 3}, {k, 1, 3}], 2]];
    right = Transpose[KroneckerProduct[bases[[1, 2]], bases[[2, 2]]] . right];
    constant = right[[All, 9]];
    right = right[[All, 1 ;; 8]];
    powers = KroneckerProduct[bases[[4, 3]], bases[[5, 3]]];
    If[! slides, powers = KroneckerProduct[bases[[3, 3]], powers]];
    last = If[slides, 1, 3];
    (* The last left singular vectors are orthogonal to all columns, for any rank. *)
    cancel = Transpose[First[SingularValueDecomposition[PadRight[right, {Length[right], Length[right]}]]]];
    equations = cancel[[9 ;; 8 + 2*last]] . Transpose[powers . Map[# - constant &, left]];
    gap = ConstantArray[0., {2*last, last}];
    parts = Table[equations[[All, 3*last*(x - 1) + 1 ;; 3*last*x]], {x, 1, 3}];
    {Map[Join[MapThread[Join, {gap, #}], MapThread[Join, {#, gap}]] &, parts], right, constant}
];

(* Half angles of the roots, x = tan(half), that are real up to a limit, from the eigenvalues t = 1/x of a companion
   matrix; 2 if its leading matrix is singular, 1 if it is nearly singular or other roots are almost real. *)
chainRoots[pencil_, kind_, limit_] := Module[
    {n, sizes, lower, largest, companion, roots, t, nearly},
    n = Length[pencil[[3]]];
    sizes = Diagonal[SingularValueDecomposition[pencil[[3]]][[2]]];
    If[Min[sizes] > 10.^-15*Max[sizes],
        lower = Inverse[pencil[[3]]] . MapThread[Join, {pencil[[1]], pencil[[2]]}];
        largest = Max[Abs[Flatten[lower]]];
        companion = Join[MapThread[Join, {ConstantArray[0., {n, n}], N[IdentityMatrix[n]]}], -lower];
        roots = Select[Eigenvalues[companion], ! (kind == 1 && Abs[#] < 0.00001) &];
        t = Select[roots, Abs[Im[#]] < limit*(1 + Abs[#]^2) &];
        nearly = Length[Select[roots, Abs[Im[#]] < 0.03*(1 + Abs[#]^2) &]] > Length[t];
        {Sort[Map[ArcTan[Re[#], 1.] &, t]],
            If[largest < 10.^10, If[nearly || ! (largest < 10.^6), 1, 0], 2]},
        {{}, 2}]
];

(* Least-squares inverse; singular values that are small relative to the first count as zero. *)
chainPseudoInverse[matrix_, tolerance_] := Module[
    {u, sizes, v, count},
    {u, sizes, v} = SingularValueDecomposition[matrix];
    sizes = Diagonal[sizes];
    count = Length[sizes];
    sizes = Map[If[# > tolerance*First[sizes], 1/#, 0.] &, sizes];
    v[[All, 1 ;; count]] . DiagonalMatrix[sizes] . Transpose[u[[All, 1 ;; count]]]
];

(* Null vectors that are vectors of monomials. Solutions that have the same value of the pivot are separated by the
   eigenvectors of multiplication by y + 0.37 z in the null space. *)
chainVectors[matrix_] := Module[
    {n, sizes, v, count, space},
    n = Length[matrix];
    {sizes, v} = Rest[SingularValueDecomposition[matrix]];
    sizes = Diagonal[sizes];
    count = Min[4, Max[1, Count[sizes, size_ /; size < 10.^-6*First[sizes]]]];
    space = Map[Take[#, -count] &, v];
    If[count == 1, Transpose[space], chainSeparated[space, n, n/4]]
];

chainSeparated[space_, n_, last_] := Module[
    {action, high, low, values, directions},
    action = chainPseudoInverse[Drop[space, last], 10.^-14] . Drop[space, -last];
    If[last == 3,
        high = Select[Range[n], Mod[#, 3] != 0 &];
        low = Select[Range[n], Mod[#, 3] != 1 &];
        action = action + 0.37*chainPseudoInverse[space[[low]], 10.^-14] . space[[high]]];
    {values, directions} = Eigensystem[action];
    directions = Pick[directions, Map[Abs[Im[#]] < 0.01*(1 + Abs[#]) &, values]];
    Map[Re[space . #] &, directions]
];

(* The variable x with high = x low, as a joint value. *)
chainRatio[kind_, high_, low_] := Module[
    {top, bottom},
    top = Total[Flatten[high*low]];
    bottom = Total[Flatten[low*low]];
    If[kind == 0, 2*ArcTan[bottom, top], If[bottom > 0, top/bottom, 0.]]
];

(* Error twist, Jacobian and largest entry of |product - 1|. *)
chainErrors[placements_, kinds_, q_] := Module[
    {chain, axes, points, jacobian, turns},
    chain = N[IdentityMatrix[4]];
    axes = {};
    points = {};
    Do[
        axes = Append[axes, chain[[1 ;; 3, 3]]];
        points = Append[points, chain[[1 ;; 3, 4]]];
        chain = chain . chainJoint[kinds[[i]], q[[i]]] . placements[[i]],
        {i, 1, 6}];
    jacobian = Transpose[Table[
        If[kinds[[i]] == 1,
            Join[axes[[i]], {0., 0., 0.}],
            Join[Cross[axes[[i]], chain[[1 ;; 3, 4]] - points[[i]]], axes[[i]]]],
        {i, 1, 6}]];
    turns = {chain[[3, 2]] - chain[[2, 3]], chain[[1, 3]] - chain[[3, 1]], chain[[2, 1]] - chain[[1, 2]]};
    {Join[chain[[1 ;; 3, 4]], turns/2], jacobian, Max[Abs[Flatten[chain - IdentityMatrix[4]]]]}
];

(* The best of Newton's iterates, angles in (-pi, pi], and its defect; whether the Jacobian is nearly singular, so that
   two solutions nearly coincide. A step is damped if an angle would change too much. *)
chainPolish[placements_, kinds_, start_] := Module[
    {q, best, settled, weak, tries, error, jacobian, defect, step, damped, turned},
    q = start;
    best = Append[q, 10.^30];
    settled = False;
    weak = True;
    tries = 0;
    While[tries < 40 && VectorQ[q, NumberQ],
        tries = tries + 1;
        q = Table[If[kinds[[i]] == 1, q[[i]], q[[i]] - N[2*Pi]*Ceiling[(q[[i]] - N[Pi])/N[2*Pi]]], {i, 1, 6}];
        {error, jacobian, defect} = chainErrors[placements, kinds, q];
        If[defect < best[[7]], best = Append[q, defect]];
        If[settled || ! (defect < 10.^30), Break[]];
        step = chainPseudoInverse[jacobian, 10.^-14] . error;
        damped = Max[Abs[step*(1 - kinds)]] >= 0.5;
        weak = damped || ! (Min[Diagonal[SingularValueDecomposition[jacobian][[2]]]] > 0.001);
        If[damped,
            turned = Transpose[jacobian];
            step = LinearSolve[
                turned . jacobian + Min[Max[defect, 10.^-12], 10.^-6]*IdentityMatrix[6], turned . error]];
        q = q - step;
        settled = ! damped && Max[Abs[step]] < 10.^-8];
    {best, weak}
];

(* The table with the solutions next to a posture q. Along the direction v in which the error of the loop grows least,
   it is the parabola c + b s + a s^2 / 2: Newton's method starts at both roots s. *)
chainSplit[placements_, kinds_, q_, known_] := Module[
    {h, table, left, sizes, right, u, v, a, b, c, s, row},
    h = 0.001; (* step of the difference quotient for a *)
    table = known;
    {left, sizes, right} = SingularValueDecomposition[chainErrors[placements, kinds, q][[2]]];
    u = left[[All, 6]];
    v = right[[All, 6]];
    b = sizes[[6, 6]];
    c = u . chainErrors[placements, kinds, q][[1]];
    a = (u . chainErrors[placements, kinds, q - h*v][[1]] - 2*c + u . chainErrors[placements, kinds, q + h*v][[1]])/h^2;
    If[a != 0,
        Do[
            s = (side*Sqrt[Max[b*b - 2*a*c, 0.]] - b)/a;
            If[Abs[s] < 0.5, (* not too far for a parabola *)
                row = First[chainPolish[placements, kinds, q + s*v]];
                If[row[[7]] < 10.^-10, table = chainInserted[placements, kinds, row, table]]],
            {side, {-1, 1}}]];
    table
];

(* Insert a solution into the table, unless it is already there: two rows are the same if the posture between them
   closes the loop as well as they do. *)
chainInserted[placements_, kinds_, row_, table_] := Module[
    {gap, same, known},
    gap[other_] := Table[
        row[[i]] - other[[i]] - If[kinds[[i]] == 0, N[2*Pi]*Round[(row[[i]] - other[[i]])/N[2*Pi]], 0.],
        {i, 1, 6}];
    same[other_] := Max[Abs[gap[other]]] < 0.00001
        && chainErrors[placements, kinds, Most[other] + gap[other]/2][[3]] <= Max[10.^-14, row[[7]], other[[7]]];
    known = Select[table, same];
    If[known =!= {} || Length[table] == 16,
        table,
        SortBy[Append[table, row], Round[chainKey[kinds, #]*10.^6] &]]
];

(* Sort key of solutions: joint values in steps of 1e-6, -pi counting as pi. *)
chainKey[kinds_, q_] := Table[
    If[kinds[[i]] == 0 && q[[i]] < 10.^-6 - N[Pi], q[[i]] + N[2*Pi], q[[i]]],
    {i, 1, 6}];
