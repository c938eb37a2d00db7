! 0.14: collectives over active sets with pSync arrays of default INTEGERs, at every alignment of 4 bytes; sizes by their
! Fortran names; reductions of every type, REAL*16 included.
program collectives
  use check
  implicit none
  include 'shmem_long.fh'
  integer, parameter :: m = 5, work = SHMEM_REDUCE_MIN_WRKDATA_SIZE + m
  integer :: sync_room(SHMEM_SYNC_SIZE + 17, 2)
  common /sync/ sync_room
  integer*4 :: a4(m), b4(m), w4(work)
  integer*8 :: a8(m), b8(m), w8(work)
  real*4 :: s4(m), t4(m), v4(work)
  real*8 :: s8(m), t8(m), v8(work)
  real*16 :: s16(m), t16(m), v16(work)
  complex*8 :: c8(m), d8(m), x8(work)
  complex*16 :: c16(m), d16(m), x16(work)
  integer*4 :: wide4(64 * m), from4(64 * m)
  integer*8 :: wide8(64 * m), from8(64 * m)
  save
  integer :: me, n, at, k, j, ranks

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  sync_room = SHMEM_SYNC_VALUE
  ranks = n * (n - 1) / 2
  call shmem_barrier_all()
  do at = 1, 17
    call reductions(sync_room(at, 1), sync_room(at, 2))
    call moves(sync_room(at, 1), sync_room(at, 2))
  end do

  ! Every second PE only.
  if (mod(me, 2) == 0) then
    a4 = me
    call shmem_int4_sum_to_all(b4, a4, m, 0, 1, (n + 1) / 2, w4, sync_room)
    call check_that(all(b4 == sum([(k, k = 0, n - 1, 2)])), 'a reduction of every second PE')
    call shmem_barrier(0, 1, (n + 1) / 2, sync_room(1, 2))
  end if
  call shmem_barrier_all()
  call check_that(all(sync_room == SHMEM_SYNC_VALUE), 'pSync is as it was')
  call check_end()

