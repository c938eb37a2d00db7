! Calls of the old interface from two places.
program main
  implicit none
  include 'shmem.fh'
  integer*8, save :: there(4)
  integer*8 :: here(4)
  integer :: k, next
  integer, external :: shmem_my_pe, shmem_n_pes
  call shmem_init()
  next = mod(shmem_my_pe() + 1, shmem_n_pes())
  here = 1
  call shmem_put8(there, here, 4, next)
  do k = 1, 20
    call shmem_put8(there, here, 4, next)
  end do
  call shmem_barrier_all()
  call shmem_finalize()
end program
