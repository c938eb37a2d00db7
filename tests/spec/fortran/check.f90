! What the programs of this folder share: a watchdog, checks that count, and an end that never leaves peers waiting.
! It calls the C interface itself, so that it serves programs of the 1.4 interface and of the module alike.
module check
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: check_watch, check_that, check_end

  integer, save :: failures = 0

  interface
    subroutine global_exit(status) bind(C, name="shmem_global_exit")
      import :: c_int
      integer(c_int), value :: status
    end subroutine global_exit
    subroutine finalize() bind(C, name="shmem_finalize")
    end subroutine finalize
    function my_number() bind(C, name="shmem_my_pe") result(res)
      import :: c_int
      integer(c_int) :: res
    end function my_number
    function alarm(seconds) bind(C) result(res)
      import :: c_int
      integer(c_int), value :: seconds
      integer(c_int) :: res
    end function alarm
  end interface

contains

  ! A hang ends the program before the test's own limit does; SIGALRM's default action is enough for that.
  subroutine check_watch()
    character(len=8) :: slow
    integer :: factor, code
    call get_environment_variable('WEFT_TEST_SLOW', slow)
    read (slow, *, iostat=code) factor
    if (code /= 0) factor = 1
    code = alarm(50 * max(factor, 1))
  end subroutine check_watch

  subroutine check_that(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    if (failures <= 20) write (*, '(A, I0, 2A)') 'PE ', my_number(), ': FAILED ', what
    flush (6)
  end subroutine check_that

  subroutine check_end()
    if (failures > 0) call global_exit(1)
    call finalize()
  end subroutine check_end
end module check
