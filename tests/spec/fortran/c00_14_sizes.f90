! 0.14: how much each routine moves. 4 and 8 are bytes; 32, 64 and 128 are bits; default types have their own sizes.
! What lies behind must stay as it was: that is what a wrong size destroys first.
program sizes
  use, intrinsic :: iso_c_binding
  use check
  implicit none
  include 'shmem_long.fh'
  integer, parameter :: room = 256
  integer(c_int8_t) :: there(room), from(room)
  integer(c_int8_t) :: got(room)
  save from
  common /symmetric/ there
  integer :: me, n, right, left, k

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  right = mod(me + 1, n)
  left = mod(me + n - 1, n)
  from = [(int(mod(me * 37 + k, 100) + 1, c_int8_t), k = 1, room)]

  call begin(); call shmem_put4(there, from, 3, right); call expect_put(12, 'SHMEM_PUT4')
  call begin(); call shmem_put8(there, from, 3, right); call expect_put(24, 'SHMEM_PUT8')
  call begin(); call shmem_put32(there, from, 3, right); call expect_put(12, 'SHMEM_PUT32')
  call begin(); call shmem_put64(there, from, 3, right); call expect_put(24, 'SHMEM_PUT64')
  call begin(); call shmem_put128(there, from, 3, right); call expect_put(48, 'SHMEM_PUT128')
  call begin(); call shmem_putmem(there, from, 3, right); call expect_put(3, 'SHMEM_PUTMEM')
  call begin(); call shmem_put(there, from, 3, right); call expect_put(24, 'SHMEM_PUT')
  call begin(); call shmem_integer_put(there, from, 3, right); call expect_put(12, 'SHMEM_INTEGER_PUT')
  call begin(); call shmem_logical_put(there, from, 3, right); call expect_put(12, 'SHMEM_LOGICAL_PUT')
  call begin(); call shmem_real_put(there, from, 3, right); call expect_put(12, 'SHMEM_REAL_PUT')
  call begin(); call shmem_double_put(there, from, 3, right); call expect_put(24, 'SHMEM_DOUBLE_PUT')
  call begin(); call shmem_complex_put(there, from, 3, right); call expect_put(24, 'SHMEM_COMPLEX_PUT')
  call begin(); call shmem_put4_nbi(there, from, 3, right); call expect_put(12, 'SHMEM_PUT4_NBI')
  call begin(); call shmem_put8_nbi(there, from, 3, right); call expect_put(24, 'SHMEM_PUT8_NBI')
  call begin(); call shmem_put128_nbi(there, from, 3, right); call expect_put(48, 'SHMEM_PUT128_NBI')
  call begin(); call shmem_putmem_nbi(there, from, 3, right); call expect_put(3, 'SHMEM_PUTMEM_NBI')
  call begin(); call shmem_complex_put_nbi(there, from, 3, right); call expect_put(24, 'SHMEM_COMPLEX_PUT_NBI')

  there = from
  call shmem_barrier_all()
  got = 0; call shmem_get4(got, there, 3, right); call expect_get(12, 'SHMEM_GET4')
  got = 0; call shmem_get8(got, there, 3, right); call expect_get(24, 'SHMEM_GET8')
  got = 0; call shmem_get32(got, there, 3, right); call expect_get(12, 'SHMEM_GET32')
  got = 0; call shmem_get64(got, there, 3, right); call expect_get(24, 'SHMEM_GET64')
  got = 0; call shmem_get128(got, there, 3, right); call expect_get(48, 'SHMEM_GET128')
  got = 0; call shmem_getmem(got, there, 3, right); call expect_get(3, 'SHMEM_GETMEM')
  got = 0; call shmem_get8_nbi(got, there, 3, right); call expect_get(24, 'SHMEM_GET8_NBI')
  got = 0; call shmem_logical_get(got, there, 3, right); call expect_get(12, 'SHMEM_LOGICAL_GET')
  got = 0; call shmem_complex_get(got, there, 3, right); call expect_get(24, 'SHMEM_COMPLEX_GET')
  got = 0; call shmem_double_get_nbi(got, there, 3, right); call expect_get(24, 'SHMEM_DOUBLE_GET_NBI')
  call shmem_barrier_all()

  call begin(); call shmem_iput4(there, from, 3, 2, 3, right); call expect_iput(4, 'SHMEM_IPUT4')
  call begin(); call shmem_iput8(there, from, 3, 2, 3, right); call expect_iput(8, 'SHMEM_IPUT8')
  call begin(); call shmem_iput32(there, from, 3, 2, 3, right); call expect_iput(4, 'SHMEM_IPUT32')
  call begin(); call shmem_iput64(there, from, 3, 2, 3, right); call expect_iput(8, 'SHMEM_IPUT64')
  call begin(); call shmem_iput128(there, from, 3, 2, 3, right); call expect_iput(16, 'SHMEM_IPUT128')
  call begin(); call shmem_integer_iput(there, from, 3, 2, 3, right); call expect_iput(4, 'SHMEM_INTEGER_IPUT')
  call begin(); call shmem_logical_iput(there, from, 3, 2, 3, right); call expect_iput(4, 'SHMEM_LOGICAL_IPUT')
  call begin(); call shmem_real_iput(there, from, 3, 2, 3, right); call expect_iput(4, 'SHMEM_REAL_IPUT')
  call begin(); call shmem_double_iput(there, from, 3, 2, 3, right); call expect_iput(8, 'SHMEM_DOUBLE_IPUT')
  call begin(); call shmem_complex_iput(there, from, 3, 2, 3, right); call expect_iput(8, 'SHMEM_COMPLEX_IPUT')

  there = from
  call shmem_barrier_all()
  got = 0; call shmem_iget4(got, there, 3, 2, 3, right); call expect_iget(4, 'SHMEM_IGET4')
  got = 0; call shmem_iget8(got, there, 3, 2, 3, right); call expect_iget(8, 'SHMEM_IGET8')
  got = 0; call shmem_iget128(got, there, 3, 2, 3, right); call expect_iget(16, 'SHMEM_IGET128')
  got = 0; call shmem_complex_iget(got, there, 3, 2, 3, right); call expect_iget(8, 'SHMEM_COMPLEX_IGET')
  call check_end()

