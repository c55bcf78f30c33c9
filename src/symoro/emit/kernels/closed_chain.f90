  ! The value of the variable that a vector of monomials has.
  pure function chain_ratio_(kind, vector, last, by_z) result(value)
    integer, intent(in) :: kind, last
    real(wp), intent(in) :: vector(12)
    logical, intent(in) :: by_z
    real(wp) :: value, top, bottom
    top = chain_pair_(vector, vector, last, by_z, .true.)
    bottom = chain_pair_(vector, vector, last, by_z, .false.)
    if (kind == 0) then
      value = 2*atan2(top, bottom)
    else
      value = merge(top/max(bottom, tiny(bottom)), 0.0_wp, bottom > 0)
    end if
  end function chain_ratio_

  ! Product of the loop, axes and points of the joints, largest entry of |product - 1|.
  pure subroutine chain_product_(placements, kinds, q, axes, points, product, defect)
    real(wp), intent(in) :: placements(3, 4, 6), q(6)
    integer, intent(in) :: kinds(6)
    real(wp), intent(out) :: axes(3, 6), points(3, 6), product(3, 4), defect
    real(wp) :: unit(3, 4)
    integer :: i
    unit = 0
    do i = 1, 3
      unit(i, i) = 1
    end do
    product = unit
    do i = 1, 6
      axes(:, i) = product(:, 3)
      points(:, i) = product(:, 4)
      product = chain_compose_(product, chain_joint_(kinds(i), q(i), placements(:, :, i)))
    end do
    defect = 1e30_wp
    if (all(abs(product) < 1e30_wp)) defect = maxval(abs(product - unit))
  end subroutine chain_product_

  ! Error twist and Jacobian, at the product t of the loop.
  pure subroutine chain_jacobian_(kinds, axes, points, t, error, jacobian)
    integer, intent(in) :: kinds(6)
    real(wp), intent(in) :: axes(3, 6), points(3, 6), t(3, 4)
    real(wp), intent(out) :: error(6), jacobian(6, 6)
    real(wp) :: arm(3), z(3)
    integer :: i
    jacobian = 0
    do i = 1, 6
      z = axes(:, i)
      arm = t(:, 4) - points(:, i)
      if (kinds(i) == 1) then
        jacobian(1:3, i) = z
      else
        jacobian(1:3, i) = [z(2)*arm(3) - z(3)*arm(2), z(3)*arm(1) - z(1)*arm(3), z(1)*arm(2) - z(2)*arm(1)]
        jacobian(4:6, i) = z
      end if
    end do
    error(1:3) = t(:, 4)
    error(4:6) = [t(3, 2) - t(2, 3), t(1, 3) - t(3, 1), t(2, 1) - t(1, 2)]/2
  end subroutine chain_jacobian_

  ! A step of Newton's method, damped where an angle would jump, since there the Jacobian is nearly singular (weak).
  pure subroutine chain_step_(kinds, axes, points, t, defect, step, damped, weak)
    integer, intent(in) :: kinds(6)
    real(wp), intent(in) :: axes(3, 6), points(3, 6), t(3, 4), defect
    real(wp), intent(out) :: step(6)
    logical, intent(out) :: damped, weak
    real(wp) :: jacobian(6, 6), error(6), system(6, 8)
    integer :: i
    logical :: regular
    call chain_jacobian_(kinds, axes, points, t, error, jacobian)
    system(:, 1:6) = jacobian
    system(:, 7) = error
    system(:, 8) = [-1, 1, -1, 1, -1, 1]
    call chain_solve_(6, 8, system, regular)
    damped = .not. (regular .and. all(kinds == 1 .or. abs(system(:, 7)) < 0.5_wp))
    weak = damped .or. .not. all(abs(system(:, 8)) < 1e3_wp) ! two solutions nearly meet
    if (damped) then
      system(:, 1:6) = matmul(transpose(jacobian), jacobian)
      system(:, 7) = matmul(transpose(jacobian), error)
      do i = 1, 6
        system(i, i) = system(i, i) + min(max(defect, 1e-12_wp), 1e-6_wp)
      end do
      call chain_solve_(6, 8, system, regular)
    end if
    step = system(:, 7)
  end subroutine chain_step_

  ! The best of Newton's iterates from q, angles in (-pi, pi], and its defect q(7); whether the Jacobian is nearly
  ! singular.
  pure subroutine chain_polish_(placements, kinds, q, weak)
    real(wp), intent(in) :: placements(3, 4, 6)
    integer, intent(in) :: kinds(6)
    real(wp), intent(inout) :: q(7)
    logical, intent(out) :: weak
    real(wp) :: axes(3, 6), points(3, 6), t(3, 4), x(6), step(6), defect, turn
    integer :: tries
    logical :: settled, damped
    turn = 2*acos(-1.0_wp)
    settled = .false.
    weak = .true.
    x = q(1:6)
    q(7) = 1e30_wp
    do tries = 1, 40
      if (.not. all(abs(x) < 1e30_wp)) exit
      x = merge(x, turn/2 - modulo(turn/2 - x, turn), kinds == 1)
      call chain_product_(placements, kinds, x, axes, points, t, defect)
      if (defect < q(7)) then
        q(1:6) = x
        q(7) = defect
      end if
      if (settled .or. .not. defect < 1e30_wp) exit
      call chain_step_(kinds, axes, points, t, defect, step, damped, weak)
      x = x - step
      settled = .not. damped .and. all(abs(step) < 1e-8_wp)
    end do
  end subroutine chain_polish_

  ! Put a solution q1 .. q6, defect in its place among count of them, unless it is there already: two are one where the
  ! posture between them closes the loop as well as they do.
  pure subroutine chain_insert_(placements, kinds, q, count, table)
    real(wp), intent(in) :: placements(3, 4, 6)
    integer, intent(in) :: kinds(6)
    real(wp), intent(in) :: q(7)
    integer, intent(inout) :: count
    real(wp), intent(inout) :: table(7, 16)
    real(wp) :: apart(6), keys(6), others(6), turn, axes(3, 6), points(3, 6), t(3, 4), defect
    integer :: k, i, place
    turn = 2*acos(-1.0_wp)
    do k = 1, count
      apart = q(1:6) - table(1:6, k)
      where (kinds == 0) apart = apart - turn*anint(apart/turn)
      if (.not. all(abs(apart) < 1e-5_wp)) cycle
      call chain_product_(placements, kinds, table(1:6, k) + apart/2, axes, points, t, defect)
      if (defect <= max(1e-14_wp, q(7), table(7, k))) return
    end do
    if (count == 16) return
    keys = anint(merge(q(1:6) + turn, q(1:6), kinds == 0 .and. q(1:6) < 1e-6_wp - turn/2)*1e6_wp)
    do place = count + 1, 2, -1
      others = table(1:6, place - 1)
      others = anint(merge(others + turn, others, kinds == 0 .and. others < 1e-6_wp - turn/2)*1e6_wp)
      do i = 1, 6
        if (abs(keys(i) - others(i)) > 0.5_wp) exit
      end do
      i = min(i, 6)
      if (.not. keys(i) < others(i)) exit
      table(:, place) = table(:, place - 1)
    end do
    table(:, max(place, 1)) = q
    count = count + 1
  end subroutine chain_insert_

  ! The unit vector that a matrix shortens most, given the products of its columns: by inverse iteration.
  pure function chain_weakest_(products) result(v)
    real(wp), intent(in) :: products(6, 6)
    real(wp) :: v(6), system(6, 7)
    integer :: i, tries
    logical :: regular
    v = 1 + 0.1_wp*[0, 1, 2, 3, 4, 5]
    do tries = 1, 3
      system(:, 1:6) = products
      do i = 1, 6
        system(i, i) = system(i, i) + 1e-20_wp ! keeps an exactly singular matrix solvable
      end do
      system(:, 7) = v
      call chain_solve_(6, 7, system, regular)
      v = system(:, 7)/sqrt(sum(system(:, 7)**2))
    end do
  end function chain_weakest_

  ! Add the solutions next to a posture q. Along the direction v in which the loop opens least, its error is the
  ! parabola c + b s + a s^2 / 2: Newton's method starts at both roots s.
  pure subroutine chain_split_(placements, kinds, q, count, table)
    real(wp), intent(in) :: placements(3, 4, 6), q(6)
    integer, intent(in) :: kinds(6)
    integer, intent(inout) :: count
    real(wp), intent(inout) :: table(7, 16)
    real(wp), parameter :: h = 1e-3_wp ! of the difference quotient for a
    real(wp) :: axes(3, 6), points(3, 6), t(3, 4), error(6), jacobian(6, 6), other(6, 6), u(6), v(6), x(7), sums(3)
    real(wp) :: a, b, s, defect
    integer :: k
    logical :: weak
    call chain_product_(placements, kinds, q, axes, points, t, defect)
    call chain_jacobian_(kinds, axes, points, t, error, jacobian)
    v = chain_weakest_(matmul(transpose(jacobian), jacobian))
    u = chain_weakest_(matmul(jacobian, transpose(jacobian)))
    b = dot_product(u, matmul(jacobian, v))
    do k = 1, 3
      call chain_product_(placements, kinds, q + (k - 2)*h*v, axes, points, t, defect)
      call chain_jacobian_(kinds, axes, points, t, error, other)
      sums(k) = dot_product(u, error)
    end do
    a = (sums(1) - 2*sums(2) + sums(3))/(h*h)
    do k = -1, 1, 2
      s = (k*sqrt(max(b*b - 2*a*sums(2), 0.0_wp)) - b)/a
      if (.not. abs(s) < 0.5_wp) cycle ! too far for a parabola
      x(1:6) = q + s*v
      call chain_polish_(placements, kinds, x, weak)
      if (x(7) < 1e-10_wp) call chain_insert_(placements, kinds, x, count, table)
    end do
  end subroutine chain_split_

  ! Solutions that one arrangement of the loop `seen` leads to, polished on the loop `placements`. again: 2 where some
  ! may be missing, 1 where two of them nearly meet. best: the posture that opens the loop least. doubt: of the roots.
  pure subroutine chain_try_(seen, placements, kinds, step, limit, count, table, best, again, doubt)
    real(wp), intent(in) :: seen(3, 4, 6), placements(3, 4, 6), step(4), limit
    integer, intent(in) :: kinds(6)
    integer, intent(inout) :: count, again, doubt
    real(wp), intent(inout) :: table(7, 16), best(7)
    integer :: order(6), marks(6), columns(8), rank, rows, last, pivot, roots, made, k, v, x, equations
    real(wp) :: shifts(6), roles(3, 4, 6), left(14, 3, 3, 3), right(14, 3, 3), constant(14), side(14, 35)
    real(wp) :: scales(8), pivots(8), pencil(12, 12, 3), halves(24), at_root(12, 12), vectors(12, 4)
    real(wp) :: values(6), q(7), beyond, s, c, chain(3, 4), before(3, 4), monomials(8), m(9)
    logical :: slides, suits, failed, weak, near
    call chain_arrange_(seen, kinds, step, order, marks, shifts, roles, slides, suits)
    if (.not. suits) return
    rows = merge(10, 14, slides)
    last = merge(1, 3, slides)
    pivot = merge(4, 3, slides)
    equations = 2*last
    call chain_equations_(marks, slides, roles, left, right, constant)
    do k = 1, 8 ! by products: the second joint's index runs first
      side(:, k) = right(:, (k - 1)/3 + 1, modulo(k - 1, 3) + 1)
    end do
    side(:, 9:35) = reshape(left, [14, 27])
    call chain_eliminate_(rows, side, scales, pivots, columns, rank)
    left = reshape(side(:, 9:35), [14, 3, 3, 3])
    pencil = 0
    do x = 1, 3
      do k = 1, equations
        m(1:3*last) = reshape(left(8 + k, 1:last, :, x), [3*last])
        pencil(k, last + 1:4*last, x) = m(1:3*last)
        pencil(equations + k, 1:3*last, x) = m(1:3*last)
      end do
    end do
    call chain_roots_(4*last, marks(pivot), limit, pencil, halves, roots, doubt)
    failed = .false.
    weak = .false.
    beyond = -1
    do k = 1, roots
      if (halves(k) < beyond) cycle ! found with the root before, whose null space has more than one vector
      s = sin(halves(k))
      c = cos(halves(k))
      at_root = pencil(:, :, 1)*(s*s) + pencil(:, :, 2)*(s*c) + pencil(:, :, 3)*(c*c)
      call chain_vectors_(last, at_root, vectors, made)
      do v = 1, made
        values = 0
        values(pivot) = merge(tan(halves(k)), 2*halves(k), marks(pivot) == 1)
        values(pivot + 1) = chain_ratio_(marks(pivot + 1), vectors(:, v), last, .false.)
        if (.not. slides) values(5) = chain_ratio_(marks(5), vectors(:, v), last, .true.)
        chain = chain_compose_(chain_joint_(marks(4), values(4), roles(:, :, 4)), &
                               chain_joint_(marks(5), values(5), roles(:, :, 5)))
        chain = chain_compose_(chain_joint_(marks(3), values(3), roles(:, :, 3)), chain)
        monomials = chain_monomials_(rows, side, scales, pivots, columns, rank, &
                                     chain_functions_(slides, chain) - constant)
        values(1) = merge(monomials(6), atan2(monomials(6), monomials(3)), marks(1) == 1)
        values(2) = merge(monomials(8), atan2(monomials(8), monomials(7)), marks(2) == 1)
        if (.not. slides) then ! else Newton's first step finds both lengths: they enter linearly
          before = chain_compose_(roles(:, :, 6), chain_joint_(marks(1), values(1), roles(:, :, 1)))
          before = chain_compose_(before, chain_joint_(marks(2), values(2), roles(:, :, 2)))
          chain = chain_compose_(before, chain)
          values(6) = atan2(-chain(2, 1), chain(1, 1))
        end if
        q(order) = values + shifts
        call chain_polish_(placements, kinds, q, near)
        weak = weak .or. near
        if (q(7) < best(7)) best = q
        if (q(7) < 1e-10_wp) then
          call chain_insert_(placements, kinds, q, count, table)
        else
          failed = .true.
          if (q(7) < 1e-2_wp) call chain_split_(placements, kinds, q(1:6), count, table)
        end if
      end do
      if (made > 1) beyond = halves(k) + 1e-7_wp
    end do
    again = merge(1, 0, weak)
    if (doubt > 1 .or. failed .or. modulo(count, 2) == 1 .or. (count == 0 .and. doubt > 0)) again = 2
  end subroutine chain_try_

  ! Rotations that were rounded become rotations again: Newton's iteration for the polar factor.
  pure subroutine chain_straighten_(a)
    real(wp), intent(inout) :: a(3, 4)
    integer :: k
    do k = 1, 3
      a(:, 1:3) = 1.5_wp*a(:, 1:3) - 0.5_wp*matmul(matmul(a(:, 1:3), transpose(a(:, 1:3))), a(:, 1:3))
    end do
  end subroutine chain_straighten_

  ! The table of solutions, sixteen times q1 .. q6 and the defect.
  pure subroutine closed_chain_(n, constants, marks, plan, results)
    integer, intent(in) :: n
    real(wp), intent(in) :: constants(72), marks(6), plan(12)
    real(wp), intent(out) :: results(n)
    real(wp) :: placements(3, 4, 6), scaled(3, 4, 6), seen(3, 4, 6), table(7, 16), rows(7, 16), best(7), scale, defect
    real(wp) :: axes(3, 6), points(3, 6), product(3, 4), q(6), move(3, 4), square(3, 3)
    integer :: kinds(6), count, before, i, tries, again, doubt
    logical :: usable, decided
    kinds = merge(1, 0, marks > 0.5_wp)
    usable = all(abs(constants) <= huge(scale)) .and. all(abs(plan) <= huge(scale)) .and. all(abs(marks) <= huge(scale))
    do i = 1, 6
      placements(:, :, i) = transpose(reshape(constants(12*i - 11:12*i), [4, 3]))
      square = matmul(placements(:, 1:3, i), transpose(placements(:, 1:3, i)))
      square(1, 1) = square(1, 1) - 1
      square(2, 2) = square(2, 2) - 1
      square(3, 3) = square(3, 3) - 1
      usable = usable .and. all(abs(square) < 0.1_wp) ! a rotation but for rounding
    end do
    scale = maxval(abs(placements(:, 4, :)))
    if (.not. scale > 0) scale = 1
    scaled = placements
    scaled(:, 4, :) = scaled(:, 4, :)/scale
    do i = 1, 6
      call chain_straighten_(scaled(:, :, i))
    end do
    seen = scaled
    count = 0
    doubt = 2
    table = 0
    best = 0
    call chain_product_(scaled, kinds, best(1:6), axes, points, product, best(7))
    decided = .false.
    move = transpose(reshape([0.0_wp, 1.0_wp, -0.7_wp, 0.3_wp, -1.0_wp, 0.0_wp, 0.4_wp, -0.5_wp, 0.7_wp, -0.4_wp, &
                              0.0_wp, 0.6_wp], [4, 3]))
    ! Where two solutions nearly meet, or some may be missing (real ones come in pairs), another arrangement may be
    ! better conditioned. At a pose nearby, to either side, such roots are apart; they are polished on the true one.
    again = merge(2, 0, usable)
    do tries = 1, 5
      if (again == 0) exit
      before = count
      if (tries > 3) then
        seen(:, :, 6) = scaled(:, :, 6) + merge(1e-5_wp, -1e-5_wp, tries == 4)*move
        call chain_straighten_(seen(:, :, 6))
      end if
      i = 4*modulo(tries - 1, 3)
      call chain_try_(seen, scaled, kinds, plan(i + 1:i + 4), merge(0.03_wp, 1e-3_wp, tries > 1 .and. count == 0), &
                      count, table, best, again, doubt)
      decided = decided .or. (doubt == 0 .and. tries < 4)
      if (again > 0) then
        rows = table
        do i = 1, count
          call chain_split_(scaled, kinds, rows(1:6, i), count, table)
        end do
      end if
      if (again == 1 .and. tries > 1 .and. count == before .and. modulo(count, 2) == 0) again = 0
    end do
    if (usable .and. count == 0 .and. (.not. decided .or. best(7) < 1e-6_wp)) then
      table(:, 1) = best
      count = 1
    end if
    results = 0
    do i = 1, n/7
      results(7*i) = 1e30_wp
      if (i > count) cycle
      q = merge(scale, 1.0_wp, kinds == 1)*table(1:6, i)
      call chain_product_(placements, kinds, q, axes, points, product, defect)
      results(7*i - 6:7*i - 1) = q
      results(7*i) = defect
    end do
  end subroutine closed_chain_
