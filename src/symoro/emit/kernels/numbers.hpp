/* Whether a scalar is a number without derivatives: double, float, long double, and types in whose namespace the function
 * `std::true_type symoro_is_number(const Type&)` is declared. */
template <class Scalar>
auto is_number(const Scalar& x, int) -> decltype(symoro_is_number(x));
template <class Scalar>
std::is_floating_point<Scalar> is_number(const Scalar& x, long);
