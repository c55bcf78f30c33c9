  ! Eigenvalues and null spaces, for the kernel closed_chain.

  ! Householder's reduction to Hessenberg form.
  pure subroutine chain_hessenberg_(n, a)
    integer, intent(in) :: n
    real(wp), intent(inout) :: a(24, 24)
    integer :: m, j
    real(wp) :: v(24), top, norm, below, scale
    do m = 2, n - 1
      v = 0
      v(m:n) = a(m:n, m - 1)
      below = sum(v(m + 1:n)**2)
      if (.not. below > 0) cycle
      top = v(m)
      norm = sqrt(top**2 + below)
      scale = 1/(norm*(norm + abs(top)))
      v(m) = top + merge(norm, -norm, top > 0)
      do j = m - 1, n
        a(m:n, j) = a(m:n, j) - v(m:n)*(scale*dot_product(v(m:n), a(m:n, j)))
      end do
      do j = 1, n
        a(j, m:n) = a(j, m:n) - v(m:n)*(scale*dot_product(a(j, m:n), v(m:n)))
      end do
      a(m, m - 1) = merge(-norm, norm, top > 0)
      a(m + 1:n, m - 1) = 0
    end do
  end subroutine chain_hessenberg_

  ! One double step of Francis on rows low .. end; its shifts are the eigenvalues of [[y, .], [., x]], w the product of
  ! the other two entries.
  pure subroutine chain_francis_(low, end, a, x, y, w)
    integer, intent(in) :: low, end
    real(wp), intent(inout) :: a(24, 24)
    real(wp), intent(in) :: x, y, w
    integer :: m, k, last, size
    real(wp) :: u(3), v(3), z, length, norm, t
    m = end - 2
    do ! start as low as two small subdiagonal entries allow
      z = a(m, m)
      u(1) = ((x - z)*(y - z) - w)/a(m + 1, m) + a(m, m + 1)
      u(2) = a(m + 1, m + 1) - z - (x - z) - (y - z)
      u(3) = a(m + 2, m + 1)
      u = u/sum(abs(u))
      if (m == low) exit
      if (abs(a(m, m - 1))*(abs(u(2)) + abs(u(3))) <= &
          1e-16_wp*abs(u(1))*(abs(a(m - 1, m - 1)) + abs(z) + abs(a(m + 1, m + 1)))) exit
      m = m - 1
    end do
    do k = m, end - 1
      size = merge(3, 2, k < end - 1)
      length = 1
      if (k > m) then
        u = 0
        u(1:size) = a(k:k + size - 1, k - 1)
        length = sum(abs(u))
        if (.not. length > 0) cycle
        u = u/length
      end if
      u(size + 1:) = 0
      norm = sign(norm2(u), u(1))
      if (k > m) then
        a(k, k - 1) = -norm*length
        a(k + 1:k + size - 1, k - 1) = 0
      else if (low < m) then
        a(k, k - 1) = -a(k, k - 1)
      end if
      u(1) = u(1) + norm
      v = u/u(1)
      u = u/norm
      do last = k, end
        t = dot_product(v(1:size), a(k:k + size - 1, last))
        a(k:k + size - 1, last) = a(k:k + size - 1, last) - t*u(1:size)
      end do
      do last = low, min(k + 3, end)
        t = dot_product(u(1:size), a(last, k:k + size - 1))
        a(last, k:k + size - 1) = a(last, k:k + size - 1) - t*v(1:size)
      end do
    end do
  end subroutine chain_francis_

  ! Eigenvalues of a matrix that is overwritten.
  pure subroutine chain_eigenvalues_(n, a, re, im)
    integer, intent(in) :: n
    real(wp), intent(inout) :: a(24, 24)
    real(wp), intent(out) :: re(24), im(24)
    integer :: end, low, tries
    real(wp) :: largest, x, y, w, p, q, root, s
    re = 0
    im = 0
    call chain_hessenberg_(n, a)
    largest = maxval(abs(a(1:n, 1:n)))
    end = n
    tries = 0
    do while (end > 0)
      do low = end, 2, -1
        if (abs(a(low, low - 1)) <= &
            2e-16_wp*(abs(a(low - 1, low - 1)) + abs(a(low, low)) + 0.1_wp*largest)) exit
      end do
      low = max(low, 1)
      x = a(end, end)
      if (low == end) then
        re(end) = x
        end = end - 1
        tries = 0
        cycle
      end if
      y = a(end - 1, end - 1)
      w = a(end, end - 1)*a(end - 1, end)
      if (low == end - 1 .or. tries == 40) then ! a cluster that does not settle is taken as it is
        p = (y - x)/2
        q = p**2 + w
        root = sqrt(abs(q))
        if (q >= 0) then
          p = p + sign(root, p)
          re(end - 1) = x + p
          re(end) = x
          if (abs(p) > 0) re(end) = x - w/p
        else
          re(end - 1:end) = x + p
          im(end - 1:end) = [root, -root]
        end if
        end = end - 2
        tries = 0
        cycle
      end if
      tries = tries + 1
      if (modulo(tries, 10) == 0) then ! a shift from elsewhere, against cycles
        s = abs(a(end, end - 1)) + abs(a(end - 1, end - 2))
        call chain_francis_(low, end, a, x + 0.75_wp*s, x + 0.75_wp*s, -0.4375_wp*s**2)
      else
        call chain_francis_(low, end, a, x, y, w)
      end if
    end do
  end subroutine chain_eigenvalues_

  ! A basis of the null space of a matrix (n, n), by complete pivoting: at most `most` vectors. Pivots small against the
  ! first count as zero, the last one always.
  pure subroutine chain_null_space_(n, matrix, most, vectors, found)
    integer, intent(in) :: n, most
    real(wp), intent(in) :: matrix(12, 12)
    real(wp), intent(out) :: vectors(12, 4)
    integer, intent(out) :: found
    integer :: column(12), rank, place(2), r, k
    real(wp) :: a(12, 12), swapped(12), first, largest, x(12)
    a = matrix
    column = [(k, k=1, 12)]
    vectors = 0
    first = 0
    do rank = 1, n - 1
      place = maxloc(abs(a(rank:n, rank:n))) + rank - 1
      largest = abs(a(place(1), place(2)))
      if (rank == 1) first = largest
      if (.not. largest > 1e-6_wp*first) exit
      swapped = a(rank, :)
      a(rank, :) = a(place(1), :)
      a(place(1), :) = swapped
      swapped = a(:, rank)
      a(:, rank) = a(:, place(2))
      a(:, place(2)) = swapped
      k = column(rank)
      column(rank) = column(place(2))
      column(place(2)) = k
      do r = rank + 1, n
        a(r, rank + 1:n) = a(r, rank + 1:n) - a(r, rank)/a(rank, rank)*a(rank, rank + 1:n)
      end do
    end do
    rank = min(rank, n) - 1
    found = min(n - rank, most)
    do k = 1, found
      x = 0
      x(n + 1 - k) = 1
      do r = rank, 1, -1
        x(r) = -dot_product(a(r, r + 1:n), x(r + 1:n))/a(r, r)
      end do
      vectors(column(1:n), k) = x(1:n)
    end do
  end subroutine chain_null_space_

  ! Solve A X = B in place, A (n, n) and B side by side.
  pure subroutine chain_solve_(n, width, a, regular)
    integer, intent(in) :: n, width
    real(wp), intent(inout) :: a(n, width)
    logical, intent(out) :: regular
    integer :: c, r, pivot
    real(wp) :: swapped(width)
    regular = .false.
    do c = 1, n
      pivot = maxloc(abs(a(c:n, c)), 1) + c - 1
      if (.not. abs(a(pivot, c)) > 1e-280_wp) return
      swapped = a(c, :)
      a(c, :) = a(pivot, :)
      a(pivot, :) = swapped
      a(c, c + 1:) = a(c, c + 1:)/a(c, c)
      do r = 1, n
        if (r /= c) a(r, c + 1:) = a(r, c + 1:) - a(r, c)*a(c, c + 1:)
      end do
    end do
    regular = .true.
  end subroutine chain_solve_

  ! Sum of the products of two vectors of monomials, where those of b have a lower power of y (or z); a has it too when
  ! raise, else the same as b.
  pure function chain_pair_(a, b, last, by_z, raise) result(total)
    real(wp), intent(in) :: a(12), b(12)
    integer, intent(in) :: last
    logical, intent(in) :: by_z, raise
    real(wp) :: total, one(last, 4), two(last, 4)
    one = reshape(a(1:4*last), [last, 4])
    two = reshape(b(1:4*last), [last, 4])
    if (by_z) then
      if (raise) then
        total = sum(one(1:last - 1, :)*two(2:last, :))
      else
        total = sum(one(2:last, :)*two(2:last, :))
      end if
    else if (raise) then
      total = sum(one(:, 1:3)*two(:, 2:4))
    else
      total = sum(one(:, 2:4)*two(:, 2:4))
    end if
  end function chain_pair_

  ! Vectors of monomials in the null space of the pencil at a root. Solutions that share the pivot's value are told
  ! apart by the eigenvectors of multiplication by y + 0.37 z in that space.
  pure subroutine chain_vectors_(last, at_root, vectors, made)
    integer, intent(in) :: last
    real(wp), intent(in) :: at_root(12, 12)
    real(wp), intent(out) :: vectors(12, 4)
    integer, intent(out) :: made
    real(wp) :: space(12, 4), action(24, 24), again(24, 24), re(24), im(24), shifted(12, 12), direction(12, 4)
    real(wp) :: pairs(4, 8)
    integer :: found, i, j, e, turn
    logical :: regular
    call chain_null_space_(4*last, at_root, 4, space, found)
    vectors = space
    made = 1
    if (found == 1) return
    made = 0
    action = 0
    do turn = 1, merge(2, 1, last == 3)
      pairs = 0
      do i = 1, found
        do j = 1, found
          pairs(i, j) = chain_pair_(space(:, j), space(:, i), last, turn == 2, .false.)
          pairs(i, found + j) = chain_pair_(space(:, j), space(:, i), last, turn == 2, .true.)
        end do
      end do
      call chain_solve_(found, 2*found, pairs(1:found, 1:2*found), regular)
      if (.not. regular) return
      action(1:found, 1:found) = action(1:found, 1:found) &
                                 + merge(0.37_wp, 1.0_wp, turn == 2)*pairs(1:found, found + 1:2*found)
    end do
    again = action
    call chain_eigenvalues_(found, again, re, im)
    do e = 1, found
      if (.not. abs(im(e)) < 1e-2_wp*(1 + abs(re(e)))) cycle
      shifted = action(1:12, 1:12)
      do i = 1, found
        shifted(i, i) = shifted(i, i) - re(e)
      end do
      call chain_null_space_(found, shifted, 1, direction, i)
      made = made + 1
      vectors(:, made) = matmul(space(:, 1:found), direction(1:found, 1))
    end do
  end subroutine chain_vectors_

  ! Half angles of the roots, x = tan(half), that are real up to a limit. doubt: 2 where the leading matrix is singular,
  ! 1 where it is nearly so or other roots are almost real.
  pure subroutine chain_roots_(n, kind, limit, pencil, halves, found, doubt)
    integer, intent(in) :: n, kind
    real(wp), intent(in) :: limit, pencil(12, 12, 3)
    real(wp), intent(out) :: halves(24)
    integer, intent(out) :: found, doubt
    real(wp) :: system(n, 3*n), companion(24, 24), re(24), im(24), half, size
    integer :: e, place
    logical :: regular
    system(:, 1:n) = pencil(1:n, 1:n, 3)
    system(:, n + 1:2*n) = pencil(1:n, 1:n, 1)
    system(:, 2*n + 1:) = pencil(1:n, 1:n, 2)
    call chain_solve_(n, 3*n, system, regular)
    doubt = 2
    if (regular .and. all(abs(system(:, n + 1:)) < 1e10_wp)) doubt = 1
    if (regular .and. all(abs(system(:, n + 1:)) < 1e6_wp)) doubt = 0
    companion = 0
    do e = 1, n
      companion(e, n + e) = 1
    end do
    companion(n + 1:2*n, 1:2*n) = -system(:, n + 1:)
    call chain_eigenvalues_(2*n, companion, re, im)
    found = 0
    halves = 0
    do e = 1, 2*n
      size = 1 + re(e)**2 + im(e)**2
      if (kind == 1 .and. abs(re(e)) < 1e-5_wp) cycle
      if (.not. abs(im(e)) < limit*size) then
        if (abs(im(e)) < 0.03_wp*size) doubt = max(doubt, 1)
        cycle
      end if
      half = atan2(1.0_wp, re(e))
      found = found + 1
      do place = found, 2, -1
        if (halves(place - 1) <= half) exit
        halves(place) = halves(place - 1)
      end do
      halves(max(place, 1)) = half
    end do
  end subroutine chain_roots_
