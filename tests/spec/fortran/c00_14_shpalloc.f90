! 0.14: SHPALLOC, SHPCLMOVE and SHPDEALLC: 32-bit words, Cray pointers, error codes. With an argument the program asks
! for an end on that error instead.
program shp
  use check
  implicit none
  include 'shmem_long.fh'
  integer :: block(*), second(*), inside(*)
  pointer (at, block), (next, second), (wrong, inside)
  integer :: code, me, n
  integer*8 :: before
  integer, target, save :: static
  character(len=20) :: what

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  call get_command_argument(1, what)
  if (what /= '') call end_on_error()

  call shpalloc(at, 10, code, 0)
  call check_that(code == 0 .and. at /= 0, 'SHPALLOC')
  block(1:10) = me
  ! The lengths are words: 10 of them fill a unit of 64 bytes, 17 do not.
  call shpclmove(at, 16, code, 0)
  call check_that(code == 0, 'SHPCLMOVE in place')
  call shpalloc(next, 1, code, 0)
  call check_that(code == 0 .and. next == at + 64, '16 words are 64 bytes')
  before = at
  call shpclmove(at, 17, code, 0)
  call check_that(code == 1 .and. at /= before .and. all(block(1:10) == me), 'SHPCLMOVE to another place')
  call shmem_barrier_all()
  call check_that(shmem_int4_fetch(block(10), mod(me + 1, n)) == mod(me + 1, n), 'the block is symmetric')

  call shpalloc(wrong, 0, code, 0)
  call check_that(code == -1, 'SHPALLOC of 0 words')
  call shpalloc(wrong, -5, code, 0)
  call check_that(code == -1, 'SHPALLOC of -5 words')
  call shpalloc(wrong, huge(code), code, 0)
  call check_that(code == -2, 'SHPALLOC of 8 GB')
  wrong = loc(static)
  call shpdeallc(wrong, code, 0)
  call check_that(code == -3, 'SHPDEALLC outside of the heap')
  wrong = at + 4
  call shpdeallc(wrong, code, 0)
  call check_that(code == -5, 'SHPDEALLC inside a block')
  call shpclmove(wrong, 4, code, 0)
  call check_that(code == -5, 'SHPCLMOVE inside a block')
  call shpclmove(at, -1, code, 0)
  call check_that(code == -1, 'SHPCLMOVE to -1 words')
  call shpclmove(at, huge(code), code, 0)
  call check_that(code == -2 .and. all(block(1:10) == me), 'SHPCLMOVE to 8 GB')
  wrong = at
  call shpdeallc(at, code, 0)
  call check_that(code == 0, 'SHPDEALLC')
  call shpdeallc(wrong, code, 0)
  call check_that(code == -4, 'SHPDEALLC a second time')
  call shpdeallc(next, code, 0)
  call check_that(code == 0, 'SHPDEALLC of the other')
  call check_end()

contains

  subroutine end_on_error()
    select case (what)
    case ('length')
      call shpalloc(at, -7, code, 1)
    case ('memory')
      call shpalloc(at, huge(code), code, 1)
    case ('outside')
      at = loc(static)
      call shpdeallc(at, code, 1)
    case ('free')
      call shpalloc(at, 4, code, 1)
      wrong = at
      call shpdeallc(at, code, 1)
      call shpdeallc(wrong, code, 1)
    case ('inside')
      call shpalloc(at, 4, code, 1)
      wrong = at + 8
      call shpclmove(wrong, 8, code, 1)
    end select
    print *, 'still here'
  end subroutine end_on_error
end program shp
