! Messages name the Fortran routine that was called, whatever C routine finds the mistake; and C's own name for a C call.
program messages
  use, intrinsic :: iso_c_binding
  use check
  implicit none
  include 'shmem.fh'
  interface
    subroutine c_putmem(dest, source, nelems, pe) bind(C, name='shmem_putmem')
      import
      type(c_ptr), value :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine c_putmem
  end interface
  integer :: shmem_n_pes
  integer, save, target :: there(4)
  integer, save :: psync(SHMEM_REDUCE_SYNC_SIZE) = SHMEM_SYNC_VALUE
  integer, allocatable :: own(:)
  character(len=20) :: what
  call check_watch()
  call get_command_argument(1, what)
  if (what /= 'before') call shmem_init()
  select case (what)
  case ('before')
    call shmem_barrier_all()
  case ('pe')
    call shmem_put8(there, there, 1, 99)
  case ('own')
    allocate(own(4))
    call shmem_integer_get(there, own, 1, 0)
  case ('count')
    call shmem_int4_sum_to_all(there, there, -1, 0, 0, shmem_n_pes(), there, psync)
  case ('c')
    call shmem_put8(there, there, 1, 0)
    call c_putmem(c_loc(there), c_loc(there), 1_c_size_t, 99)
  end select
  print *, 'still here'
  call check_end()
end program messages