contains

  function theirs(pe) result(res)
    integer, intent(in) :: pe
    integer(c_int8_t) :: res(room)
    integer :: j
    res = [(int(mod(pe * 37 + j, 100) + 1, c_int8_t), j = 1, room)]
  end function theirs

  subroutine begin()
    call shmem_barrier_all()
    there = 0
    call shmem_barrier_all()
  end subroutine begin

  subroutine expect_put(bytes, what)
    integer, intent(in) :: bytes
    character(len=*), intent(in) :: what
    integer(c_int8_t) :: wanted(room)
    call shmem_barrier_all()
    wanted = theirs(left)
    wanted(bytes + 1:) = 0
    call check_that(all(there == wanted), what)
  end subroutine expect_put

  subroutine expect_get(bytes, what)
    integer, intent(in) :: bytes
    character(len=*), intent(in) :: what
    integer(c_int8_t) :: wanted(room)
    call shmem_quiet()
    wanted = theirs(right)
    wanted(bytes + 1:) = 0
    call check_that(all(got == wanted), what)
  end subroutine expect_get

  ! Every third element of the target from every second of the source.
  function spread_out(source, bytes) result(res)
    integer(c_int8_t), intent(in) :: source(room)
    integer, intent(in) :: bytes
    integer(c_int8_t) :: res(room)
    integer :: j
    res = 0
    do j = 0, 2
      res(3 * j * bytes + 1:3 * j * bytes + bytes) = source(2 * j * bytes + 1:2 * j * bytes + bytes)
    end do
  end function spread_out

  subroutine expect_iput(bytes, what)
    integer, intent(in) :: bytes
    character(len=*), intent(in) :: what
    call shmem_barrier_all()
    call check_that(all(there == spread_out(theirs(left), bytes)), what)
  end subroutine expect_iput

  subroutine expect_iget(bytes, what)
    integer, intent(in) :: bytes
    character(len=*), intent(in) :: what
    call check_that(all(got == spread_out(theirs(right), bytes)), what)
  end subroutine expect_iget
end program sizes
