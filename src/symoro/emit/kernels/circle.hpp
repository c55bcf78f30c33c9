// k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t and its derivative.
template <class Scalar>
inline Scalar circle_left(const Scalar* k, Scalar s, Scalar c, Scalar* slope)
{
    const Scalar c2 = (c - s)*(c + s);
    const Scalar s2 = Scalar(2)*s*c;
    *slope = k[2]*c - k[1]*s + Scalar(2)*(k[4]*c2 - k[3]*s2);
    return k[0] + k[1]*c + k[2]*s + k[3]*c2 + k[4]*s2;
}

// The largest root of z^3 + 2p z^2 + (p^2 - 4r) z - q^2, which is not negative.
template <class Scalar>
inline Scalar circle_resolvent(Scalar p, Scalar q, Scalar r)
{
    using std::abs;
    using std::sqrt;
    using std::cbrt;
    using std::cos;
    using std::acos;
    const Scalar big = (p*p + Scalar(12)*r)/Scalar(9);
    const Scalar odd = p*(Scalar(4)*r/Scalar(3) - p*p/Scalar(27)) - q*q/Scalar(2);
    const Scalar cube = big*big*big;
    const Scalar rest = odd*odd - cube;
    Scalar z = Scalar(0);
    if (rest < Scalar(0)) {
        const Scalar ratio = odd/sqrt(cube);
        const Scalar angle = acos(ratio < -Scalar(1) ? -Scalar(1) : ratio > Scalar(1) ? Scalar(1) : ratio);
        z = -Scalar(2)*sqrt(big)*cos((angle + Scalar(6.283185307179586))/Scalar(3));
    } else {
        const Scalar root = cbrt(abs(odd) + sqrt(rest));
        z = root > Scalar(0) ? root + big/root : Scalar(0);
        z = odd > Scalar(0) ? -z : z;
    }
    z = z - Scalar(2)*p/Scalar(3);
    return z < Scalar(0) ? Scalar(0) : z;
}

// The places of four keys in ascending order.
template <class Scalar>
inline void circle_order(const Scalar* key, int* place)
{
    using std::exp;
    for (int j = 0; j < 4; ++j) {
        place[j] = j;
    }
    for (int j = 1; j < 4; ++j) {
        for (int i = 0; i < j; ++i) {
            const int later = key[j] < key[i];
            place[i] += later;
            place[j] -= later;
        }
    }
}

