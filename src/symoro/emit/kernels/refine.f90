  ! The end of the chain K0 J1 K1 .. Jn Kn less the target where that is given, its derivatives, and the largest
  ! entry. marks: n, tolerance, 12 times 1 where given, n times 1 (turns) or 2 (slides), negative backwards.
  pure subroutine refine_miss_(n, placements, target, marks, q, miss, slopes, most)
    integer, intent(in) :: n
    real(wp), intent(in) :: placements(12*(n + 1)), target(12), marks(14 + n), q(n)
    real(wp), intent(out) :: miss(12), slopes(12, n), most
    real(wp) :: t(3, 4), b(3, 4), axes(3, n), points(3, n), c, s, way, turned(3, 2)
    integer :: i, e, r, j
    t = reshape(placements(1:12), [3, 4], order=[2, 1])
    do i = 1, n
      b = reshape(placements(12*i + 1:12*i + 12), [3, 4], order=[2, 1])
      way = sign(1.0_wp, marks(14 + i))
      axes(:, i) = way*t(:, 3)
      points(:, i) = t(:, 4)
      if (abs(marks(14 + i)) > 1.5_wp) then
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

  ! (J'J + damping) x = right, for the derivatives J; hardly damped. x holds the right side first.
  pure subroutine refine_solve_(n, slopes, x)
    integer, intent(in) :: n
    real(wp), intent(in) :: slopes(12, n)
    real(wp), intent(inout) :: x(n)
    real(wp) :: a(n, n), top
    integer :: i, c, r
    a = matmul(transpose(slopes), slopes)
    top = 0.0_wp
    do i = 1, n
      top = max(top, a(i, i))
    end do
    do i = 1, n
      a(i, i) = a(i, i) + 1e-14_wp*top
    end do
    do c = 1, n
      do r = c + 1, n
        x(r) = x(r) - a(r, c)/a(c, c)*x(c)
        a(r, c + 1:) = a(r, c + 1:) - a(r, c)/a(c, c)*a(c, c + 1:)
      end do
    end do
    do r = n, 1, -1
      x(r) = (x(r) - sum(a(r, r + 1:)*x(r + 1:)))/a(r, r)
    end do
  end subroutine refine_solve_

  ! The best of Newton's iterates from q, and its residual.
  pure subroutine refine_row_(n, placements, target, marks, q, least)
    integer, intent(in) :: n
    real(wp), intent(in) :: placements(12*(n + 1)), target(12), marks(14 + n)
    real(wp), intent(inout) :: q(n)
    real(wp), intent(out) :: least
    real(wp) :: miss(12), slopes(12, n), step(n), x(n), most
    integer :: tries
    call refine_miss_(n, placements, target, marks, q, miss, slopes, least)
    do tries = 1, 15
      step = matmul(transpose(slopes), miss)
      call refine_solve_(n, slopes, step)
      x = q - step
      call refine_miss_(n, placements, target, marks, x, miss, slopes, most)
      if (.not. most < least) exit
      least = most
      q = x
    end do
  end subroutine refine_row_

  ! The direction in which the end of the chain moves least, by inverse iteration, and whether that is little.
  pure subroutine refine_weak_(n, placements, target, marks, q, way, weak)
    integer, intent(in) :: n
    real(wp), intent(in) :: placements(12*(n + 1)), target(12), marks(14 + n), q(n)
    real(wp), intent(out) :: way(n)
    logical, intent(out) :: weak
    real(wp) :: miss(12), slopes(12, n), most
    integer :: i, tries
    call refine_miss_(n, placements, target, marks, q, miss, slopes, most)
    do i = 1, n
      way(i) = 1.0_wp + 0.1_wp*real(i - 1, wp)
    end do
    do tries = 1, 3
      call refine_solve_(n, slopes, way)
      way = way/sqrt(sum(way*way))
    end do
    weak = sum(matmul(slopes, way)**2) < 1e-3_wp*maxval(sum(slopes*slopes, 1))
  end subroutine refine_weak_

  ! Whether a valid row other than k (from 0) holds the joints q.
  pure function refine_again_(n, count, marks, rows, k, q) result(again)
    integer, intent(in) :: n, count, k
    real(wp), intent(in) :: marks(14 + n), rows((n + 2)*count), q(n)
    logical :: again
    real(wp) :: apart(n)
    integer :: j, at
    again = .false.
    do j = 0, count - 1
      at = (n + 2)*j
      if (j == k .or. (nint(rows(at + n + 2)) /= 0 .and. nint(rows(at + n + 2)) /= 2)) cycle
      apart = rows(at + 1:at + n) - q
      where (abs(marks(15:14 + n)) < 1.5_wp) apart = atan2(sin(apart), cos(apart))
      again = again .or. all(abs(apart) < 1e-5_wp)
    end do
  end function refine_again_

  ! One row (k from 0). Where Newton's method is caught between two solutions that almost meet, or ends at one that
  ! another row holds, it starts again to both sides along the direction in which the chain moves least.
  pure subroutine refine_one_(n, count, placements, target, marks, rows, k)
    integer, intent(in) :: n, count, k
    real(wp), intent(in) :: placements(12*(n + 1)), target(12), marks(14 + n)
    real(wp), intent(inout) :: rows((n + 2)*count)
    real(wp) :: q(n), x(n), way(n), least, most, fine, aside
    integer :: at, side
    logical :: again, weak
    at = (n + 2)*k
    fine = 1e-3_wp*marks(2)
    q = rows(at + 1:at + n)
    call refine_row_(n, placements, target, marks, q, least)
    again = .false.
    if (least <= marks(2)) again = refine_again_(n, count, marks, rows, k, q)
    if (again .or. .not. least <= fine) then
      call refine_weak_(n, placements, target, marks, q, way, weak)
      aside = 10.0_wp*sqrt(merge(rows(at + n + 1), least, least <= fine))
      do side = -1, 1, 2
        if (.not. weak) exit
        x = q + real(side, wp)*aside*way
        call refine_row_(n, placements, target, marks, x, most)
        if (.not. most <= fine) cycle
        if (refine_again_(n, count, marks, rows, k, x)) cycle
        q = x
        least = most
        again = .false.
        exit
      end do
    end if
    if (again) then
      rows(at + n + 2) = 3.0_wp
    else if (least <= marks(2)) then
      where (abs(marks(15:14 + n)) < 1.5_wp) q = atan2(sin(q), cos(q))
      rows(at + 1:at + n) = q
      rows(at + n + 1) = least
      if (nint(rows(at + n + 2)) /= 2) rows(at + n + 2) = 0.0_wp
    end if
  end subroutine refine_one_

  ! Rows of joints, residual and status: those that are not quite solutions of K0 J1 K1 .. Jn Kn = T are made so by
  ! Newton's method, and are empty where another row holds the same.
  pure subroutine refine_(size, placements, target, marks, rows, results)
    integer, intent(in) :: size
    real(wp), intent(in) :: placements(*), target(12), marks(*), rows(size)
    real(wp), intent(out) :: results(size)
    integer :: n, k, at
    n = nint(marks(1))
    results = rows
    do k = 0, size/(n + 2) - 1
      at = (n + 2)*k
      if (.not. results(at + n + 1) < 1e-2_wp) cycle
      if (.not. results(at + n + 1) > 1e-3_wp*marks(2) .and. nint(results(at + n + 2)) /= 1) cycle
      call refine_one_(n, size/(n + 2), placements(1:12*(n + 1)), target, marks(1:14 + n), results, k)
    end do
  end subroutine refine_
