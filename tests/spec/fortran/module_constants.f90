! use shmem: the constants of the work arrays, of the lengths that shmem.fh says.
module old_header
  implicit none
  include 'shmem.fh'
end module old_header

program module_constants
  use check
  use shmem
  use old_header, only: old_value => SHMEM_SYNC_VALUE, old_sync => SHMEM_SYNC_SIZE, old_barrier => SHMEM_BARRIER_SYNC_SIZE, &
                        old_bcast => SHMEM_BCAST_SYNC_SIZE, old_reduce => SHMEM_REDUCE_SYNC_SIZE, &
                        old_collect => SHMEM_COLLECT_SYNC_SIZE, old_alltoall => SHMEM_ALLTOALL_SYNC_SIZE, &
                        old_alltoalls => SHMEM_ALLTOALLS_SYNC_SIZE, old_work => SHMEM_REDUCE_MIN_WRKDATA_SIZE
  implicit none
  integer, save :: psync(SHMEM_BCAST_SYNC_SIZE) = SHMEM_SYNC_VALUE, again(SHMEM_BARRIER_SYNC_SIZE) = SHMEM_SYNC_VALUE
  integer, save :: source(3), dest(3)
  external :: shmem_broadcast4

  call check_watch()
  call shmem_init()
  call check_that(old_value == SHMEM_SYNC_VALUE .and. old_sync == SHMEM_SYNC_SIZE, 'SHMEM_SYNC_VALUE, SHMEM_SYNC_SIZE')
  call check_that(old_barrier == SHMEM_BARRIER_SYNC_SIZE .and. old_bcast == SHMEM_BCAST_SYNC_SIZE, 'barrier, broadcast')
  call check_that(old_reduce == SHMEM_REDUCE_SYNC_SIZE .and. old_collect == SHMEM_COLLECT_SYNC_SIZE, 'reduce, collect')
  call check_that(old_alltoall == SHMEM_ALLTOALL_SYNC_SIZE .and. old_alltoalls == SHMEM_ALLTOALLS_SYNC_SIZE, 'alltoall')
  call check_that(old_work == SHMEM_REDUCE_MIN_WRKDATA_SIZE, 'SHMEM_REDUCE_MIN_WRKDATA_SIZE')

  ! A routine over active sets, which the module has not, with work arrays of the module's constants.
  source = [1, 2, 3] + shmem_my_pe()
  dest = 0
  call shmem_barrier_all()
  call shmem_broadcast4(dest, source, 3, 0, 0, 0, shmem_n_pes(), psync)
  call check_that(all(dest == merge([0, 0, 0], [1, 2, 3], shmem_my_pe() == 0)), 'a broadcast with psync')
  call check_that(all(again == 0), 'the value')
  call check_end()
end program module_constants
