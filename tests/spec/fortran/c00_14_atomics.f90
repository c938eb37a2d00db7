! 0.14 and the rest of the 1.4 interface: functions by their types, LOGICAL results, waits, order, caches.
program atomics
  use check
  implicit none
  include 'shmem_long.fh'
  integer*4, save :: i4, flag4
  integer*8, save :: i8, flag8
  integer, save :: word, flag
  real*4, save :: r4
  real*8, save :: r8
  integer :: me, n, right, left, k, on_stack
  integer*4 :: old4
  integer*8 :: old8

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  right = mod(me + 1, n)
  left = mod(me + n - 1, n)
  i4 = 0; i8 = 0; word = 5; r4 = me; r8 = me; flag = 0; flag4 = 0; flag8 = 0
  call shmem_barrier_all()
  do k = 1, 50
    call shmem_int4_add(i4, 2, 0)
    call shmem_int4_inc(i4, 0)
    old4 = shmem_int4_fadd(i4, 3, 0)
    old4 = shmem_int4_finc(i4, 0)
    call shmem_int8_add(i8, 2_8**33, 0)
    call shmem_int8_inc(i8, 0)
    old8 = shmem_int8_fadd(i8, 3_8, 0)
    old8 = shmem_int8_finc(i8, 0)
  end do
  call shmem_barrier_all()
  call check_that(shmem_int4_fetch(i4, 0) == 350 * n, 'INTEGER*4')
  call check_that(shmem_int8_fetch(i8, 0) == (50 * 2_8**33 + 250) * n, 'INTEGER*8')
  call check_that(shmem_real4_fetch(r4, right) == right .and. shmem_real8_fetch(r8, right) == right, 'reals')
  call shmem_barrier_all()
  call check_that(shmem_real4_swap(r4, 0.5, right) == right .and. shmem_real8_swap(r8, 0.5d0, right) == right, 'swap')
  call check_that(shmem_swap(word, 6, right) == 5, 'SHMEM_SWAP')
  call check_that(shmem_int4_cswap(word, 6, 7, right) == 6 .and. shmem_int4_cswap(word, 6, 8, right) == 7, 'CSWAP')
  call shmem_int4_set(word, 9, right)
  call shmem_barrier_all()
  call check_that(r4 == 0.5 .and. r8 == 0.5d0 .and. word == 9, 'what came from the left')
  call shmem_barrier_all()
  call shmem_real4_set(r4, 0.25, right)
  call shmem_real8_set(r8, 0.25d0, right)
  call shmem_int8_set(i8, -1_8, right)
  call shmem_fence()
  call shmem_int4_set(flag4, 1, right)
  call shmem_int4_wait(flag4, 0)
  call check_that(r4 == 0.25 .and. r8 == 0.25d0 .and. i8 == -1, 'set and fence')
  call shmem_int8_set(flag8, 2_8**40, right)
  call shmem_int8_wait_until(flag8, SHMEM_CMP_GE, 2_8**40)
  call shmem_int4_set(flag, 3, right)
  call shmem_wait(flag, 0)
  call shmem_wait_until(flag, SHMEM_CMP_EQ, 3)
  call shmem_int4_wait_until(flag4, SHMEM_CMP_NE, 0)
  call shmem_int8_wait(flag8, 0_8)
  call check_that(shmem_pe_accessible(right) .and. .not. shmem_pe_accessible(n), 'SHMEM_PE_ACCESSIBLE')
  call check_that(shmem_addr_accessible(flag, right) .and. .not. shmem_addr_accessible(on_stack, right), &
                  'SHMEM_ADDR_ACCESSIBLE')
  call shmem_set_cache_inv()
  call shmem_clear_cache_inv()
  call shmem_clear_cache_line_inv(flag)
  call shmem_set_cache_line_inv(flag)
  call shmem_udcflush()
  call shmem_udcflush_line(flag)
  call shmem_quiet()
  call check_end()
end program atomics
