! expanded: position, expanded
!
! Inputs
!   q (3): q1 q2 q3
! Outputs
!   P (3)
! Parameters
!   p_2 (1): D3
! Constants, computed once from the parameters by expanded_setup
!   k (2): D3 k1
!
! Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
! Made by symoro VERSION
module expanded_module
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  private
  public :: expanded_setup, expanded, expanded_batch, wp
contains

  pure subroutine expanded_setup(p_2, k)
    real(wp), intent(in) :: p_2(1)
    real(wp), intent(out) :: k(2)
    real(wp) :: D3, k1
    D3 = p_2(1)
    k1 = 1.0_wp + D3
    k(1) = D3
    k(2) = k1
  end subroutine expanded_setup

  pure subroutine expanded(q, k, P)
    real(wp), intent(in) :: q(3)
    real(wp), intent(in) :: k(2)
    real(wp), intent(out) :: P(3)
    real(wp) :: q1, q2, q3, D3, k1, C1, C2, C3, S1, S2, S3
    q1 = q(1)
    C1 = cos(q1)
    q2 = q(2)
    C2 = cos(q2)
    q3 = q(3)
    C3 = cos(q3)
    S1 = sin(q1)
    S2 = sin(q2)
    S3 = sin(q3)
    D3 = k(1)
    k1 = k(2)
    P(1) = C1*(D3*C2 - C3*k1*S2)
    P(2) = S1*(D3*C2 - C3*k1*S2)
    P(3) = C3*k1*S2 - D3*C2 - C2*S3
  end subroutine expanded

  pure subroutine expanded_batch(n, q, k, P)
    integer, intent(in) :: n
    real(wp), intent(in) :: q(n, 3)
    real(wp), intent(in) :: k(2)
    real(wp), intent(out) :: P(n, 3)
    integer :: i
    real(wp) :: q1, q2, q3, D3, k1, C1, C2, C3, S1, S2, S3
    do i = 1, n
      q1 = q(i, 1)
      C1 = cos(q1)
      q2 = q(i, 2)
      C2 = cos(q2)
      q3 = q(i, 3)
      C3 = cos(q3)
      S1 = sin(q1)
      S2 = sin(q2)
      S3 = sin(q3)
      D3 = k(1)
      k1 = k(2)
      P(i, 1) = C1*(D3*C2 - C3*k1*S2)
      P(i, 2) = S1*(D3*C2 - C3*k1*S2)
      P(i, 3) = C3*k1*S2 - D3*C2 - C2*S3
    end do
  end subroutine expanded_batch

end module expanded_module
