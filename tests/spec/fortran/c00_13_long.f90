! 0.13: the long header in free form.
program long
  use check
  implicit none
  include 'shmem_long.fh'
  integer x, my_pe, num_pes
  save x
  integer there(1)
  pointer (p, there)
  call check_watch()
  call shmem_init()
  x = shmem_my_pe()
  call shmem_barrier_all()
  call check_that(shmem_int4_fetch(x, shmem_n_pes() - 1) == &
                  shmem_n_pes() - 1, 'a function of the long header')
  call check_that(my_pe() == shmem_my_pe() .and. &
                  num_pes() == shmem_n_pes(), 'the old names')
  p = shmem_ptr(x, shmem_my_pe())
  call check_that(there(1) == shmem_my_pe(), 'a Cray pointer')
  call check_that(shmem_addr_accessible(x, 0), 'a logical')
  call check_end()
end program long
