! The smallest OpenSHMEM program in Fortran, through the C interface: it declares the routines it calls.
!
!   oshfort hello.f90 -o hello && oshrun -n 4 ./hello
program hello
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none

  interface
    subroutine shmem_init() bind(C)
    end subroutine shmem_init
    subroutine shmem_finalize() bind(C)
    end subroutine shmem_finalize
    integer(c_int) function shmem_my_pe() bind(C)
      import :: c_int
    end function shmem_my_pe
    integer(c_int) function shmem_n_pes() bind(C)
      import :: c_int
    end function shmem_n_pes
  end interface

  call shmem_init()
  print '(A, I0, A, I0)', 'hello from PE ', shmem_my_pe(), ' of ', shmem_n_pes()
  call shmem_finalize()
end program hello
