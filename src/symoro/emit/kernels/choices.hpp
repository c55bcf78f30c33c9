/* Choices by comparisons. Three kinds of scalars:
 *   numbers       comparisons return bool, and one of the values is selected at once: double, dual numbers
 *   expressions   comparisons return an expression, and the namespace of the type has if_else(condition, a, b): casadi::SX
 *   recorded      the namespace of the type has CondExpLt(left, right, a, b), CondExpLe and CondExpEq: CppAD::AD
 * Both values remain in an expression or record, which is therefore valid at other points too. */
struct number_kind {};
struct expression_kind {};
struct recorded_kind {};

template <class Scalar>
auto kind_of(const Scalar& x, int) -> decltype(CondExpLt(x, x, x, x), CondExpEq(x, x, x, x), recorded_kind());
template <class Scalar>
auto kind_of(const Scalar& x, long) -> decltype(if_else(x < x, x, x), expression_kind());
template <class Scalar>
number_kind kind_of(const Scalar& x, ...);
template <class Scalar>
using kind = decltype(kind_of(std::declval<const Scalar&>(), 0));

enum class relation { less, less_equal, equal, different };

template <class Scalar>
struct recorded_condition {
    Scalar left;
    Scalar right;
    relation compared;
};

template <class Scalar>
inline Scalar select(bool condition, const Scalar& a, const Scalar& b, number_kind)
{
    return condition ? a : b;
}
template <class Scalar, class Condition>
inline Scalar select(const Condition& condition, const Scalar& a, const Scalar& b, expression_kind)
{
    return if_else(condition, a, b);
}
template <class Scalar>
inline Scalar select(const recorded_condition<Scalar>& c, const Scalar& a, const Scalar& b, recorded_kind)
{
    switch (c.compared) {
    case relation::less:
        return CondExpLt(c.left, c.right, a, b);
    case relation::less_equal:
        return CondExpLe(c.left, c.right, a, b);
    case relation::equal:
        return CondExpEq(c.left, c.right, a, b);
    default:
        return CondExpEq(c.left, c.right, b, a);
    }
}
template <class Scalar, class Condition>
inline Scalar select(const Condition& condition, const Scalar& a, const Scalar& b)
{
    return select(condition, a, b, kind<Scalar>());
}

template <relation R, class Scalar>
inline recorded_condition<Scalar> compared(const Scalar& a, const Scalar& b)
{
    return recorded_condition<Scalar>{a, b, R};
}

template <class Scalar, class Kind>
struct comparisons {
    using condition = decltype(std::declval<const Scalar&>() < std::declval<const Scalar&>());
    static condition less(const Scalar& a, const Scalar& b) { return a < b; }
    static condition less_equal(const Scalar& a, const Scalar& b) { return a <= b; }
    static condition equal(const Scalar& a, const Scalar& b) { return a == b; }
    static condition different(const Scalar& a, const Scalar& b) { return a != b; }
};
template <class Scalar>
struct comparisons<Scalar, recorded_kind> {
    using condition = recorded_condition<Scalar>;
    static condition less(const Scalar& a, const Scalar& b) { return compared<relation::less>(a, b); }
    static condition less_equal(const Scalar& a, const Scalar& b) { return compared<relation::less_equal>(a, b); }
    static condition equal(const Scalar& a, const Scalar& b) { return compared<relation::equal>(a, b); }
    static condition different(const Scalar& a, const Scalar& b) { return compared<relation::different>(a, b); }
};

template <class Scalar>
struct of : comparisons<Scalar, kind<Scalar>> {};

template <class Scalar>
inline Scalar min(const Scalar& a, const Scalar& b)
{
    return select<Scalar>(of<Scalar>::less(b, a), b, a);
}

template <class Scalar>
inline Scalar max(const Scalar& a, const Scalar& b)
{
    return select<Scalar>(of<Scalar>::less(a, b), b, a);
}

template <class Scalar>
inline Scalar sign(const Scalar& x)
{
    const Scalar negative = select<Scalar>(of<Scalar>::less(x, Scalar(0)), Scalar(-1), Scalar(0));
    return select<Scalar>(of<Scalar>::less(Scalar(0), x), Scalar(1), negative);
}

/* 0 / 0, where a model has no result. CasADi would simplify the quotient to a number. */
template <class Scalar>
inline Scalar undefined(const Scalar& above, const Scalar& below, number_kind)
{
    return above / below;
}
template <class Scalar>
inline Scalar undefined(const Scalar& above, const Scalar& below, recorded_kind)
{
    return above / below;
}
template <class Scalar>
inline Scalar undefined(const Scalar&, const Scalar&, expression_kind)
{
    return Scalar(std::numeric_limits<double>::quiet_NaN());
}
template <class Scalar>
inline Scalar undefined(const Scalar& above, const Scalar& below)
{
    return undefined(above, below, kind<Scalar>());
}
