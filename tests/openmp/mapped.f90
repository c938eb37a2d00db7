! Arrays of a module, of COMMON and of the program, the last dimension of each computed by one thread.
module fields
  implicit none
  integer, parameter :: rows = 64, columns = 256
  real(8) :: u(0:rows - 1, columns)
  real(8), allocatable :: later(:, :)
end module

subroutine add(step)
  use fields, only: rows, columns, u
  implicit none
  integer, intent(in) :: step
  integer :: i, j
  real(8) :: rhs(5, rows, columns)
  common /forces/ rhs
  !$omp parallel do private(i)
  do j = 1, columns
    do i = 1, rows
      rhs(:, i, j) = rhs(:, i, j) + step
      u(i - 1, j) = u(i - 1, j) + rhs(5, i, j)
    end do
  end do
end subroutine

program mapped
  use fields
  implicit none
  integer :: i
  real(8) :: rhs(5, rows, columns)
  common /forces/ rhs
  real(8), save :: own(columns)
  u = 1
  rhs = 0
  own = 2
  allocate(later(2, 2))
  do i = 1, 10
    call add(i)
  end do
  print '(a,f14.1)', 'all is right:', sum(u) + sum(rhs) + sum(own)
end program
