! chain: positions of all frames
!
! Inputs
!   q (2): q1 q2
! Outputs
!   P (2, 3)
! Parameters
!   p_2 (4): D1 R1 D2 R2
! Constants, computed once from the parameters by chain_setup
!   k (7): D1 R1 D2 k1 k2 k3 k4
!
! Operations per call: 3 x, 3 +, 2 functions; once: 4 x, 1 +
! Made by symoro VERSION
module chain_module
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  private
  public :: chain_setup, chain, chain_batch, wp
contains

  pure subroutine chain_setup(p_2, k)
    real(wp), intent(in) :: p_2(4)
    real(wp), intent(out) :: k(7)
    real(wp) :: D1, R1, D2, R2, k1, k2, k3, k4
    D1 = p_2(1)
    R1 = p_2(2)
    D2 = p_2(3)
    R2 = p_2(4)
    k1 = 0.3_wp*D2
    k2 = 0.95_wp*R2
    k3 = 0.95_wp*D2
    k4 = R1 + 0.3_wp*R2
    k(1) = D1
    k(2) = R1
    k(3) = D2
    k(4) = k1
    k(5) = k2
    k(6) = k3
    k(7) = k4
  end subroutine chain_setup

  pure subroutine chain(q, k, P)
    real(wp), intent(in) :: q(2)
    real(wp), intent(in) :: k(7)
    real(wp), intent(out) :: P(2, 3)
    real(wp) :: q1, D1, R1, D2, k1, k2, k3, k4, C1, S1, P2_1, P2_2, P2_3
    q1 = q(1)
    C1 = cos(q1)
    S1 = sin(q1)
    ! link 2: position
    D1 = k(1)
    D2 = k(3)
    P2_1 = D1 + D2*C1
    P(2, 1) = P2_1
    k1 = k(4)
    k2 = k(5)
    P2_2 = k1*S1 - k2
    P(2, 2) = P2_2
    k3 = k(6)
    k4 = k(7)
    P2_3 = k3*S1 + k4
    P(2, 3) = P2_3
    P(1, 1) = D1
    P(1, 2) = 0.0_wp
    R1 = k(2)
    P(1, 3) = R1
  end subroutine chain

  pure subroutine chain_batch(n, q, k, P)
    integer, intent(in) :: n
    real(wp), intent(in) :: q(n, 2)
    real(wp), intent(in) :: k(7)
    real(wp), intent(out) :: P(n, 2, 3)
    integer :: i
    real(wp) :: q1, D1, R1, D2, k1, k2, k3, k4, C1, S1, P2_1, P2_2, P2_3
    do i = 1, n
      q1 = q(i, 1)
      C1 = cos(q1)
      S1 = sin(q1)
      ! link 2: position
      D1 = k(1)
      D2 = k(3)
      P2_1 = D1 + D2*C1
      P(i, 2, 1) = P2_1
      k1 = k(4)
      k2 = k(5)
      P2_2 = k1*S1 - k2
      P(i, 2, 2) = P2_2
      k3 = k(6)
      k4 = k(7)
      P2_3 = k3*S1 + k4
      P(i, 2, 3) = P2_3
      P(i, 1, 1) = D1
      P(i, 1, 2) = 0.0_wp
      R1 = k(2)
      P(i, 1, 3) = R1
    end do
  end subroutine chain_batch

end module chain_module
