! use shmem: teams, collectives, reductions, scans.
program module_collectives
  use, intrinsic :: iso_c_binding
  use check
  use shmem
  implicit none
  integer, target, save :: a(2, 3), b(2, 3), many(200), each(200)
  integer(c_int64_t), target, save :: a8(4), b8(4)
  real, target, save :: r(4), s(4)
  complex(c_double_complex), target, save :: z(3), y(3), far(32), near(32)
  logical, target, save :: yes(2), no(200)
  type(shmem_team_t) :: evens, x_team, y_team, mine
  type(shmem_team_config_t) :: config
  type(shmem_ctx_t) :: ctx
  integer :: me, n, k, j, stat, team_me, team_n

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()

  a = me + 1; a8 = me; r = me; z = cmplx(me, 1, c_double_complex); yes = me == n - 1
  b = 0; many = -1; no = .false.
  call shmem_sync_all()
  call shmem_sum_reduce(SHMEM_TEAM_WORLD, b, a, 6)
  call check_that(all(b == n * (n + 1) / 2), 'sum_reduce')
  call shmem_max_reduce(SHMEM_TEAM_WORLD, b8, a8, 4, stat)
  call check_that(all(b8 == n - 1) .and. stat == 0, 'max_reduce')
  call shmem_min_reduce(SHMEM_TEAM_WORLD, s, r, 4)
  call check_that(all(s == 0), 'min_reduce')
  call shmem_sum_reduce(SHMEM_TEAM_WORLD, y, z, 3)
  call check_that(all(y == cmplx(n * (n - 1) / 2, n, c_double_complex)), 'sum_reduce of complex')
  call shmem_or_reduce(SHMEM_TEAM_WORLD, b, a, 6)
  k = 0
  do j = 1, n
    k = ior(k, j)
  end do
  call check_that(all(b == k), 'or_reduce')
  call shmem_sum_inscan(SHMEM_TEAM_WORLD, b8, a8, 4)
  call check_that(all(b8 == me * (me + 1) / 2), 'sum_inscan')
  call shmem_sum_exscan(SHMEM_TEAM_WORLD, b8, a8, 4)
  call check_that(all(b8 == me * (me - 1) / 2), 'sum_exscan')

  call shmem_broadcast(SHMEM_TEAM_WORLD, no, yes, 2, n - 1)
  call check_that(all(no(1:2)) .and. .not. no(3), 'broadcast of logical')
  each = [(100 * me + k, k = 1, 200)]
  call shmem_sync(SHMEM_TEAM_WORLD)
  call shmem_fcollect(SHMEM_TEAM_WORLD, many, each, 3)
  call check_that(all(many(1:3 * n) == [((100 * j + k, k = 1, 3), j = 0, n - 1)]), 'fcollect')
  call shmem_team_sync(SHMEM_TEAM_WORLD)
  call shmem_collect(SHMEM_TEAM_WORLD, many, each, me + 1)
  call check_that(all(many(1:n * (n + 1) / 2) == [((100 * j + k, k = 1, j + 1), j = 0, n - 1)]), 'collect')
  call shmem_sync(SHMEM_TEAM_WORLD)
  call shmem_alltoall(SHMEM_TEAM_WORLD, many, each, 2)
  call check_that(all(many(1:2 * n) == [((100 * j + 2 * me + k, k = 1, 2), j = 0, n - 1)]), 'alltoall')
  call shmem_sync(SHMEM_TEAM_WORLD)
  call shmem_alltoalls(SHMEM_TEAM_WORLD, many, each, 1, 2, 2)
  call check_that(all(many(1:2 * n) == [((100 * j + 4 * me + k, k = 1, 3, 2), j = 0, n - 1)]), 'alltoalls')
  near = [(cmplx(me, k, c_double), k = 1, 32)]
  call shmem_sync(SHMEM_TEAM_WORLD)
  call shmem_alltoalls(SHMEM_TEAM_WORLD, far, near, 2, 2, 2)
  call check_that(all(far(1:4 * n:2) == [((cmplx(j, 4 * me + k, c_double), k = 1, 3, 2), j = 0, n - 1)]), &
                  'alltoalls of complex of 16 bytes')

  ! Teams.
  config%num_contexts = 1
  call shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, evens, config, SHMEM_TEAM_NUM_CONTEXTS, stat)
  if (mod(me, 2) == 0) then
    team_me = shmem_team_my_pe(evens)
    team_n = shmem_team_n_pes(evens)
    call check_that(stat == 0 .and. team_me == me / 2 .and. team_n == (n + 1) / 2, 'split_strided')
    call check_that(shmem_team_translate_pe(evens, team_me, SHMEM_TEAM_WORLD) == me, 'translate_pe')
    call shmem_sum_reduce(evens, b, a, 6)
    call check_that(all(b == sum([(k + 1, k = 0, n - 1, 2)])), 'a reduction of a team')
    call shmem_team_sync(evens)
    call shmem_team_get_config(evens, SHMEM_TEAM_NUM_CONTEXTS, config)
    call check_that(config%num_contexts == 1, 'get_config')
    call shmem_team_create_ctx(evens, 0_c_long, ctx, stat)
    call shmem_ctx_get_team(ctx, mine)
    call check_that(stat == 0 .and. mine == evens, 'a context of a team')
    call shmem_put(ctx, b(:, 1), [7, 8], 2, team_n - 1)
    call shmem_quiet(ctx)
    call shmem_ctx_destroy(ctx)
    call shmem_team_sync(evens)
    if (team_me == team_n - 1) call check_that(all(b(:, 1) == [7, 8]), 'a put by the number in the team')
    call shmem_team_destroy(evens)
  end if
  call check_that(evens == SHMEM_TEAM_INVALID, 'a team one is not in, or that is destroyed')
  call shmem_barrier_all()
  call shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, x_team, y_team)
  call check_that(shmem_team_my_pe(x_team) == mod(me, 2) .and. shmem_team_my_pe(y_team) == me / 2, 'split_2d')
  call shmem_team_destroy(x_team)
  call shmem_team_destroy(y_team)
  call check_end()
end program module_collectives
