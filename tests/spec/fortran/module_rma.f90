! use shmem: put, get and their kin, for kinds and ranks, with and without a context.
program module_rma
  use, intrinsic :: iso_c_binding
  use check
  use shmem
  implicit none
  integer, target, save :: scalar, vector(12), matrix(3, 4), cube(2, 3, 2)
  integer(c_int8_t), target, save :: tiny(9)
  integer(c_int16_t), target, save :: short(9)
  integer(c_int64_t), target, save :: long(9), flag
  real, target, save :: single(9)
  real(c_double), target, save :: double(9)
  complex, target, save :: c8(9)
  complex(c_double_complex), target, save :: c16(9)
  logical, target, save :: yes(9)
  character(len=5), target, save :: words(3)
  character(len=5) :: got(3)
  integer :: mine(12), me, n, right, left, k
  type(shmem_ctx_t) :: ctx

  call check_watch()
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  right = mod(me + 1, n)
  left = mod(me + n - 1, n)
  call shmem_ctx_create(0_c_long, ctx, stat=k)
  call check_that(k == 0 .and. ctx /= SHMEM_CTX_INVALID, 'a context')

  ! Every rank; nelems of both kinds.
  scalar = -1; vector = -1; matrix = -1; cube = -1
  call shmem_barrier_all()
  mine = [(100 * me + k, k = 1, 12)]
  call shmem_put(scalar, mine(1), 1, right)
  call shmem_put(vector, mine, 12_c_int64_t, right)
  call shmem_put(ctx, matrix, reshape(mine, [3, 4]), 12, right)
  call shmem_put_nbi(cube, mine, 12, right)
  call shmem_quiet(ctx)
  call shmem_barrier_all()
  mine = [(100 * left + k, k = 1, 12)]
  call check_that(scalar == mine(1), 'put of a scalar')
  call check_that(all(vector == mine), 'put of a vector')
  call check_that(all(matrix == reshape(mine, [3, 4])), 'put of a matrix, context')
  call check_that(all(cube == reshape(mine, [2, 3, 2])), 'put_nbi of a cube')
  call shmem_barrier_all()

  ! A column is contiguous: a section of it is as good as an array.
  matrix = me
  call shmem_barrier_all()
  call shmem_get(matrix(:, 2), matrix(:, 3), 3, right)
  call check_that(all(matrix(:, 2) == right) .and. all(matrix(:, 1) == me), 'get of a column')
  call shmem_barrier_all()

  ! Every kind.
  tiny = int(me, c_int8_t); short = int(me, c_int16_t); long = me; single = me; double = me
  c8 = cmplx(me, -me); c16 = cmplx(me, 1, c_double); yes = mod(me, 2) == 0
  words = 'pe ' // achar(iachar('0') + me)
  call shmem_barrier_all()
  call shmem_get(tiny(2:3), tiny(5:), 2, right)
  call shmem_get(short(2:3), short(5:), 2, right)
  call shmem_get(long(2:3), long(5:), 2, right)
  call shmem_get(single(2:3), single(5:), 2, right)
  call shmem_get(double(2:3), double(5:), 2, right)
  call shmem_get(c8(2:3), c8(5:), 2, right)
  call shmem_get(c16(2:3), c16(5:), 2, right)
  call shmem_get(yes(2:3), yes(5:), 2, right)
  call shmem_get(got, words, 3, right)
  call check_that(all(tiny(2:3) == right) .and. all(tiny(4:) == me), 'int8')
  call check_that(all(short(2:3) == right) .and. all(short(4:) == me), 'int16')
  call check_that(all(long(2:3) == right) .and. all(long(4:) == me), 'int64')
  call check_that(all(single(2:3) == right) .and. all(single(4:) == me), 'real')
  call check_that(all(double(2:3) == right) .and. all(double(4:) == me), 'double')
  call check_that(all(c8(2:3) == cmplx(right, -right)) .and. c8(4) == cmplx(me, -me), 'complex')
  call check_that(all(c16(2:3) == cmplx(right, 1, c_double)) .and. c16(4) == cmplx(me, 1, c_double), 'double complex')
  call check_that(all(yes(2:3) .eqv. mod(right, 2) == 0) .and. (yes(4) .eqv. mod(me, 2) == 0), 'logical')
  call check_that(all(got == 'pe ' // achar(iachar('0') + right)), 'character')
  call shmem_barrier_all()

  ! One element, strided, blocks, bytes.
  vector = -1; c8 = 0; flag = 0
  call shmem_barrier_all()
  call shmem_p(vector(3), me, right)
  call shmem_p(ctx, c8(1), cmplx(me, 2), right)
  mine = [(k, k = 1, 12)]
  call shmem_iput(vector(5:), mine, 2, 3, 3, right)
  call shmem_ibput(vector(10:), mine, 2, 4, 2, 1, right)
  call shmem_quiet(ctx)
  call shmem_barrier_all()
  call check_that(vector(3) == left .and. shmem_g(vector(3), right) == me, 'p and g')
  call check_that(c8(1) == cmplx(left, 2) .and. shmem_g(c8(1), right) == cmplx(me, 2), 'p and g, complex')
  call check_that(all(vector(5:11) == [1, -1, 4, -1, 7, 1, 2]), 'iput and ibput')
  call shmem_barrier_all()
  call shmem_putmem(vector, mine, 8, right)
  call shmem_put_signal(vector(7:), mine, 2, flag, 5_c_int64_t, SHMEM_SIGNAL_OP_ADD, right)
  call check_that(shmem_signal_wait_until(flag, SHMEM_CMP_GE, 5_c_int64_t) == 5, 'signal')
  call check_that(all(vector(7:8) == [1, 2]), 'put_signal')
  call shmem_barrier_all()
  call check_that(all(vector(1:2) == [1, 2]), 'putmem')
  call shmem_ctx_destroy(ctx)
  call check_that(ctx == SHMEM_CTX_INVALID, 'a destroyed context')
  call check_end()
end program module_rma
