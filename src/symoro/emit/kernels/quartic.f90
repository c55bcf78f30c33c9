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
