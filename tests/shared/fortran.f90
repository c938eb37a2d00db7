! The module weft_shared: each procedure, each type, each rank, and what several PEs make of one array.
program fortran
  use, intrinsic :: iso_c_binding
  use weft_shared
  implicit none
  integer :: me, n, failures = 0

  call weft_shared_init()
  me = weft_shared_my_pe()
  n = weft_shared_n_pes()
  call arrays()
  call kinds()
  call locks()
  call requests()
  call words()
  call blocks()
  call full()
  call weft_shared_finalize()
  if (failures > 0) error stop 1
  print '(a,i0,a)', 'PE ', me, ' is done'

contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    failures = failures + 1
    print '(a,i0,2a)', 'PE ', me, ': wrong: ', what
  end subroutine

  ! One array of all PEs, homes by parts, a column each and a row each.
  subroutine arrays()
    integer, parameter :: side = 96
    real(8), pointer :: a(:,:)
    type(weft_shared_stats_t) :: stats
    integer(c_size_t), parameter :: bytes = 8 * side * side
    integer :: k
    call weft_shared_allocate(a, [side, side], from=n - 1)
    call check(associated(a), 'an array for all')
    call check(all(shape(a) == [side, side]), 'its shape')
    call weft_shared_map(a, bytes, bytes / n, 0, n)
    do k = 1 + me, side, n
      a(:, k) = k
    end do
    call weft_shared_barrier()
    call weft_shared_prefetch(a, bytes)
    call check(abs(sum(a) - side * (side * (side + 1.0d0) / 2)) < 0.5, 'the sum of columns')
    call weft_shared_barrier()
    do k = 1 + me, side, n
      a(k, :) = a(k, :) - k
    end do
    call weft_shared_barrier()
    call check(abs(sum(a)) < 0.5, 'and of rows')
    call weft_shared_barrier()
    call weft_shared_stats(stats)
    call check(stats%faults >= 0 .and. stats%dropped >= 0, 'counts')
    if (me == 0) call weft_shared_deallocate(a)
  end subroutine

  subroutine kinds()
    integer(1), pointer :: i1(:)
    integer(2), pointer :: i2(:)
    integer(4), pointer :: i4(:,:,:,:)
    integer(8), pointer :: i8
    real(4), pointer :: r4(:,:,:)
    complex(4), pointer :: c4(:)
    complex(8), pointer :: c8(:,:)
    logical, pointer :: l(:)
    integer :: stat
    stat = -1
    call weft_shared_allocate(i1, [1000], stat=stat)
    call check(stat == 0 .and. size(i1) == 1000 .and. all(i1 == 0), 'bytes')
    call weft_shared_allocate(i2, [0])
    call check(associated(i2) .and. size(i2) == 0, 'nothing')
    call weft_shared_allocate(i4, [2, 3, 4, 5])
    i4 = me
    call check(sum(i4) == 120 * me, 'four ranks')
    call weft_shared_allocate(i8)
    i8 = huge(i8)
    call weft_shared_allocate(r4, [7, 1, 3])
    r4 = 1.5
    call weft_shared_allocate(c4, [3])
    call weft_shared_allocate(c8, [3, 2])
    c4 = (1.0, 2.0)
    c8 = (2.0d0, 1.0d0)
    call check(abs(sum(c8) - (12.0d0, 6.0d0)) < 1.0d-9, 'pairs')
    call weft_shared_allocate(l, [5])
    call check(.not. any(l), 'logicals')
    call check(i8 == huge(i8) .and. all(r4 == 1.5), 'apart from each other')
    call weft_shared_deallocate(i1)
    call check(.not. associated(i1), 'nullified')
    call weft_shared_deallocate(i1)
    call weft_shared_deallocate(i2)
    call weft_shared_deallocate(i4)
    call weft_shared_deallocate(i8)
    call weft_shared_deallocate(r4)
    call weft_shared_deallocate(c4)
    call weft_shared_deallocate(c8)
    call weft_shared_deallocate(l)
  end subroutine

  subroutine locks()
    integer, parameter :: times = 200
    type(weft_shared_lock_t), pointer :: lock(:)
    integer(8), pointer :: counts(:)
    integer :: k, which
    call weft_shared_allocate(lock, [3], from=0)
    call weft_shared_allocate(counts, [3], from=0)
    do k = 0, times - 1
      which = 1 + mod(k + me, 3)
      if (mod(k, 2) == 0) then
        call weft_shared_lock(lock(which))
      else
        do while (.not. weft_shared_trylock(lock(which)))
        end do
      end if
      counts(which) = counts(which) + 1
      call weft_shared_unlock(lock(which))
    end do
    call weft_shared_barrier()
    call check(sum(counts) == int(times, 8) * n, 'counted under locks')
    call weft_shared_barrier()
    if (me == 0) call weft_shared_deallocate(lock)
    if (me == 0) call weft_shared_deallocate(counts)
  end subroutine

  subroutine requests()
    type(weft_shared_lock_t), pointer :: lock
    type(weft_shared_request_t) :: request
    type(weft_shared_pair_t), pointer :: pair
    type(weft_shared_pair_t) :: seen, before
    integer(8), pointer :: count(:)
    integer :: k
    call weft_shared_allocate(lock, from=0)
    call weft_shared_allocate(count, [1], from=0)
    call weft_shared_allocate(pair, from=0)
    call weft_shared_protocol(count, 8_c_size_t, weft_shared_update)
    do k = 1, 20
      call weft_shared_lock_begin(lock, request)
      if (mod(k, 2) == 0) then
        call weft_shared_lock_wait(request)
      else
        do while (.not. weft_shared_lock_test(request))
        end do
      end if
      count(1) = count(1) + 1
      call weft_shared_unlock(lock)
      seen = weft_shared_load(pair)
      do
        before = weft_shared_compare_swap(pair, seen, weft_shared_pair_t(seen%first + 1, seen%second - 2))
        if (before%first == seen%first .and. before%second == seen%second) exit
        seen = before
      end do
    end do
    call weft_shared_broadcast(count, 8_c_size_t)
    call check(count(1) == 20 * n, 'counted by requests')
    call check(pair%first == 20 * n .and. pair%second == -40 * n, 'pairs')
    call weft_shared_barrier()
    if (me == 0) then
      call weft_shared_store(pair, weft_shared_pair_t(1, 2))
      seen = weft_shared_swap(pair, weft_shared_pair_t(3, 4))
      call check(seen%first == 1 .and. seen%second == 2 .and. pair%second == 4, 'a pair swapped')
    end if
    call weft_shared_barrier()
  end subroutine

  subroutine words()
    integer(8), pointer :: w8
    integer(4), pointer :: w4(:)
    integer(2), pointer :: w2
    integer(1), pointer :: w1
    real(8), pointer :: r8
    real(4), pointer :: r4
    integer(8) :: before8
    integer(4) :: before4
    real(8) :: before
    real(4) :: before_single
    call weft_shared_allocate(w8, from=0)
    call weft_shared_allocate(w4, [2], from=0)
    call weft_shared_allocate(w2, from=0)
    call weft_shared_allocate(w1, from=0)
    call weft_shared_allocate(r8, from=0)
    call weft_shared_allocate(r4, from=0)
    before8 = weft_shared_fetch_add(w8, 2_8)
    call check(mod(before8, 2_8) == 0 .and. before8 < 2 * n, 'what was there')
    before4 = weft_shared_fetch_or(w4(1), ishft(1, me))
    call check(.not. btest(before4, me), 'a bit')
    before = weft_shared_fetch_add(r8, 0.5d0)
    before_single = weft_shared_fetch_add(r4, 0.25)
    call check(before >= 0 .and. before_single >= 0, 'reals')
    call weft_shared_barrier()
    call check(weft_shared_load(w8) == 2 * n, 'all have added')
    call check(weft_shared_load(w4(1)) == ishft(1, n) - 1, 'all have set theirs')
    call check(abs(r8 - 0.5d0 * n) < 1.0d-9 .and. abs(r4 - 0.25 * n) < 1.0e-6, 'and added reals')
    call weft_shared_barrier()
    if (me == 0) then
      call weft_shared_store(w2, -3_2)
      call check(weft_shared_swap(w2, 7_2) == -3_2, 'swapped')
      call check(weft_shared_compare_swap(w2, 6_2, 1_2) == 7_2, 'not as expected')
      call check(weft_shared_compare_swap(w2, 7_2, 9_2) == 7_2 .and. weft_shared_load(w2) == 9_2, 'as expected')
      call weft_shared_store(w1, 12_1)
      call check(weft_shared_fetch_and(w1, 10_1) == 12_1 .and. weft_shared_fetch_xor(w1, 1_1) == 8_1, 'bits')
      call check(weft_shared_load(w1) == 9_1, 'of a byte')
    end if
    call weft_shared_barrier()
  end subroutine

  subroutine blocks()
    type(c_ptr) :: block, other
    integer(c_intptr_t) :: at
    real(8), pointer :: values(:)
    block = weft_shared_aligned_alloc(4096_c_size_t, 8000_c_size_t)
    at = transfer(block, at)
    call check(c_associated(block) .and. mod(at, 4096_c_intptr_t) == 0, 'at a page')
    call c_f_pointer(block, values, [1000])
    values = me
    block = weft_shared_realloc(block, 80000_c_size_t)
    call c_f_pointer(block, values, [1000])
    call check(all(values == me), 'made larger')
    other = weft_shared_from(0, block)
    call c_f_pointer(other, values, [1000])
    call check(all(values == 0), "PE 0's")
    call weft_shared_release()
    call weft_shared_acquire()
    call weft_shared_barrier()
    call weft_shared_free(block)
    block = weft_shared_malloc(100_c_size_t)
    other = weft_shared_calloc(10_c_size_t, 10_c_size_t)
    call check(c_associated(block) .and. c_associated(other) .and. .not. c_associated(block, other), 'two')
    call weft_shared_free(block)
    call weft_shared_free(other)
  end subroutine

  ! More than there is: said by stat on all PEs alike.
  subroutine full()
    real(8), pointer :: a(:)
    integer :: stat
    call weft_shared_allocate(a, [2000000000], from=0, stat=stat)
    call check(stat == 1 .and. .not. associated(a), 'more than there is')
  end subroutine
end program fortran
