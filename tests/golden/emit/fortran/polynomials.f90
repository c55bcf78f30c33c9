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
! Constants, made once from the parameters by polynomials_setup
!   k_2 (1): m
!
! Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
! Made by symoro VERSION
module polynomials_module
  use, intrinsic :: iso_fortran_env, only: wp => real64
  implicit none
  private
  public :: polynomials_setup, polynomials, polynomials_batch, wp
contains

  ! k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t and its derivative.
  pure subroutine circle_left_(k, s, c, left, slope)
    real(wp), intent(in) :: k(5), s, c
    real(wp), intent(out) :: left, slope
    real(wp) :: c2, s2
    c2 = (c - s)*(c + s)
    s2 = 2.0_wp*s*c
    left = k(1) + k(2)*c + k(3)*s + k(4)*c2 + k(5)*s2
    slope = k(3)*c - k(2)*s + 2.0_wp*(k(5)*c2 - k(4)*s2)
  end subroutine circle_left_

  ! The largest root of z^3 + 2p z^2 + (p^2 - 4r) z - q^2, which is not negative.
  pure function circle_resolvent_(p, q, r) result(z)
    real(wp), intent(in) :: p, q, r
    real(wp) :: z, big, odd, cube, rest, root
    big = (p*p + 12.0_wp*r)/9.0_wp
    odd = p*(4.0_wp*r/3.0_wp - p*p/27.0_wp) - q*q/2.0_wp
    cube = big*big*big
    rest = odd*odd - cube
    if (rest < 0.0_wp) then
      root = acos(max(-1.0_wp, min(1.0_wp, odd/sqrt(cube))))
      z = -2.0_wp*sqrt(big)*cos((root + 6.283185307179586_wp)/3.0_wp)
    else
      root = (abs(odd) + sqrt(rest))**(1.0_wp/3.0_wp)
      z = 0.0_wp
      if (root > 0.0_wp) z = root + big/root
      if (odd > 0.0_wp) z = -z
    end if
    z = max(z - 2.0_wp*p/3.0_wp, 0.0_wp)
  end function circle_resolvent_

  ! The places of four keys in ascending order.
  pure function circle_order_(key) result(place)
    real(wp), intent(in) :: key(4)
    integer :: place(4), i, j
    place = [1, 2, 3, 4]
    do j = 2, 4
      do i = 1, j - 1
        if (key(j) < key(i)) then
          place(i) = place(i) + 1
          place(j) = place(j) - 1
        end if
      end do
    end do
  end function circle_order_

  ! The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines,
  ! 4 defects. A defect is 0 for an angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one.
  ! With x = tan(u/2), t = u + turn, the equation is a quartic whose leading coefficient is the
  ! largest of eight values of the left side; Ferrari splits it into two quadratics; Newton's method
  ! on the equation itself ends. k is overwritten.
  pure subroutine circle_(n, k, slots)
    integer, intent(in) :: n
    real(wp), intent(inout) :: k(5)
    real(wp), intent(out) :: slots(12)
    real(wp), parameter :: half = 0.7071067811865476_wp
    real(wp), parameter :: cosines(4) = [-1.0_wp, -half, 0.0_wp, half]
    real(wp), parameter :: sines(4) = [0.0_wp, -half, -1.0_wp, -half]
    real(wp), parameter :: doubled(5) = [1.0_wp, 0.0_wp, -1.0_wp, 0.0_wp, 1.0_wp]
    integer :: at, j, m, place(4)
    real(wp) :: even, odd, largest, g, h, ct, st, a, b, scaling, a2, a1, a0, e, p, q, r, z, gap, v
    real(wp) :: difference, side, inside, reach, x, s, c, defect, squared, su, cu, shrink, d
    real(wp) :: left, slope, left1, slope1, step, s1, c1, key(4), found(12)
    k = k/maxval(abs(k))
    at = 1
    largest = 0.0_wp
    do j = 1, 4
      even = k(1) + doubled(j)*k(4) - doubled(j + 1)*k(5)
      odd = cosines(j)*k(2) + sines(j)*k(3)
      if (abs(even) + abs(odd) > largest) then
        largest = abs(even) + abs(odd)
        at = j
      end if
    end do
    g = k(4)*doubled(at) - k(5)*doubled(at + 1)
    h = k(5)*doubled(at) + k(4)*doubled(at + 1)
    side = merge(-1.0_wp, 1.0_wp, (k(1) + g)*(cosines(at)*k(2) + sines(at)*k(3)) > 0.0_wp)
    ct = side*cosines(at)
    st = side*sines(at)
    a = k(2)*ct + k(3)*st
    b = k(3)*ct - k(2)*st
    scaling = 1.0_wp/(k(1) - a + g)
    a2 = scaling*(2.0_wp*k(1) - 6.0_wp*g)
    a1 = scaling*(2.0_wp*b + 4.0_wp*h)
    a0 = scaling*(k(1) + a + g)
    ! y = x + e: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2), of v and w2 - w1 the
    ! larger one is a square root, the other q over it.
    e = scaling*(0.5_wp*b - h)
    p = a2 - 6.0_wp*e*e
    q = a1 - 2.0_wp*e*(a2 - 4.0_wp*e*e)
    r = a0 - e*(a1 - e*(a2 - 3.0_wp*e*e))
    z = circle_resolvent_(p, q, r)
    gap = (p + z)*(p + z) - 4.0_wp*r
    if (z*z >= gap) then
      v = sqrt(z)
      difference = 0.0_wp
      if (v > 0.0_wp) difference = q/v
    else
      difference = sign(sqrt(gap), q)
      v = q/difference
    end if
    do j = 1, 4
      side = merge(-0.5_wp, 0.5_wp, mod(j, 2) == 1)
      inside = v*v/4.0_wp - 0.5_wp*(p + z) - side*difference
      reach = sqrt(abs(inside))
      x = side*v - e
      defect = 0.0_wp
      if (inside < 0.0_wp) then
        ! exp(iu) = (1 + i(x + iy))/(1 - i(x + iy)), y = reach
        squared = 4.0_wp*reach/((1.0_wp + reach)*(1.0_wp + reach) + x*x)
        defect = squared/(1.0_wp + sqrt(1.0_wp - squared))
        su = 2.0_wp*x
        cu = 1.0_wp - x*x - reach*reach
        shrink = 1.0_wp/sqrt(su*su + cu*cu)
        s = (su*ct + cu*st)*shrink
        c = (cu*ct - su*st)*shrink
      else
        x = merge(x - reach, x + reach, j < 3)
        shrink = 1.0_wp/(1.0_wp + x*x)
        su = 2.0_wp*x*shrink
        cu = (1.0_wp - x*x)*shrink
        s = su*ct + cu*st
        c = cu*ct - su*st
        call circle_left_(k, s, c, left, slope)
        do m = 1, 2
          if (abs(left) <= 1e-16_wp) exit
          step = -left/slope
          shrink = 1.0_wp/sqrt(1.0_wp + step*step)
          s1 = (s + c*step)*shrink
          c1 = (c - s*step)*shrink
          call circle_left_(k, s1, c1, left1, slope1)
          if (.not. abs(left1) < abs(left)) exit
          s = s1
          c = c1
          left = left1
          slope = slope1
        end do
      end if
      if (defect < 0.999999_wp .and. s*s + c*c > 0.5_wp) then
        if (c < 0.0_wp .and. abs(s) < 1e-15_wp) s = 0.0_wp ! pi is not -pi, whatever the round-off
        d = s/(abs(s) + abs(c))
        key(j) = merge(d, merge(2.0_wp - d, -2.0_wp - d, s >= 0.0_wp), c >= 0.0_wp)
      else
        s = 0.0_wp
        c = 1.0_wp
        defect = 1.0_wp
        key(j) = 3.0_wp
      end if
      found(j) = s
      found(j + 4) = c
      found(j + 8) = defect
    end do
    place = circle_order_(key)
    do j = 1, 4
      slots(place(j)) = found(j)
      slots(place(j) + 4) = found(j + 4)
      slots(place(j) + 8) = found(j + 8)
    end do
  end subroutine circle_

  ! Logarithms of the sizes of the roots, ascending, by the Newton polygon of the coefficients'
  ! logarithms.
  pure function quartic_sizes_(logs) result(sizes)
    real(wp), intent(in) :: logs(5)
    real(wp) :: sizes(4), hull(5)
    integer :: m, i, j
    hull = logs
    do m = 2, 4
      do i = 1, m - 1
        do j = m + 1, 5
          hull(m) = max(hull(m), (logs(i)*real(j - m, wp) + logs(j)*real(m - i, wp))/real(j - i, wp))
        end do
      end do
    end do
    sizes = hull(1:4) - hull(2:5)
  end function quartic_sizes_

  ! The degree without the leading coefficients that are lost in the round-off of the others, at the
  ! roots without them or at 1; a, lowest first, by logs.
  pure function quartic_degree_(logs) result(degree)
    real(wp), intent(in) :: logs(5)
    real(wp) :: powers(5), weights(5)
    integer :: degree, d, j
    powers = [(real(j, wp), j=0, 4)]
    degree = 4
    do while (degree > 0 .and. logs(degree + 1) <= -10000.0_wp)
      degree = degree - 1
    end do
    do d = 1, degree - 1
      if (logs(d + 1) <= -10000.0_wp) cycle
      weights = logs + powers*max(maxval((logs(1:d) - logs(d + 1))/(d - powers(1:d))), 0.0_wp)
      if (maxval(weights(d + 2:5)) < maxval(weights(1:d + 1)) - 34.5_wp) then
        degree = d
        exit
      end if
    end do
  end function quartic_degree_

  ! The unit of x in which the middle roots are about 1, of a, lowest first. Above degree, a becomes
  ! zero.
  pure subroutine quartic_unit_(a, degree, unit)
    real(wp), intent(inout) :: a(5)
    integer, intent(out) :: degree
    real(wp), intent(out) :: unit
    real(wp) :: logs(5), sizes(4), small, large
    integer :: j, least
    degree = -1
    unit = 1.0_wp
    if (.not. abs(sum(a)) < 6.0_wp) return ! not a number, or all zero
    logs = -10000.0_wp
    least = 5
    do j = 5, 1, -1
      if (abs(a(j)) > 0.0_wp) then
        logs(j) = log(abs(a(j)))
        least = j - 1
      end if
    end do
    degree = quartic_degree_(logs)
    a(degree + 2:5) = 0.0_wp
    logs(degree + 2:5) = -10000.0_wp
    if (degree <= least) return
    sizes = quartic_sizes_(logs)
    small = sizes((least + degree - 1)/2 + 1)
    large = sizes((least + degree)/2 + 1)
    unit = 0.5_wp*(small + large)
    if (large - small >= 60.0_wp) unit = merge(large, small, -small > large)
    unit = exp(max(-170.0_wp, min(170.0_wp, unit)))
  end subroutine quartic_unit_

  ! Newton's method on f1 + f2 x + ... + f5 x^4, as long as it gets nearer to zero.
  pure function quartic_polish_(f, start) result(x)
    real(wp), intent(in) :: f(5), start
    real(wp) :: x, x1, left, left1
    integer :: m
    x = start
    left = (((f(5)*x + f(4))*x + f(3))*x + f(2))*x + f(1)
    do m = 1, 2
      x1 = x - left/(((4.0_wp*f(5)*x + 3.0_wp*f(4))*x + 2.0_wp*f(3))*x + f(2))
      left1 = (((f(5)*x1 + f(4))*x1 + f(3))*x1 + f(2))*x1 + f(1)
      if (.not. abs(left1) < abs(left)) exit
      x = x1
      left = left1
    end do
  end function quartic_polish_

  ! The real roots of a1 x^4 + a2 x^3 + a3 x^2 + a4 x + a5 = 0: 4 roots, ascending, and 4 defects.
  ! A defect is 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a
  ! complex one. With x = unit*tan(t/2) the roots are angles t.
  pure subroutine quartic_(n, a, roots)
    integer, intent(in) :: n
    real(wp), intent(inout) :: a(5)
    real(wp), intent(out) :: roots(8)
    real(wp) :: b(5), k(5), angles(12), below(4), key(4), found(8)
    real(wp) :: unit, twice, s, c, defect, imaginary, x, relative
    integer :: degree, j, i, nearer, place(4)
    b = a(5:1:-1)/maxval(abs(a))
    call quartic_unit_(b, degree, unit)
    b = b*[1.0_wp/unit/unit, 1.0_wp/unit, 1.0_wp, unit, unit*unit]
    b = b/maxval(abs(b))
    twice = (b(1) + b(5) - b(3))/8.0_wp
    k = [(b(1) + b(5))/2.0_wp - twice, (b(1) - b(5))/2.0_wp, (b(4) + b(2))/4.0_wp, twice, &
        (b(2) - b(4))/8.0_wp]
    call circle_(12, k, angles)
    do j = 1, 4 ! |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect
      s = angles(j)
      c = angles(j + 4)
      defect = angles(j + 8)
      below(j) = 1.0_wp + c
      if (c < 0.0_wp) below(j) = s*s/(1.0_wp - c)
      below(j) = defect*defect + 2.0_wp*(1.0_wp - defect)*below(j)
    end do
    do j = 1, 4
      s = angles(j)
      c = angles(j + 4)
      defect = angles(j + 8)
      imaginary = 0.0_wp
      nearer = 0 ! how many roots are nearer to infinity: those that a lower degree lacks
      do i = 1, 4
        if (below(i) < below(j) .or. (below(i) <= below(j) .and. i < j)) nearer = nearer + 1
      end do
      if (defect > 0.0_wp) then
        x = unit*2.0_wp*(1.0_wp - defect)*s/below(j)
        imaginary = unit*defect*(2.0_wp - defect)/below(j)
      else if (c < 0.0_wp) then ! large roots are polished as 1/x, which cannot overflow
        x = unit/quartic_polish_(b(5:1:-1), s/(1.0_wp - c))
      else
        x = unit*quartic_polish_(b, s/(1.0_wp + c))
      end if
      relative = imaginary/(1.0_wp + sqrt(x*x + imaginary*imaginary))
      if (nearer >= 4 - degree .and. relative <= 1.0_wp .and. abs(x) <= huge(x)) then
        found(j) = x + 0.0_wp
        found(j + 4) = relative
        key(j) = x
      else
        found(j) = 0.0_wp
        found(j + 4) = 1.0_wp
        key(j) = huge(x)
      end if
    end do
    place = circle_order_(key)
    do j = 1, 4
      roots(place(j)) = found(j)
      roots(place(j) + 4) = found(j + 4)
    end do
  end subroutine quartic_

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
