! polynomials: roots of polynomials
!
! Inputs
!   a (5): a1 a2 a3 a4 a5
!   k (5): k1 k2 k3 k4 k5
! Outputs
!   x (8)
!   t (12)
!   pair (8)
!   none_2 (12)
! Parameters
!   p (1): m
! Constants, computed once from the parameters by polynomials_setup
!   k_2 (1): m
!
! Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
! Made by symoro VERSION
module polynomials_module
  use, intrinsic :: iso_fortran_env, only: wp => real64
  use, intrinsic :: iso_c_binding, only: c_int, c_double
  implicit none
  private
  public :: polynomials_setup, polynomials, polynomials_batch, wp
  interface
    pure subroutine quartic_(n, a0, results) bind(c, name="polynomials_quartic")
      import :: c_int, c_double
      integer(c_int), value :: n
      real(c_double), intent(inout) :: a0(*)
      real(c_double), intent(out) :: results(*)
    end subroutine
    pure subroutine circle_(n, a0, results) bind(c, name="polynomials_circle")
      import :: c_int, c_double
      integer(c_int), value :: n
      real(c_double), intent(inout) :: a0(*)
      real(c_double), intent(out) :: results(*)
    end subroutine
  end interface
contains



  pure subroutine polynomials_setup(p, k_2)
    real(wp), intent(in) :: p(1)
    real(wp), intent(out) :: k_2(1)
    real(wp) :: m
    m = p(1)
    k_2(1) = m
  end subroutine polynomials_setup

  pure subroutine polynomials(a, k, k_2, x, t, pair, none_2)
    real(wp), intent(in) :: a(5)
    real(wp), intent(in) :: k(5)
    real(wp), intent(in) :: k_2(1)
    real(wp), intent(out) :: x(8)
    real(wp), intent(out) :: t(12)
    real(wp), intent(out) :: pair(8)
    real(wp), intent(out) :: none_2(12)
    real(wp) :: a1, a2, a3, a4, a5, k1, k2, k3, k4, k5, m, quartic1_1(5), quartic1(8), circle2_1(5)
    real(wp) :: circle2(12), quartic3_1(5), quartic3(8), circle4_1(5), circle4(12)
    a1 = a(1)
    a2 = a(2)
    a3 = a(3)
    a4 = a(4)
    a5 = a(5)
    m = k_2(1)
    quartic1_1(1) = a1 + m
    quartic1_1(2) = a2
    quartic1_1(3) = -a3
    quartic1_1(4) = a4
    quartic1_1(5) = a5
    call quartic_(8, quartic1_1, quartic1)
    k1 = k(1)
    k2 = k(2)
    k3 = k(3)
    k4 = k(4)
    k5 = k(5)
    circle2_1(1) = 0.25_wp*k1
    circle2_1(2) = k2
    circle2_1(3) = k3 + m
    circle2_1(4) = -k4
    circle2_1(5) = k5
    call circle_(12, circle2_1, circle2)
    quartic3_1(1) = 0.0_wp
    quartic3_1(2) = 0.0_wp
    quartic3_1(3) = 1.0_wp
    quartic3_1(4) = k1
    quartic3_1(5) = quartic1(5) - 3.0_wp
    call quartic_(8, quartic3_1, quartic3)
    circle4_1(1) = m
    circle4_1(2) = 0.0_wp
    circle4_1(3) = 0.0_wp
    circle4_1(4) = 0.0_wp
    circle4_1(5) = 0.0_wp
    call circle_(12, circle4_1, circle4)
    x(1) = quartic1(1)
    x(2) = quartic1(2)
    x(3) = quartic1(3)
    x(4) = quartic1(4)
    x(5) = quartic1(5)
    x(6) = quartic1(6)
    x(7) = quartic1(7)
    x(8) = quartic1(8)
    t(1) = circle2(1)
    t(2) = circle2(2)
    t(3) = circle2(3)
    t(4) = circle2(4)
    t(5) = circle2(5)
    t(6) = circle2(6)
    t(7) = circle2(7)
    t(8) = circle2(8)
    t(9) = circle2(9)
    t(10) = circle2(10)
    t(11) = circle2(11)
    t(12) = circle2(12)
    pair(1) = quartic3(1)
    pair(2) = quartic3(2)
    pair(3) = quartic3(3)
    pair(4) = quartic3(4)
    pair(5) = quartic3(5)
    pair(6) = quartic3(6)
    pair(7) = quartic3(7)
    pair(8) = quartic3(8)
    none_2(1) = circle4(1)
    none_2(2) = circle4(2)
    none_2(3) = circle4(3)
    none_2(4) = circle4(4)
    none_2(5) = circle4(5)
    none_2(6) = circle4(6)
    none_2(7) = circle4(7)
    none_2(8) = circle4(8)
    none_2(9) = circle4(9)
    none_2(10) = circle4(10)
    none_2(11) = circle4(11)
    none_2(12) = circle4(12)
  end subroutine polynomials

  pure subroutine polynomials_batch(n, a, k, k_2, x, t, pair, none_2)
    integer, intent(in) :: n
    real(wp), intent(in) :: a(n, 5)
    real(wp), intent(in) :: k(n, 5)
    real(wp), intent(in) :: k_2(1)
    real(wp), intent(out) :: x(n, 8)
    real(wp), intent(out) :: t(n, 12)
    real(wp), intent(out) :: pair(n, 8)
    real(wp), intent(out) :: none_2(n, 12)
    integer :: i
    real(wp) :: a1, a2, a3, a4, a5, k1, k2, k3, k4, k5, m, quartic1_1(5), quartic1(8), circle2_1(5)
    real(wp) :: circle2(12), quartic3_1(5), quartic3(8), circle4_1(5), circle4(12)
    do i = 1, n
      a1 = a(i, 1)
      a2 = a(i, 2)
      a3 = a(i, 3)
      a4 = a(i, 4)
      a5 = a(i, 5)
      m = k_2(1)
      quartic1_1(1) = a1 + m
      quartic1_1(2) = a2
      quartic1_1(3) = -a3
      quartic1_1(4) = a4
      quartic1_1(5) = a5
      call quartic_(8, quartic1_1, quartic1)
      k1 = k(i, 1)
      k2 = k(i, 2)
      k3 = k(i, 3)
      k4 = k(i, 4)
      k5 = k(i, 5)
      circle2_1(1) = 0.25_wp*k1
      circle2_1(2) = k2
      circle2_1(3) = k3 + m
      circle2_1(4) = -k4
      circle2_1(5) = k5
      call circle_(12, circle2_1, circle2)
      quartic3_1(1) = 0.0_wp
      quartic3_1(2) = 0.0_wp
      quartic3_1(3) = 1.0_wp
      quartic3_1(4) = k1
      quartic3_1(5) = quartic1(5) - 3.0_wp
      call quartic_(8, quartic3_1, quartic3)
      circle4_1(1) = m
      circle4_1(2) = 0.0_wp
      circle4_1(3) = 0.0_wp
      circle4_1(4) = 0.0_wp
      circle4_1(5) = 0.0_wp
      call circle_(12, circle4_1, circle4)
      x(i, 1) = quartic1(1)
      x(i, 2) = quartic1(2)
      x(i, 3) = quartic1(3)
      x(i, 4) = quartic1(4)
      x(i, 5) = quartic1(5)
      x(i, 6) = quartic1(6)
      x(i, 7) = quartic1(7)
      x(i, 8) = quartic1(8)
      t(i, 1) = circle2(1)
      t(i, 2) = circle2(2)
      t(i, 3) = circle2(3)
      t(i, 4) = circle2(4)
      t(i, 5) = circle2(5)
      t(i, 6) = circle2(6)
      t(i, 7) = circle2(7)
      t(i, 8) = circle2(8)
      t(i, 9) = circle2(9)
      t(i, 10) = circle2(10)
      t(i, 11) = circle2(11)
      t(i, 12) = circle2(12)
      pair(i, 1) = quartic3(1)
      pair(i, 2) = quartic3(2)
      pair(i, 3) = quartic3(3)
      pair(i, 4) = quartic3(4)
      pair(i, 5) = quartic3(5)
      pair(i, 6) = quartic3(6)
      pair(i, 7) = quartic3(7)
      pair(i, 8) = quartic3(8)
      none_2(i, 1) = circle4(1)
      none_2(i, 2) = circle4(2)
      none_2(i, 3) = circle4(3)
      none_2(i, 4) = circle4(4)
      none_2(i, 5) = circle4(5)
      none_2(i, 6) = circle4(6)
      none_2(i, 7) = circle4(7)
      none_2(i, 8) = circle4(8)
      none_2(i, 9) = circle4(9)
      none_2(i, 10) = circle4(10)
      none_2(i, 11) = circle4(11)
      none_2(i, 12) = circle4(12)
    end do
  end subroutine polynomials_batch

end module polynomials_module
