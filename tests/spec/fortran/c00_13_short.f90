! 0.13: the short header in free form, without a declaration of anything that is not called.
program short
  use check
  implicit none
  include 'mpp/shmem.fh'
  integer :: shmem_my_pe, shmem_n_pes
  include 'shmemx.fh'
  call check_watch()
  call start_pes(0)
  call check_that(shmem_my_pe() >= 0 .and. shmem_my_pe() < shmem_n_pes(), 'numbers')
  call check_that(SHMEM_CMP_EQ /= SHMEM_CMP_NE .and. len(SHMEM_VENDOR_STRING) < SHMEM_MAX_NAME_LEN, 'constants')
  call check_end()
end program short