contains

  subroutine reductions(one, other)
    integer :: one(*), other(*)
    a4 = me + 1; a8 = me + 2_8**40; s4 = me + 0.5; s8 = me + 0.25d0; c8 = cmplx(me, 1); c16 = cmplx(1, me, 8)
    s16 = me + 1.0_16 / 3
    call shmem_int4_sum_to_all(b4, a4, m, 0, 0, n, w4, one)
    call check_that(all(b4 == ranks + n), 'INT4_SUM')
    call shmem_int4_max_to_all(b4, a4, m, 0, 0, n, w4, other)
    call check_that(all(b4 == n), 'INT4_MAX')
    call shmem_int4_or_to_all(b4, a4, m, 0, 0, n, w4, one)
    k = 0
    do j = 1, n; k = ior(k, j); end do
    call check_that(all(b4 == k), 'INT4_OR')
    call shmem_int8_min_to_all(b8, a8, m, 0, 0, n, w8, other)
    call check_that(all(b8 == 2_8**40), 'INT8_MIN')
    call shmem_int8_xor_to_all(b8, a8, m, 0, 0, n, w8, one)
    call check_that(all(iand(b8, 2_8**40) == merge(2_8**40, 0_8, mod(n, 2) == 1)), 'INT8_XOR')
    call shmem_int8_and_to_all(b8, a8, m, 0, 0, n, w8, other)
    call check_that(all(b8 == 2_8**40), 'INT8_AND')
    call shmem_real4_sum_to_all(t4, s4, m, 0, 0, n, v4, one)
    call check_that(all(t4 == ranks + 0.5 * n), 'REAL4_SUM')
    call shmem_real8_prod_to_all(t8, s8, m, 0, 0, n, v8, other)
    call check_that(all(abs(t8 - product([(j + 0.25d0, j = 0, n - 1)])) < 1d-6), 'REAL8_PROD')
    call shmem_real8_max_to_all(t8, s8, m, 0, 0, n, v8, one)
    call check_that(all(t8 == n - 1 + 0.25d0), 'REAL8_MAX')
    call shmem_real16_sum_to_all(t16, s16, m, 0, 0, n, v16, other)
    call check_that(all(abs(t16 - (ranks + n / 3.0_16)) < 1e-28_16), 'REAL16_SUM')
    call shmem_real16_max_to_all(s16, s16, m, 0, 0, n, v16, one)
    call check_that(all(s16 == n - 1 + 1.0_16 / 3), 'REAL16_MAX in place')
    s16 = me + 2
    call shmem_real16_prod_to_all(t16, s16, m, 0, 0, n, v16, other)
    call check_that(all(t16 == product([(j + 1.0_16, j = 1, n)])), 'REAL16_PROD')
    call shmem_real16_min_to_all(t16, s16, m, 0, 0, n, v16, one)
    call check_that(all(t16 == 2), 'REAL16_MIN')
    call shmem_comp4_sum_to_all(d8, c8, m, 0, 0, n, x8, other)
    call check_that(all(d8 == cmplx(ranks, n)), 'COMP4_SUM')
    call shmem_comp8_sum_to_all(d16, c16, m, 0, 0, n, x16, one)
    call check_that(all(d16 == cmplx(n, ranks, 8)), 'COMP8_SUM')
    call shmem_comp8_prod_to_all(d16, c16, m, 0, 0, n, x16, other)
    call check_that(all(abs(d16 - product([(cmplx(1, j, 8), j = 0, n - 1)])) < 1d-6), 'COMP8_PROD')
    call shmem_barrier(0, 0, n, one)
  end subroutine reductions

  subroutine moves(one, other)
    integer :: one(*), other(*)
    integer*4 :: all4(64 * m)
    wide4 = -1; wide8 = -1
    from4 = [(1000 * me + k, k = 1, size(from4))]
    from8 = from4
    call shmem_barrier_all()
    call shmem_broadcast4(wide4, from4, m, n - 1, 0, 0, n, one)
    if (me /= n - 1) call check_that(all(wide4(1:m) == [(1000 * (n - 1) + k, k = 1, m)]), 'BROADCAST4')
    if (me == n - 1) call check_that(all(wide4 == -1), 'BROADCAST4 on the root')
    call check_that(wide4(m + 1) == -1, 'BROADCAST4 ends in time')
    call shmem_broadcast8(wide8, from8, m, 0, 0, 0, n, other)
    if (me /= 0) call check_that(all(wide8(1:m) == [(k, k = 1, m)]) .and. wide8(m + 1) == -1, 'BROADCAST8')
    call shmem_barrier_all()
    call shmem_fcollect32(wide4, from4, m, 0, 0, n, one)
    all4(1:n * m) = [((1000 * j + k, k = 1, m), j = 0, n - 1)]
    call check_that(all(wide4(1:n * m) == all4(1:n * m)) .and. wide4(n * m + 1) == -1, 'FCOLLECT32')
    call shmem_fcollect8(wide8, from8, m, 0, 0, n, other)
    call check_that(all(wide8(1:n * m) == all4(1:n * m)) .and. wide8(n * m + 1) == -1, 'FCOLLECT8')
    call shmem_barrier_all()
    call shmem_collect64(wide8, from8, me + 1, 0, 0, n, one)
    all4(1:n * (n + 1) / 2) = [((1000 * j + k, k = 1, j + 1), j = 0, n - 1)]
    call check_that(all(wide8(1:n * (n + 1) / 2) == all4(1:n * (n + 1) / 2)), 'COLLECT64')
    call shmem_collect4(wide4, from4, me + 1, 0, 0, n, other)
    call check_that(all(wide4(1:n * (n + 1) / 2) == all4(1:n * (n + 1) / 2)), 'COLLECT4')
    call shmem_barrier_all()
    call shmem_alltoall32(wide4, from4, m, 0, 0, n, one)
    all4(1:n * m) = [((1000 * j + me * m + k, k = 1, m), j = 0, n - 1)]
    call check_that(all(wide4(1:n * m) == all4(1:n * m)), 'ALLTOALL32')
    call shmem_barrier_all()
    wide8 = -1
    call shmem_barrier_all()
    call shmem_alltoalls64(wide8, from8, 2, 3, 2, 0, 0, n, other)
    do j = 0, n - 1
      call check_that(all(wide8(4 * j + 1:4 * j + 4) == [1000 * j + 6 * me + 1, -1, 1000 * j + 6 * me + 4, -1]), &
                      'ALLTOALLS64')
    end do
    call shmem_barrier_all()
  end subroutine moves
end program collectives
