  ! All real solutions of prod_{i=1..6} J_i(q_i) C_i = 1, J = Rz (revolute) or Tz (prismatic): Raghavan and Roth 1993
  ! with the eigenvalues of Manocha and Canny 1994. See the documentation of the kernel closed_chain.
  pure function chain_compose_(a, b) result(made)
    real(wp), intent(in) :: a(3, 4), b(3, 4)
    real(wp) :: made(3, 4)
    made = matmul(a(:, 1:3), b)
    made(:, 4) = made(:, 4) + a(:, 4)
  end function chain_compose_

  pure function chain_inverse_(a) result(made)
    real(wp), intent(in) :: a(3, 4)
    real(wp) :: made(3, 4)
    made(:, 1:3) = transpose(a(:, 1:3))
    made(:, 4) = -matmul(made(:, 1:3), a(:, 4))
  end function chain_inverse_

  ! J(value) C
  pure function chain_joint_(kind, value, placement) result(made)
    integer, intent(in) :: kind
    real(wp), intent(in) :: value, placement(3, 4)
    real(wp) :: made(3, 4)
    made = placement
    if (kind == 1) then
      made(3, 4) = made(3, 4) + value
    else
      made(1, :) = cos(value)*placement(1, :) - sin(value)*placement(2, :)
      made(2, :) = sin(value)*placement(1, :) + cos(value)*placement(2, :)
    end if
  end function chain_joint_

  ! Joints, kinds and placements by roles; suits says whether the arrangement fits the kinds.
  pure subroutine chain_arrange_(placements, kinds, step, order, marks, shifts, roles, slides, suits)
    real(wp), intent(in) :: placements(3, 4, 6), step(4)
    integer, intent(in) :: kinds(6)
    integer, intent(out) :: order(6), marks(6)
    real(wp), intent(out) :: shifts(6), roles(3, 4, 6)
    logical, intent(out) :: slides, suits
    integer :: arrangement, i, joint
    real(wp) :: made(3, 4)
    order = 0
    marks = 0
    shifts = 0
    roles = 0
    slides = .false.
    suits = step(1) >= 0 .and. step(1) < 12
    if (.not. suits) return
    arrangement = int(step(1))
    shifts(3:5) = step(2:4)
    do i = 1, 6
      if (arrangement < 6) then
        joint = modulo(arrangement + i - 1, 6) + 1
        made = placements(:, :, joint)
      else ! the inverse of the placement before the joint, turned about x by pi
        joint = modulo(18 - arrangement - i, 6) + 1
        made = chain_inverse_(placements(:, :, modulo(joint + 4, 6) + 1))
        made(2:3, :) = -made(2:3, :)
        made(:, 2:3) = -made(:, 2:3)
      end if
      order(i) = joint
      marks(i) = kinds(joint)
      roles(:, :, i) = chain_joint_(marks(i), shifts(i), made)
    end do
    slides = marks(3) == 1 .and. marks(6) == 1
    suits = slides .or. marks(6) == 0
  end subroutine chain_arrange_

  ! The functions that both sides share, of a product of placements.
  pure function chain_functions_(slides, t) result(f)
    logical, intent(in) :: slides
    real(wp), intent(in) :: t(3, 4)
    real(wp) :: f(14), l(3), p(3), cross(3)
    l = t(:, 3)
    p = t(:, 4)
    cross = [p(2)*l(3) - p(3)*l(2), p(3)*l(1) - p(1)*l(3), p(1)*l(2) - p(2)*l(1)]
    f = 0
    if (slides) then
      f(1:9) = reshape(t(:, 1:3), [9])
      f(10) = cross(3)
    else
      f(1:3) = p
      f(4:6) = l
      f(7) = dot_product(p, p)
      f(8) = dot_product(p, l)
      f(9:11) = cross
      f(12:14) = f(7)*l - 2*f(8)*p
    end if
  end function chain_functions_

  ! From values at three nodes to coefficients: of (cos, sin, 1), or when half of (x^2, x, 1) of the half tangent, times
  ! 1 + x^2; of (r^2, r, 1) for a length.
  pure subroutine chain_fit_(kind, half, a, b, c)
    integer, intent(in) :: kind
    logical, intent(in) :: half
    real(wp), intent(inout) :: a, b, c
    real(wp) :: cosine, sine, mean, square
    if (kind == 1) then
      square = (a + c)/2 - b
      mean = b
      b = (c - a)/2
      a = square
      c = mean
    else
      cosine = (2*a - b - c)/3
      sine = (b - c)/sqrt(3.0_wp)
      mean = (a + b + c)/3
      a = merge(mean - cosine, cosine, half)
      b = merge(2*sine, sine, half)
      c = merge(mean + cosine, mean, half)
    end if
  end subroutine chain_fit_

  ! Both sides, fitted: right(:, i, j) over (cos, sin, 1) of joints 1 and 2, its constant taken over to the left;
  ! left(:, z, y, x) over powers of half tangents of the pivot (x) and the joints after it.
  pure subroutine chain_equations_(marks, slides, roles, left, right, constant)
    integer, intent(in) :: marks(6)
    logical, intent(in) :: slides
    real(wp), intent(in) :: roles(3, 4, 6)
    real(wp), intent(out) :: left(14, 3, 3, 3), right(14, 3, 3), constant(14)
    real(wp) :: at(3, 4, 3, 5), node, both(3, 4)
    integer :: i, j, k, f, last
    do i = 1, 5
      do k = 1, 3
        node = merge(k - 2.0_wp, (k - 1)*2*acos(-1.0_wp)/3, marks(i) == 1)
        at(:, :, k, i) = chain_joint_(marks(i), node, roles(:, :, i))
      end do
    end do
    left = 0
    last = merge(1, 3, slides)
    do i = 1, 3
      do j = 1, 3
        both = chain_compose_(chain_compose_(roles(:, :, 6), at(:, :, i, 1)), at(:, :, j, 2))
        right(:, i, j) = chain_functions_(slides, chain_inverse_(both))
        both = chain_compose_(at(:, :, i, 4), at(:, :, j, 5))
        if (slides) then
          left(:, 1, j, i) = chain_functions_(slides, chain_compose_(roles(:, :, 3), both))
        else
          do k = 1, 3
            left(:, j, i, k) = chain_functions_(slides, chain_compose_(at(:, :, k, 3), both))
          end do
        end if
      end do
    end do
    do f = 1, 14
      do k = 1, 3
        call chain_fit_(marks(1), .false., right(f, 1, k), right(f, 2, k), right(f, 3, k))
      end do
      do k = 1, 3
        call chain_fit_(marks(2), .false., right(f, k, 1), right(f, k, 2), right(f, k, 3))
      end do
    end do
    constant = right(:, 3, 3)
    k = merge(4, 3, slides)
    do f = 1, 14
      left(f, 1:last, :, :) = left(f, 1:last, :, :) - constant(f)
      do i = 1, 3
        do j = 1, last
          call chain_fit_(marks(k), .true., left(f, j, i, 1), left(f, j, i, 2), left(f, j, i, 3))
        end do
      end do
      do i = 1, 3
        do j = 1, last
          call chain_fit_(marks(k + 1), .true., left(f, j, 1, i), left(f, j, 2, i), left(f, j, 3, i))
        end do
      end do
      if (slides) cycle
      do i = 1, 3
        do j = 1, 3
          call chain_fit_(marks(5), .true., left(f, 1, j, i), left(f, 2, j, i), left(f, 3, j, i))
        end do
      end do
    end do
  end subroutine chain_equations_

  ! Reflections that make the first eight columns of side triangular, the longest first: the rows below are free of q1
  ! and q2. The reflections stay in the columns that they have cleared.
  pure subroutine chain_eliminate_(rows, side, scales, pivots, columns, rank)
    integer, intent(in) :: rows
    real(wp), intent(inout) :: side(14, 35)
    real(wp), intent(out) :: scales(8), pivots(8)
    integer, intent(out) :: columns(8), rank
    integer :: c, j, longest
    real(wp) :: lengths(8), swapped(14), norm, first, top
    columns = [(c, c=1, 8)]
    scales = 0
    pivots = 1
    rank = 0
    first = 0
    do c = 1, 8
      lengths = -1
      do j = c, 8
        lengths(j) = norm2(side(c:rows, j))
      end do
      longest = maxloc(lengths, 1)
      swapped = side(:, c)
      side(:, c) = side(:, longest)
      side(:, longest) = swapped
      j = columns(c)
      columns(c) = columns(longest)
      columns(longest) = j
      norm = max(lengths(longest), 0.0_wp)
      if (c == 1) first = norm
      if (norm > 1e-9_wp*first) rank = rank + 1
      if (.not. norm > 1e-14_wp*first) cycle
      top = side(c, c)
      pivots(c) = merge(-norm, norm, top > 0)
      side(c, c) = top - pivots(c)
      scales(c) = 1/(norm*(norm + abs(top)))
      do j = c + 1, 35
        side(c:rows, j) = side(c:rows, j) - side(c:rows, c)*(scales(c)*dot_product(side(c:rows, c), side(c:rows, j)))
      end do
    end do
  end subroutine chain_eliminate_

  ! Monomials of q1, q2 from the value of the left side; the least ones when they are not fixed.
  pure function chain_monomials_(rows, side, scales, pivots, columns, rank, value) result(monomials)
    integer, intent(in) :: rows, columns(8), rank
    real(wp), intent(in) :: side(14, 35), scales(8), pivots(8), value(14)
    real(wp) :: monomials(8), known(14), solved(8, 9), system(8 - rank, 9 - rank)
    integer :: c, k, loose
    logical :: regular
    known = value
    do c = 1, 8
      known(c:rows) = known(c:rows) - side(c:rows, c)*(scales(c)*dot_product(side(c:rows, c), known(c:rows)))
    end do
    loose = 8 - rank
    solved = 0 ! the triangular system for the columns beyond the rank and for the value
    do c = rank, 1, -1
      solved(c, 1:loose) = side(c, rank + 1:8)
      solved(c, loose + 1) = known(c)
      do k = c + 1, rank
        solved(c, :) = solved(c, :) - side(c, k)*solved(k, :)
      end do
      solved(c, :) = solved(c, :)/pivots(c)
    end do
    system = matmul(transpose(solved(:, 1:loose)), solved(:, 1:loose + 1))
    do c = 1, loose
      system(c, c) = system(c, c) + 1
    end do
    call chain_solve_(loose, loose + 1, system, regular)
    monomials(columns(1:rank)) = solved(1:rank, loose + 1) - matmul(solved(1:rank, 1:loose), system(:, loose + 1))
    monomials(columns(rank + 1:8)) = system(:, loose + 1)
  end function chain_monomials_
