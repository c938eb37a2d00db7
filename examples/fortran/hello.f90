! Every PE greets its right neighbour: the module shmem, with an array on the symmetric heap.
! Each prints the greeting that it got.
!
!   oshfort hello.f90 -o hello && oshrun -n 4 ./hello
program hello
  use shmem
  implicit none
  integer, pointer :: greeting(:)
  integer :: me, n

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  call shmem_allocate(greeting, 2)

  call shmem_put(greeting, [me, n], 2, mod(me + 1, n))
  call shmem_barrier_all()
  print '(A, I0, A, I0)', 'hello from PE ', greeting(1), ' of ', greeting(2)

  call shmem_deallocate(greeting)
  call shmem_finalize()
end program hello
