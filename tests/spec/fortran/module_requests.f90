! use shmem: non-blocking collectives.
program module_requests
  use, intrinsic :: iso_c_binding
  use check
  use shmem
  implicit none
  integer, target, save, asynchronous :: a(2, 3), b(2, 3), from(64), to(64)
  real(c_double), target, save, asynchronous :: r(4), s(4)
  logical, target, save, asynchronous :: yes(2), no(2)
  type(shmemx_req_t) :: first, second, third, last
  integer :: me, n, j, k, stat

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  a = me + 1; b = 0; r = me; s = -1; yes = me == n - 1; no = .false.; to = 0
  from = [(100 * me + k, k = 1, 64)]
  call check_that(first == SHMEMX_REQ_INVALID, 'a new request')
  call check_that(shmemx_req_test(first), 'no call is complete')
  call shmem_sync_all()

  call shmemx_sum_reduce_nb(SHMEM_TEAM_WORLD, b, a, 6, first)
  call check_that(first /= SHMEMX_REQ_INVALID, 'a request')
  call shmemx_max_reduce_nb(SHMEM_TEAM_WORLD, s, r, 4, second, stat)
  call check_that(stat == 0, 'stat')
  call shmemx_broadcast_nb(SHMEM_TEAM_WORLD, no, yes, 2, n - 1, third)
  call shmemx_alltoall_nb(SHMEM_TEAM_WORLD, to, from, 2, last)
  do while (.not. shmemx_req_test(last))
  end do
  call shmemx_req_wait(third)
  call shmemx_req_wait(second)
  call shmemx_req_wait(first)
  call check_that(all(b == n * (n + 1) / 2), 'sum_reduce_nb')
  call check_that(all(s == n - 1), 'max_reduce_nb')
  call check_that(all(no), 'broadcast_nb')
  call check_that(all(to(1:2 * n) == [((100 * j + 2 * me + k, k = 1, 2), j = 0, n - 1)]), 'alltoall_nb')
  call check_that(first == SHMEMX_REQ_INVALID .and. last == SHMEMX_REQ_INVALID, 'complete requests')

  call shmem_put(from, [me + 1], 1, mod(me + 1, n))
  call shmemx_team_barrier_nb(SHMEM_TEAM_WORLD, first)
  call shmemx_req_wait(first)
  call check_that(from(1) == mod(me + n - 1, n) + 1, 'team_barrier_nb')
  call check_end()
end program module_requests
