  ! The end of the chain K0 J1 K1 .. Jn Kn less the target where that is given, its derivatives, and the largest
  ! entry. marks: n, tolerance, 12 times 1 where given, n times 1 (turns) or 2 (slides), negative backwards.
  pure subroutine refine_miss_(n, placements, target, marks, q, miss, slopes, most)
    integer, intent(in) :: n
    real(wp), intent(in) :: placements(12*(n + 1)), target(12), marks(14 + n), q(n)
    real(wp), intent(out) :: miss(12), slopes(12, n), most
    real(wp) :: t(3, 4), b(3, 4), axes(3, n), points(3, n), c, s, way, turned(3, 2)
    integer :: i, e, r, j
    logical :: slides
    t = reshape(placements(1:12), [3, 4], order=[2, 1])
    do i = 1, n
      b = reshape(placements(12*i + 1:12*i + 12), [3, 4], order=[2, 1])
      way = sign(1.0_wp, marks(14 + i))
      slides = abs(marks(14 + i)) > 1.5_wp
      axes(:, i) = way*t(:, 3)
      points(:, i) = t(:, 4)
      if (slides) then
        t(:, 4) = t(:, 4) + q(i)*axes(:, i)
      else
        c = cos(q(i))
        s = way*sin(q(i))
        turned(:, 1) = c*t(:, 1) + s*t(:, 2)
        turned(:, 2) = c*t(:, 2) - s*t(:, 1)
        t(:, 1:2) = turned
      end if
      b = matmul(t(:, 1:3), b)
      b(:, 4) = b(:, 4) + t(:, 4)
      t = b
    end do
    most = 0.0_wp
    slopes = 0.0_wp
    do r = 1, 3
      do j = 1, 4
        e = 4*(r - 1) + j
        miss(e) = 0.0_wp
        if (marks(2 + e) > 0.5_wp) miss(e) = t(r, j) - target(e)
        if (.not. abs(miss(e)) <= most) most = abs(miss(e)) ! keeps what is not a number
      end do
    end do
    do i = 1, n
      b = 0.0_wp
      if (abs(marks(14 + i)) > 1.5_wp) then
        b(:, 4) = axes(:, i)
      else
        do j = 1, 4
          b(:, j) = t(:, j)
          if (j == 4) b(:, 4) = t(:, 4) - points(:, i)
          b(:, j) = [axes(2, i)*b(3, j) - axes(3, i)*b(2, j), axes(3, i)*b(1, j) - axes(1, i)*b(3, j), &
            axes(1, i)*b(2, j) - axes(2, i)*b(1, j)]
        end do
      end if
      do r = 1, 3
        do j = 1, 4
          e = 4*(r - 1) + j
          if (marks(2 + e) > 0.5_wp) slopes(e, i) = b(r, j)
        end do
      end do
    end do
  end subroutine refine_miss_

  ! The step of Newton's method: least squares by the normal equations, hardly damped.
  pure subroutine refine_step_(n, miss, slopes, step)
    integer, intent(in) :: n
    real(wp), intent(in) :: miss(12), slopes(12, n)
    real(wp), intent(out) :: step(n)
    real(wp) :: a(n, n), top
    integer :: i, c, r
    a = matmul(transpose(slopes), slopes)
    step = matmul(transpose(slopes), miss)
    top = 0.0_wp
    do i = 1, n
      top = max(top, a(i, i))
    end do
    do i = 1, n
      a(i, i) = a(i, i) + 1e-14_wp*top
    end do
    do c = 1, n
      do r = c + 1, n
        step(r) = step(r) - a(r, c)/a(c, c)*step(c)
        a(r, c + 1:) = a(r, c + 1:) - a(r, c)/a(c, c)*a(c, c + 1:)
      end do
    end do
    do r = n, 1, -1
      step(r) = (step(r) - sum(a(r, r + 1:)*step(r + 1:)))/a(r, r)
    end do
  end subroutine refine_step_

  ! The best of Newton's iterates from q, angles in (-pi, pi], and its residual.
  pure subroutine refine_row_(n, placements, target, marks, q, least)
    integer, intent(in) :: n
    real(wp), intent(in) :: placements(12*(n + 1)), target(12), marks(14 + n)
    real(wp), intent(inout) :: q(n)
    real(wp), intent(out) :: least
    real(wp) :: miss(12), slopes(12, n), step(n), x(n), most
    integer :: tries
    call refine_miss_(n, placements, target, marks, q, miss, slopes, least)
    do tries = 1, 10
      call refine_step_(n, miss, slopes, step)
      x = q - step
      call refine_miss_(n, placements, target, marks, x, miss, slopes, most)
      if (.not. most < least) exit
      least = most
      q = x
    end do
    where (abs(marks(15:14 + n)) < 1.5_wp) q = atan2(sin(q), cos(q))
  end subroutine refine_row_

  ! Rows of joints, residual and status: those that are not quite solutions of K0 J1 K1 .. Jn Kn = T are made so by
  ! Newton's method, and are empty where another row holds the same.
  pure subroutine refine_(size, placements, target, marks, rows, results)
    integer, intent(in) :: size
    real(wp), intent(in) :: placements(*), target(12), marks(*), rows(size)
    real(wp), intent(out) :: results(size)
    real(wp) :: q(16), apart(16), least
    integer :: n, count, k, j, at, other
    logical :: again
    n = nint(marks(1))
    count = size/(n + 2)
    results = rows
    do k = 0, count - 1
      at = (n + 2)*k
      if (.not. results(at + n + 1) < 1e-2_wp) cycle
      if (results(at + n + 1) <= 1e-3_wp*marks(2) .and. nint(results(at + n + 2)) /= 1) cycle
      q(1:n) = results(at + 1:at + n)
      call refine_row_(n, placements(1:12*(n + 1)), target, marks(1:14 + n), q(1:n), least)
      if (.not. least <= marks(2)) cycle
      again = .false.
      do j = 0, count - 1
        other = (n + 2)*j
        if (j == k .or. (nint(results(other + n + 2)) /= 0 .and. nint(results(other + n + 2)) /= 2)) cycle
        apart(1:n) = results(other + 1:other + n) - q(1:n)
        where (abs(marks(15:14 + n)) < 1.5_wp) apart(1:n) = atan2(sin(apart(1:n)), cos(apart(1:n)))
        again = again .or. all(abs(apart(1:n)) < 1e-5_wp)
      end do
      if (again) then
        results(at + n + 2) = 3.0_wp
        cycle
      end if
      results(at + 1:at + n) = q(1:n)
      results(at + n + 1) = least
      if (nint(results(at + n + 2)) /= 2) results(at + n + 2) = 0.0_wp
    end do
  end subroutine refine_
