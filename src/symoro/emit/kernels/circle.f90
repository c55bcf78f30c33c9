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
