  ! Solve A x = b for A (n, n) by rows: elimination with partial pivoting. A and b are overwritten.
  pure subroutine solve_(n, a, b, x)
    integer, intent(in) :: n
    real(wp), intent(inout) :: a(n*n), b(n)
    real(wp), intent(out) :: x(n)
    integer :: c, r, j, pivot
    real(wp) :: swapped, right, factor, total
    do c = 1, n
      pivot = c
      do r = c + 1, n
        if (abs(a((r - 1)*n + c)) > abs(a((pivot - 1)*n + c))) pivot = r
      end do
      if (pivot /= c) then
        do j = c, n
          swapped = a((c - 1)*n + j)
          a((c - 1)*n + j) = a((pivot - 1)*n + j)
          a((pivot - 1)*n + j) = swapped
        end do
      end if
      right = b(pivot)
      b(pivot) = b(c)
      b(c) = right
      do r = c + 1, n
        factor = a((r - 1)*n + c)/a((c - 1)*n + c)
        do j = c + 1, n
          a((r - 1)*n + j) = a((r - 1)*n + j) - factor*a((c - 1)*n + j)
        end do
        b(r) = b(r) - factor*right
      end do
    end do
    do r = n, 1, -1
      total = b(r)
      do j = r + 1, n
        total = total - a((r - 1)*n + j)*x(j)
      end do
      x(r) = total/a((r - 1)*n + r)
    end do
  end subroutine solve_
