! use shmem: atomics, waiting, signals, queries, allocation.
program module_sync
  use, intrinsic :: iso_c_binding
  use check
  use shmem
  implicit none
  integer, target, save :: counter, flags(8)
  integer(c_int64_t), target, save :: wide, tally, word
  real, target, save :: single
  real(c_double), target, save :: double
  integer, pointer :: array(:, :), one
  real(c_double), pointer :: line(:)
  integer :: me, n, right, k, got, major, minor, status(8)
  integer(c_size_t) :: indices(8), found
  character(len=SHMEM_MAX_NAME_LEN) :: name
  logical :: initialized
  type(c_ptr) :: raw
  type(shmem_team_t) :: team

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  right = mod(me + 1, n)

  counter = 0; wide = 0; tally = 0; single = me; double = me; flags = 0; word = 0
  call shmem_barrier_all()
  do k = 1, 100
    got = shmem_atomic_fetch_add(counter, 2, 0)
    call shmem_atomic_inc(wide, 0)
    call shmem_atomic_add(SHMEM_CTX_DEFAULT, tally, 3_c_int64_t, 0)
  end do
  call shmem_atomic_or(flags(8), ishft(1, me), 0)
  call shmem_barrier_all()
  call check_that(shmem_atomic_fetch(counter, 0) == 200 * n, 'fetch_add of 32 bits')
  call check_that(shmem_atomic_fetch(wide, 0) == 100 * n, 'inc of 64 bits')
  call check_that(shmem_g(tally, 0) == 300 * n, 'add with a context')
  call check_that(shmem_g(flags(8), 0) == ishft(1, n) - 1, 'or')
  call check_that(shmem_atomic_fetch(single, right) == right, 'fetch of a real')
  call shmem_barrier_all()
  call check_that(shmem_atomic_swap(double, -1.0_c_double, right) == right, 'swap of a double')
  call check_that(shmem_atomic_compare_swap(flags(7), 0, me + 1, right) == 0, 'compare_swap that swaps')
  call check_that(shmem_atomic_compare_swap(flags(7), 0, 99, right) == me + 1, 'compare_swap that does not')
  call shmem_barrier_all()
  call check_that(double == -1, 'what swap wrote')

  ! Waiting. Indices count from 1.
  call shmem_p(flags(3), 7, right)
  call shmem_wait_until(flags(3), SHMEM_CMP_EQ, 7)
  status = 0
  found = shmem_wait_until_any(flags, 6, status, SHMEM_CMP_EQ, 7)
  call check_that(found == 3, 'wait_until_any')
  status(3) = 1
  call check_that(shmem_test_any(flags, 6, status, SHMEM_CMP_EQ, 7) == 0, 'test_any with the only one left out')
  call shmem_barrier_all()
  call shmem_p(flags(5), 7, right)
  call shmem_wait_until(flags(5), SHMEM_CMP_NE, 0)
  found = shmem_wait_until_some(flags, 6, indices, SHMEM_CMP_EQ, 7)
  call check_that(found == 2 .and. all(indices(1:2) == [3, 5]), 'wait_until_some')
  call check_that(shmem_test(flags(3), SHMEM_CMP_GT, 6) .and. .not. shmem_test(flags(3), SHMEM_CMP_LT, 7), 'test')
  call check_that(shmem_test_all_vector(flags(3:5), 3, SHMEM_CMP_EQ, [7, 0, 7]), 'test_all_vector')
  call shmem_wait_until_all(flags(3:5), 3, [0, 1, 0], SHMEM_CMP_EQ, 7)
  call shmem_signal_add(word, 4_c_int64_t, right)
  call check_that(shmem_signal_wait_until(word, SHMEM_CMP_EQ, 4_c_int64_t) == 4, 'signal_add')
  call check_that(shmem_signal_fetch(word) == 4, 'signal_fetch')
  call shmem_barrier_all()

  ! The heap.
  call shmem_allocate(array, [5, 4])
  array = me
  call shmem_allocate(one)
  one = me
  call shmem_allocate(line, 10)
  line = me
  call shmem_barrier_all()
  call shmem_put(array(:, 3), spread(100 + me, 1, 5), 5, right)
  call shmem_get(line(1:4), line(5:), 4, right)
  call check_that(shmem_g(one, right) == right, 'a scalar of the heap')
  call shmem_barrier_all()
  call check_that(all(array(:, 3) == 100 + mod(me + n - 1, n)) .and. all(array(:, 2) == me), 'an array of the heap')
  call check_that(all(line(1:4) == right) .and. size(line) == 10, 'a line of the heap')
  call check_that(shmem_addr_accessible(array, right) .and. .not. shmem_addr_accessible(got, right), 'addr_accessible')
  call check_that(c_associated(shmem_ptr(one, me)) .and. shmem_pe_accessible(right) .and. &
                  .not. shmem_pe_accessible(n), 'ptr and pe_accessible')
  call shmem_deallocate(line)
  call shmem_deallocate(one)
  call shmem_deallocate(array)
  call check_that(.not. associated(array), 'a pointer after shmem_deallocate')
  call shmem_allocate(line, [1000000000_c_int64_t], stat=k)
  call check_that(k == 1 .and. .not. associated(line), 'too large an array')
  raw = shmem_malloc(100_c_size_t)
  raw = shmem_realloc(raw, 200_c_size_t)
  call check_that(c_associated(raw), 'malloc and realloc')
  call shmem_free(raw)

  call shmem_ctx_get_team(SHMEM_CTX_DEFAULT, team)
  call check_that(team == SHMEM_TEAM_WORLD .and. team /= SHMEM_TEAM_INVALID, 'the team of the default context')
  call shmem_info_get_version(major, minor)
  call shmem_info_get_name(name)
  call check_that(major == SHMEM_MAJOR_VERSION .and. minor == SHMEM_MINOR_VERSION .and. name == SHMEM_VENDOR_STRING, &
                  'version and name')
  call shmem_query_initialized(initialized)
  call check_that(initialized, 'query_initialized')
  call check_end()
end program module_sync
