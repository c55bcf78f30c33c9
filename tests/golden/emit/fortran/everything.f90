! everything: every operation, and names that collide
!
! Inputs
!   q (3), joint positions: q1 q2 q3
!   T (2, 2), by rows: T11 T12 T21 T22
!   n (scalar): lambda
!   unused (2): unused1 unused2
! Outputs
!   t_2 (2, 3), a matrix
!   k (scalar)
!   Q_2 (6)
!   r (9)
!   last (2, 2, 2)
! Parameters
!   p (11): D3 d3 end double _a E k function t2 x_y xY
! Constants, computed once from the parameters by everything_setup
!   k_2 (7): D3 d3_2 end_2 while_2 MXR k1 k2
!
! Operations per call: 20 x, 18 +, 2 /, 10 functions, 23 others; once: 4 x, 4 +, 1 /
! Made by symoro VERSION
module everything_module
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  private
  public :: everything_setup, everything, everything_batch, wp
contains

  elemental function sign_(x) result(s)
    real(wp), intent(in) :: x
    real(wp) :: s
    s = merge(sign(1.0_wp, x), 0.0_wp, x /= 0.0_wp)
  end function sign_

  pure subroutine everything_setup(p, k_2)
    real(wp), intent(in) :: p(11)
    real(wp), intent(out) :: k_2(7)
    real(wp) :: D3, d3_2, end_2, double_2, x_a, E, k_3, function_2, t2, x_y, xY, while_2, MXR, k1, k2
    D3 = p(1)
    d3_2 = p(2)
    end_2 = p(3)
    double_2 = p(4)
    x_a = p(5)
    E = p(6)
    k_3 = p(7)
    function_2 = p(8)
    t2 = p(9)
    x_y = p(10)
    xY = p(11)
    while_2 = D3*d3_2 + end_2/double_2
    MXR = -(k_3 + x_a*E)
    k1 = function_2*while_2 - MXR
    k2 = xY - t2*x_y
    k_2(1) = D3
    k_2(2) = d3_2
    k_2(3) = end_2
    k_2(4) = while_2
    k_2(5) = MXR
    k_2(6) = k1
    k_2(7) = k2
  end subroutine everything_setup

  pure subroutine everything(q, T, n, unused, k_2, t_2, k, Q_2, r, last)
    real(wp), intent(in) :: q(3)
    real(wp), intent(in) :: T(2, 2)
    real(wp), intent(in) :: n
    real(wp), intent(in) :: unused(2)
    real(wp), intent(in) :: k_2(7)
    real(wp), intent(out) :: t_2(2, 3)
    real(wp), intent(out) :: k
    real(wp), intent(out) :: Q_2(6)
    real(wp), intent(out) :: r(9)
    real(wp), intent(out) :: last(2, 2, 2)
    real(wp) :: q1, q2, q3, T11, T12, T21, T22, lambda, D3, d3_2, end_2, while_2, MXR, k1, k2, C1, S1
    real(wp) :: C2, S2, t1, q1_2, class_2, t3, t4, t5
    q1 = q(1)
    C1 = cos(q1)
    S1 = sin(q1)
    q2 = q(2)
    C2 = cos(q2)
    S2 = sin(q2)
    t1 = C1*C2
    D3 = k_2(1)
    d3_2 = k_2(2)
    q1_2 = D3*t1 - d3_2*S1*S2
    t_2(1, 1) = q1_2
    q3 = q(3)
    end_2 = k_2(3)
    class_2 = -(end_2 + q3*q1_2)
    t3 = merge(0.8660254037844386_wp*q1_2, class_2 - q1_2, q1_2 < q3)
    t_2(1, 2) = -t3
    T11 = T(1, 1)
    r(5) = merge(q2, -q3, q2 == T11)
    T22 = T(2, 2)
    t4 = merge(1.0_wp, 0.0_wp, T11 <= T22)
    T12 = T(1, 2)
    T21 = T(2, 1)
    r(6) = q1*t4 + merge(T12, T21, t4 /= 0.0_wp)
    r(1) = sqrt(1.0_wp + q1*q1)/(2.0_wp + S2)
    r(2) = asin(S1*C2) - atan2(S1, C1) - acos(t1) + tan(0.25_wp*q3) + exp(-q2)
    r(3) = sign_(q1)*abs(q2 - q3) + 5.0_wp*sign_(q2 - T11)
    t5 = t3 - q1_2
    t_2(2, 2) = t5
    t_2(2, 1) = -S1*t5
    t_2(2, 3) = C1*t5
    k1 = k_2(6)
    Q_2(1) = k1*q1
    r(4) = 1e-12_wp*(min(q1, -q2) - 1e-07_wp*max(q3, T12) + 123456789012.0_wp*min(S1, C2))
    lambda = n
    r(7) = lambda*lambda
    r(8) = -(q1 + lambda)
    last(1, 1, 1) = class_2/(2.0_wp + C1)
    last(2, 2, 2) = 0.14285714285714285_wp*T22
    t_2(1, 3) = 1.0_wp
    MXR = k_2(5)
    k = MXR
    while_2 = k_2(4)
    Q_2(2) = while_2
    Q_2(3) = D3
    Q_2(4) = q2
    Q_2(5) = -q3
    k2 = k_2(7)
    Q_2(6) = -k2
    r(9) = 1.5707963267948966_wp
    last(1, 1, 2) = 0.8660254037844386_wp
    last(1, 2, 1) = -0.8660254037844386_wp
    last(1, 2, 2) = -0.6666666666666666_wp
    last(2, 1, 1) = 0.0_wp
    last(2, 1, 2) = -1.0_wp
    last(2, 2, 1) = 0.1_wp
  end subroutine everything

  pure subroutine everything_batch(n_2, q, T, n, unused, k_2, t_2, k, Q_2, r, last)
    integer, intent(in) :: n_2
    real(wp), intent(in) :: q(n_2, 3)
    real(wp), intent(in) :: T(n_2, 2, 2)
    real(wp), intent(in) :: n(n_2)
    real(wp), intent(in) :: unused(n_2, 2)
    real(wp), intent(in) :: k_2(7)
    real(wp), intent(out) :: t_2(n_2, 2, 3)
    real(wp), intent(out) :: k(n_2)
    real(wp), intent(out) :: Q_2(n_2, 6)
    real(wp), intent(out) :: r(n_2, 9)
    real(wp), intent(out) :: last(n_2, 2, 2, 2)
    integer :: i
    real(wp) :: q1, q2, q3, T11, T12, T21, T22, lambda, D3, d3_2, end_2, while_2, MXR, k1, k2, C1, S1
    real(wp) :: C2, S2, t1, q1_2, class_2, t3, t4, t5
    do i = 1, n_2
      q1 = q(i, 1)
      C1 = cos(q1)
      S1 = sin(q1)
      q2 = q(i, 2)
      C2 = cos(q2)
      S2 = sin(q2)
      t1 = C1*C2
      D3 = k_2(1)
      d3_2 = k_2(2)
      q1_2 = D3*t1 - d3_2*S1*S2
      t_2(i, 1, 1) = q1_2
      q3 = q(i, 3)
      end_2 = k_2(3)
      class_2 = -(end_2 + q3*q1_2)
      t3 = merge(0.8660254037844386_wp*q1_2, class_2 - q1_2, q1_2 < q3)
      t_2(i, 1, 2) = -t3
      T11 = T(i, 1, 1)
      r(i, 5) = merge(q2, -q3, q2 == T11)
      T22 = T(i, 2, 2)
      t4 = merge(1.0_wp, 0.0_wp, T11 <= T22)
      T12 = T(i, 1, 2)
      T21 = T(i, 2, 1)
      r(i, 6) = q1*t4 + merge(T12, T21, t4 /= 0.0_wp)
      r(i, 1) = sqrt(1.0_wp + q1*q1)/(2.0_wp + S2)
      r(i, 2) = asin(S1*C2) - atan2(S1, C1) - acos(t1) + tan(0.25_wp*q3) + exp(-q2)
      r(i, 3) = sign_(q1)*abs(q2 - q3) + 5.0_wp*sign_(q2 - T11)
      t5 = t3 - q1_2
      t_2(i, 2, 2) = t5
      t_2(i, 2, 1) = -S1*t5
      t_2(i, 2, 3) = C1*t5
      k1 = k_2(6)
      Q_2(i, 1) = k1*q1
      r(i, 4) = 1e-12_wp*(min(q1, -q2) - 1e-07_wp*max(q3, T12) + 123456789012.0_wp*min(S1, C2))
      lambda = n(i)
      r(i, 7) = lambda*lambda
      r(i, 8) = -(q1 + lambda)
      last(i, 1, 1, 1) = class_2/(2.0_wp + C1)
      last(i, 2, 2, 2) = 0.14285714285714285_wp*T22
      t_2(i, 1, 3) = 1.0_wp
      MXR = k_2(5)
      k(i) = MXR
      while_2 = k_2(4)
      Q_2(i, 2) = while_2
      Q_2(i, 3) = D3
      Q_2(i, 4) = q2
      Q_2(i, 5) = -q3
      k2 = k_2(7)
      Q_2(i, 6) = -k2
      r(i, 9) = 1.5707963267948966_wp
      last(i, 1, 1, 2) = 0.8660254037844386_wp
      last(i, 1, 2, 1) = -0.8660254037844386_wp
      last(i, 1, 2, 2) = -0.6666666666666666_wp
      last(i, 2, 1, 1) = 0.0_wp
      last(i, 2, 1, 2) = -1.0_wp
      last(i, 2, 2, 1) = 0.1_wp
    end do
  end subroutine everything_batch

end module everything_module
