! 0.14: a lock is a default INTEGER. Two neighbours are two locks; the counters in one wrap without harm.
program locks
  use check
  implicit none
  include 'shmem_long.fh'
  integer, parameter :: rounds = 200
  integer, save :: lock(3) = 0, total, inner
  integer :: k, me, held

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  total = 0; inner = 0
  call shmem_barrier_all()
  do k = 1, rounds
    call shmem_set_lock(lock(2))
    call shmem_integer_get(held, total, 1, 0)
    call shmem_integer_put(total, held + 1, 1, 0)
    call shmem_clear_lock(lock(2))
  end do
  do k = 1, rounds
    do while (shmem_test_lock(lock(1)) /= 0)
    end do
    call shmem_set_lock(lock(2))
    call shmem_integer_get(held, inner, 1, 0)
    call shmem_integer_put(inner, held + 1, 1, 0)
    call shmem_clear_lock(lock(2))
    call shmem_clear_lock(lock(1))
  end do
  call shmem_barrier_all()
  if (me == 0) call check_that(total == rounds * shmem_n_pes(), 'SHMEM_SET_LOCK excludes')
  if (me == 0) call check_that(inner == rounds * shmem_n_pes(), 'SHMEM_TEST_LOCK excludes')

  ! More than 65536 tickets of one lock.
  if (me == 0) then
    do k = 1, 70000
      call shmem_set_lock(lock(3))
      call shmem_clear_lock(lock(3))
    end do
    call check_that(shmem_test_lock(lock(3)) == 0, 'a free lock after many rounds')
    call check_that(shmem_test_lock(lock(3)) == 1, 'a held lock after many rounds')
    call shmem_clear_lock(lock(3))
  end if
  call shmem_barrier_all()
  do k = 1, 50
    call shmem_set_lock(lock(3))
    call shmem_integer_get(held, total, 1, 0)
    call shmem_integer_put(total, held + 1, 1, 0)
    call shmem_clear_lock(lock(3))
  end do
  call shmem_barrier_all()
  if (me == 0) call check_that(total == (rounds + 50) * shmem_n_pes(), 'a lock whose counters have wrapped')
  call check_end()
end program locks
