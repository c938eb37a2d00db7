! 0.14: CHARACTER arguments bring their lengths along, hidden behind the others; how much is moved is nelems alone.
program characters
  use check
  implicit none
  include 'shmem_long.fh'
  character(len=20), save :: there, from
  character(len=20) :: got
  character(len=SHMEM_MAX_NAME_LEN) :: name
  character(len=8), save :: several(4)
  integer :: me, n, right, left

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  right = mod(me + 1, n)
  left = mod(me + n - 1, n)
  there = repeat('.', 20)
  from = 'from PE ' // achar(iachar('0') + me) // ' and thanks'
  several = ''
  call shmem_barrier_all()
  call shmem_character_put(there(3:), from, 9, right)
  call shmem_character_put_nbi(several, from(1:1), 1, right)
  call shmem_barrier_all()
  call check_that(there == '..from PE ' // achar(iachar('0') + left) // '.........', 'SHMEM_CHARACTER_PUT')
  call check_that(several(1) == 'f', 'SHMEM_CHARACTER_PUT_NBI')
  got = repeat('-', 20)
  call shmem_character_get(got, from, 9, right)
  call check_that(got == 'from PE ' // achar(iachar('0') + right) // '-----------', 'SHMEM_CHARACTER_GET')
  call shmem_character_get_nbi(got(2:2), from(9:9), 1, right)
  call shmem_quiet()
  call check_that(got(1:3) == 'f' // achar(iachar('0') + right) // 'o', 'SHMEM_CHARACTER_GET_NBI')
  name = repeat('x', len(name))
  call shmem_info_get_name(name)
  call check_that(name == SHMEM_VENDOR_STRING, 'SHMEM_INFO_GET_NAME is padded with blanks')
  call check_end()
end program characters
