! Fortran: do, workshare, sections, tasks, locks of both kinds, routines by reference with both sizes of integers.
program fortran
  use omp_lib
  implicit none
  integer :: threads, i, k, total, order
  integer(8) :: long
  real :: a(100), b(100)
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  integer(omp_sched_kind) :: kind
  integer :: chunk
  character(len=16) :: word

  threads = 4
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) threads
  end if
  call omp_set_dynamic(.false.)
  call omp_set_num_threads(int(threads, 8))
  call check(omp_get_max_threads() == threads, 1)
  do k = 1, 20
    total = 0
    !$omp parallel do reduction(+:total) schedule(guided)
    do i = 1, 100
      total = total + i
    end do
    call check(total == 5050, 2)
    b = 2.0
    !$omp parallel workshare
    a = b * 3.0
    !$omp end parallel workshare
    call check(all(a == 6.0), 3)
    order = 0
    !$omp parallel do ordered schedule(dynamic)
    do i = 1, 30
      !$omp ordered
      if (order /= i - 1) stop 4
      order = i
      !$omp end ordered
    end do
    call omp_init_lock(lock)
    call omp_init_nest_lock(nest)
    total = 0
    !$omp parallel
    call omp_set_lock(lock)
    call omp_set_nest_lock(nest)
    call omp_set_nest_lock(nest)
    total = total + 1
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
    call omp_unset_lock(lock)
    !$omp barrier
    !$omp single
    !$omp task shared(total)
    !$omp atomic
    total = total + 100
    !$omp end task
    !$omp taskwait
    !$omp end single
    !$omp end parallel
    call check(total == threads + 100, 5)
    call omp_destroy_lock(lock)
    call omp_destroy_nest_lock(nest)
  end do
  call omp_set_schedule(omp_sched_dynamic, 9)
  call omp_get_schedule(kind, chunk)
  call check(kind == omp_sched_dynamic .and. chunk == 9, 6)
  long = 0
  !$omp parallel do reduction(+:long) schedule(runtime)
  do i = 1, 1000
    long = long + i
  end do
  call check(long == 500500, 7)
  call check(omp_get_team_size(0) == 1 .and. .not. omp_in_parallel() .and. omp_get_wtime() > 0, 8)
  print *, 'all is right'
contains
  subroutine check(good, number)
    logical, intent(in) :: good
    integer, intent(in) :: number
    if (.not. good) then
      print *, 'check', number
      stop 1
    end if
  end subroutine
end program
