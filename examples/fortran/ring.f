! The interface of OpenSHMEM 1.4, for programs that have it already: fixed form, shmem.fh, a Cray pointer.
! A number goes round all PEs and each adds its own.
!
!   oshfort ring.f -o ring && oshrun -n 4 ./ring
      program ring
      implicit none
      include 'shmem.fh'
      integer shmem_my_pe, shmem_n_pes
      integer me, n, code, sent
      integer flag(1)
      common /symmetric/ flag
      integer token(1)
      pointer (at, token)

      call shmem_init()
      me = shmem_my_pe()
      n = shmem_n_pes()
      flag(1) = 0
      call shpalloc(at, 1, code, 1)
      token(1) = 0
      call shmem_barrier_all()

      if (me .ne. 0) call shmem_wait(flag, 0)
      sent = token(1) + me
      call shmem_integer_put(token, sent, 1, mod(me + 1, n))
      call shmem_fence()
      call shmem_integer_put(flag, 1, 1, mod(me + 1, n))
      if (me .eq. 0) then
        call shmem_wait(flag, 0)
        print '(A, I0, A, I0)', 'ring of ', n, ' adds up to ', token(1)
      end if

      call shmem_barrier_all()
      call shpdeallc(at, code, 1)
      call shmem_finalize()
      end
