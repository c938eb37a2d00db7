! 0.13: the short header, in fixed form, in a program that declares the functions as the specification's own examples do.
      program short
      use check
      implicit none
      include 'shmem.fh'
      integer shmem_my_pe, shmem_n_pes
      integer psync(SHMEM_BCAST_SYNC_SIZE)
      save psync
      data psync /SHMEM_BCAST_SYNC_SIZE*SHMEM_SYNC_VALUE/
      call check_watch()
      call shmem_init()
      call check_that(shmem_my_pe() .ge. 0 .and.
     &  shmem_my_pe() .lt. shmem_n_pes(), 'numbers')
      call check_that(shmem_pe_accessible(0), 'accessible')
      call check_that(SHMEM_BCAST_SYNC_SIZE * 4 .ge. 1024 + 4, 'pSync')
      call check_end()
      end
