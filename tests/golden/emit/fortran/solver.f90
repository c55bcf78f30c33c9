! solver: linear systems
!
! Inputs
!   A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
!   v (4): v1 v2 v3 v4
! Outputs
!   x (4)
!   y (2)
! Parameters
!   p (1): m
! Constants, computed once from the parameters by solver_setup
!   k (1): m
!
! Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
! Made by symoro VERSION
module solver_module
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  private
  public :: solver_setup, solver, solver_batch, wp
contains

  ! Solve A x = b for A (n, n) by rows: elimination with partial pivoting. A and b are overwritten.
  pure subroutine solve_(n, a, b, x)
    integer, intent(in) :: n
    real(wp), intent(inout) :: a(n*n), b(n)
    real(wp), intent(out) :: x(n)
    integer :: c, r, j, pivot
    real(wp) :: swapped, right, factor, total
    do c = 1, n
      pivot = c
      do r = c + 1, n
        if (abs(a((r - 1)*n + c)) > abs(a((pivot - 1)*n + c))) pivot = r
      end do
      if (pivot /= c) then
        do j = c, n
          swapped = a((c - 1)*n + j)
          a((c - 1)*n + j) = a((pivot - 1)*n + j)
          a((pivot - 1)*n + j) = swapped
        end do
      end if
      right = b(pivot)
      b(pivot) = b(c)
      b(c) = right
      do r = c + 1, n
        factor = a((r - 1)*n + c)/a((c - 1)*n + c)
        do j = c + 1, n
          a((r - 1)*n + j) = a((r - 1)*n + j) - factor*a((c - 1)*n + j)
        end do
        b(r) = b(r) - factor*right
      end do
    end do
    do r = n, 1, -1
      total = b(r)
      do j = r + 1, n
        total = total - a((r - 1)*n + j)*x(j)
      end do
      x(r) = total/a((r - 1)*n + r)
    end do
  end subroutine solve_

  pure subroutine solver_setup(p, k)
    real(wp), intent(in) :: p(1)
    real(wp), intent(out) :: k(1)
    real(wp) :: m
    m = p(1)
    k(1) = m
  end subroutine solver_setup

  pure subroutine solver(A, v, k, x, y)
    real(wp), intent(in) :: A(4, 4)
    real(wp), intent(in) :: v(4)
    real(wp), intent(in) :: k(1)
    real(wp), intent(out) :: x(4)
    real(wp), intent(out) :: y(2)
    real(wp) :: A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, v1, v2, v3, v4, m
    real(wp) :: solve1_1(16), solve1_2(4), solve1(4), solve2_1(4), solve2_2(2), solve2(2)
    A2 = A(1, 2)
    A3 = A(1, 3)
    A4 = A(1, 4)
    A5 = A(2, 1)
    A6 = A(2, 2)
    A7 = A(2, 3)
    A8 = A(2, 4)
    A9 = A(3, 1)
    A10 = A(3, 2)
    A11 = A(3, 3)
    A12 = A(3, 4)
    A13 = A(4, 1)
    A14 = A(4, 2)
    A15 = A(4, 3)
    A16 = A(4, 4)
    v1 = v(1)
    v2 = v(2)
    v3 = v(3)
    v4 = v(4)
    m = k(1)
    solve1_1(1) = 0.0_wp
    solve1_1(2) = A2 + m
    solve1_1(3) = A3
    solve1_1(4) = A4
    solve1_1(5) = A5 + m
    solve1_1(6) = A6
    solve1_1(7) = A7 + m
    solve1_1(8) = A8
    solve1_1(9) = A9
    solve1_1(10) = A10 + m
    solve1_1(11) = A11
    solve1_1(12) = A12 + m
    solve1_1(13) = A13
    solve1_1(14) = A14
    solve1_1(15) = A15 + m
    solve1_1(16) = A16
    solve1_2(1) = -v1
    solve1_2(2) = v2
    solve1_2(3) = v3
    solve1_2(4) = v4
    call solve_(4, solve1_1, solve1_2, solve1)
    solve2_1(1) = solve1(1) + 3.0_wp
    solve2_1(2) = 1.0_wp
    solve2_1(3) = 0.0_wp
    solve2_1(4) = solve1(2) - 2.0_wp
    solve2_2(1) = v1*solve1(4)
    solve2_2(2) = 5.0_wp
    call solve_(2, solve2_1, solve2_2, solve2)
    y(1) = solve2(1)*solve2(1)
    x(1) = solve1(1)
    x(2) = solve1(2)
    x(3) = solve1(3)
    x(4) = solve1(4)
    y(2) = -solve2(2)
  end subroutine solver

  pure subroutine solver_batch(n, A, v, k, x, y)
    integer, intent(in) :: n
    real(wp), intent(in) :: A(n, 4, 4)
    real(wp), intent(in) :: v(n, 4)
    real(wp), intent(in) :: k(1)
    real(wp), intent(out) :: x(n, 4)
    real(wp), intent(out) :: y(n, 2)
    integer :: i
    real(wp) :: A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, v1, v2, v3, v4, m
    real(wp) :: solve1_1(16), solve1_2(4), solve1(4), solve2_1(4), solve2_2(2), solve2(2)
    do i = 1, n
      A2 = A(i, 1, 2)
      A3 = A(i, 1, 3)
      A4 = A(i, 1, 4)
      A5 = A(i, 2, 1)
      A6 = A(i, 2, 2)
      A7 = A(i, 2, 3)
      A8 = A(i, 2, 4)
      A9 = A(i, 3, 1)
      A10 = A(i, 3, 2)
      A11 = A(i, 3, 3)
      A12 = A(i, 3, 4)
      A13 = A(i, 4, 1)
      A14 = A(i, 4, 2)
      A15 = A(i, 4, 3)
      A16 = A(i, 4, 4)
      v1 = v(i, 1)
      v2 = v(i, 2)
      v3 = v(i, 3)
      v4 = v(i, 4)
      m = k(1)
      solve1_1(1) = 0.0_wp
      solve1_1(2) = A2 + m
      solve1_1(3) = A3
      solve1_1(4) = A4
      solve1_1(5) = A5 + m
      solve1_1(6) = A6
      solve1_1(7) = A7 + m
      solve1_1(8) = A8
      solve1_1(9) = A9
      solve1_1(10) = A10 + m
      solve1_1(11) = A11
      solve1_1(12) = A12 + m
      solve1_1(13) = A13
      solve1_1(14) = A14
      solve1_1(15) = A15 + m
      solve1_1(16) = A16
      solve1_2(1) = -v1
      solve1_2(2) = v2
      solve1_2(3) = v3
      solve1_2(4) = v4
      call solve_(4, solve1_1, solve1_2, solve1)
      solve2_1(1) = solve1(1) + 3.0_wp
      solve2_1(2) = 1.0_wp
      solve2_1(3) = 0.0_wp
      solve2_1(4) = solve1(2) - 2.0_wp
      solve2_2(1) = v1*solve1(4)
      solve2_2(2) = 5.0_wp
      call solve_(2, solve2_1, solve2_2, solve2)
      y(i, 1) = solve2(1)*solve2(1)
      x(i, 1) = solve1(1)
      x(i, 2) = solve1(2)
      x(i, 3) = solve1(3)
      x(i, 4) = solve1(4)
      y(i, 2) = -solve2(2)
    end do
  end subroutine solver_batch

end module solver_module
