! A negative number of elements is told by the Fortran routine's own name.
program negative
  use check
  implicit none
  include 'shmem.fh'
  integer, save :: there(4)
  call check_watch()
  call shmem_init()
  call shmem_put8(there, there, -3, 0)
  print *, 'still here'
  call check_end()
end program negative