// The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A
// defect is 0 for an angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With x = tan(u/2), t = u + turn,
// the equation is a quartic whose leading coefficient is the largest of eight values of the left side; Ferrari splits
// it into two quadratics; Newton's method on the equation itself ends. k is overwritten.
template <class Scalar>
inline void circle(int, Scalar* k, Scalar* slots)
{
    using std::abs;
    using std::sqrt;
    using std::exp;
    const Scalar zero(0), one(1);
    const Scalar half = Scalar(0.7071067811865476);
    const Scalar cosines[4] = {-one, -half, zero, half};
    const Scalar sines[4] = {zero, -half, -one, -half};
    const Scalar doubled[5] = {one, zero, -one, zero, one};
    Scalar top = Scalar(0);
    for (int j = 0; j < 5; ++j) {
        top = abs(k[j]) > top ? abs(k[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        k[j] = k[j]/top;
    }
    int at = 0;
    Scalar largest = Scalar(0);
    for (int j = 0; j < 4; ++j) {
        const Scalar even = k[0] + doubled[j]*k[3] - doubled[j + 1]*k[4];
        const Scalar value = abs(even) + abs(cosines[j]*k[1] + sines[j]*k[2]);
        if (value > largest) {
            largest = value;
            at = j;
        }
    }
    const Scalar c2 = doubled[at];
    const Scalar s2 = -doubled[at + 1];
    const Scalar g = k[3]*c2 + k[4]*s2;
    const Scalar h = k[4]*c2 - k[3]*s2;
    const Scalar side = (k[0] + g)*(cosines[at]*k[1] + sines[at]*k[2]) > Scalar(0) ? -Scalar(1) : Scalar(1);
    const Scalar ct = side*cosines[at];
    const Scalar st = side*sines[at];
    const Scalar a = k[1]*ct + k[2]*st;
    const Scalar b = k[2]*ct - k[1]*st;
    const Scalar scale = Scalar(1)/(k[0] - a + g);
    const Scalar a2 = scale*(Scalar(2)*k[0] - Scalar(6)*g);
    const Scalar a1 = scale*(Scalar(2)*b + Scalar(4)*h);
    const Scalar a0 = scale*(k[0] + a + g);
    // y = x + e: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2), of v and w2 - w1 the larger one is a
    // square root, the other q over it.
    const Scalar e = scale*(Scalar(0.5)*b - h);
    const Scalar p = a2 - Scalar(6)*e*e;
    const Scalar q = a1 - Scalar(2)*e*(a2 - Scalar(4)*e*e);
    const Scalar r = a0 - e*(a1 - e*(a2 - Scalar(3)*e*e));
    const Scalar z = circle_resolvent(p, q, r);
    const Scalar gap = (p + z)*(p + z) - Scalar(4)*r;
    Scalar v = Scalar(0);
    Scalar difference = Scalar(0);
    if (gap <= z*z) {
        v = sqrt(z);
        difference = v > Scalar(0) ? q/v : Scalar(0);
    } else {
        difference = q < Scalar(0) ? -sqrt(gap) : sqrt(gap);
        v = q/difference;
    }
    Scalar found[12];
    Scalar key[4];
    int place[4];
    for (int j = 0; j < 4; ++j) {
        const Scalar sign = j % 2 == 0 ? -Scalar(0.5) : Scalar(0.5);
        const Scalar inside = v*v/Scalar(4) - Scalar(0.5)*(p + z) - sign*difference;
        const Scalar reach = sqrt(abs(inside));
        Scalar x = sign*v - e;
        Scalar s = Scalar(0);
        Scalar c = Scalar(1);
        Scalar defect = Scalar(0);
        if (inside < Scalar(0)) {
            // exp(iu) = (1 + i(x + iy))/(1 - i(x + iy)), y = reach
            const Scalar squared = Scalar(4)*reach/((Scalar(1) + reach)*(Scalar(1) + reach) + x*x);
            const Scalar su = Scalar(2)*x;
            const Scalar cu = Scalar(1) - x*x - reach*reach;
            const Scalar shrink = Scalar(1)/sqrt(su*su + cu*cu);
            defect = squared/(Scalar(1) + sqrt(Scalar(1) - squared));
            s = (su*ct + cu*st)*shrink;
            c = (cu*ct - su*st)*shrink;
        } else {
            x = j < 2 ? x - reach : x + reach;
            const Scalar shrink = Scalar(1)/(Scalar(1) + x*x);
            const Scalar su = Scalar(2)*x*shrink;
            const Scalar cu = (Scalar(1) - x*x)*shrink;
            s = su*ct + cu*st;
            c = cu*ct - su*st;
            Scalar slope;
            Scalar left = circle_left(k, s, c, &slope);
            for (int m = 0; m < 2 && abs(left) > Scalar(1e-16); ++m) {
                const Scalar step = -left/slope;
                const Scalar cosine = Scalar(1)/sqrt(Scalar(1) + step*step);
                const Scalar s1 = (s + c*step)*cosine;
                const Scalar c1 = (c - s*step)*cosine;
                const Scalar left1 = circle_left(k, s1, c1, &slope);
                if (!(abs(left1) < abs(left))) {
                    break;
                }
                s = s1;
                c = c1;
                left = left1;
            }
        }
        if (defect < Scalar(0.999999) && s*s + c*c > Scalar(0.5)) {
            s = c < Scalar(0) && abs(s) < Scalar(1e-15) ? Scalar(0) : s; // pi is not -pi, whatever the round-off
            const Scalar d = s/(abs(s) + abs(c));
            key[j] = Scalar(0) <= c ? d : Scalar(0) <= s ? Scalar(2) - d : -Scalar(2) - d;
        } else {
            s = Scalar(0);
            c = Scalar(1);
            defect = Scalar(1);
            key[j] = Scalar(3);
        }
        found[j] = s;
        found[j + 4] = c;
        found[j + 8] = defect;
    }
    circle_order(key, place);
    for (int j = 0; j < 12; ++j) {
        slots[place[j % 4] + j/4*4] = found[j];
    }
}
