"""Writes the Fortran module of shared pages: what include/weft/shared.h has, and arrays by pointers of Fortran."""
from .text import banner

# Fortran type, its kind, and the word in names of procedures; bytes by storage_size.
TYPES = {
    "integer1": "integer(c_int8_t)", "integer2": "integer(c_int16_t)", "integer4": "integer(c_int32_t)",
    "integer8": "integer(c_int64_t)", "real4": "real(c_float)", "real8": "real(c_double)",
    "complex4": "complex(c_float_complex)", "complex8": "complex(c_double_complex)", "logical": "logical",
    "lock": "type(weft_shared_lock_t)", "pair": "type(weft_shared_pair_t)",
}
RANKS = range(5)

# TYPENAME of C -> the type whose bits it is; Fortran has no numbers without a sign.
WORDS = {"uint8": TYPES["integer1"], "uint16": TYPES["integer2"], "uint32": TYPES["integer4"],
         "uint64": TYPES["integer8"], "float": TYPES["real4"], "double": TYPES["real8"], "pair": TYPES["pair"]}

HEAD = """\
{banner}! Memory that all PEs of a job share by loads and stores: see weft/shared.h, docs/guide/shared-pages.md.
!
! weft_shared_allocate(pointer, shape [, from] [, stat]): an array in shared memory. Without `from` for this PE, which may
! tell others where it is; with it all PEs call, PE `from` gets the memory, and all have the array: that is a barrier. A
! scalar has no shape. stat: 0, or 1 where no such memory is left; without it the program ends then.
! weft_shared_deallocate(pointer): gives it back, and nullifies the pointer.
module weft_shared
  use, intrinsic :: iso_c_binding
  implicit none
  private

  ! Free where all of it is 0, as those are that weft_shared_allocate has made.
  type, bind(c), public :: weft_shared_lock_t
    private
    integer(c_int32_t) :: weft_words(4) = 0
  end type
  type, bind(c), public :: weft_shared_stats_t
    integer(c_int64_t) :: faults, fetched, prefetched, refreshed, twins, sent, announced, dropped, &
                          evicted, copies
  end type
  ! Begun by weft_shared_lock_begin; of zero: there is none.
  type, bind(c), public :: weft_shared_request_t
    private
    integer(c_int64_t) :: weft_number = 0
  end type
  ! At multiples of 16, as the first one is that weft_shared_allocate has made.
  type, bind(c), public :: weft_shared_pair_t
    integer(c_int64_t) :: first = 0, second = 0
  end type
  integer(c_int), parameter, public :: weft_shared_learned = 1, weft_shared_invalidate = 2, weft_shared_update = 3

  interface
    subroutine weft_shared_init() bind(c)
    end subroutine
    subroutine weft_shared_finalize() bind(c)
    end subroutine
    function weft_shared_my_pe() bind(c)
      import
      integer(c_int) :: weft_shared_my_pe
    end function
    function weft_shared_n_pes() bind(c)
      import
      integer(c_int) :: weft_shared_n_pes
    end function
    subroutine weft_shared_barrier() bind(c)
    end subroutine
    subroutine weft_shared_acquire() bind(c)
    end subroutine
    subroutine weft_shared_release() bind(c)
    end subroutine
    function weft_shared_malloc(bytes) bind(c)
      import
      integer(c_size_t), value :: bytes
      type(c_ptr) :: weft_shared_malloc
    end function
    function weft_shared_calloc(count, bytes) bind(c)
      import
      integer(c_size_t), value :: count, bytes
      type(c_ptr) :: weft_shared_calloc
    end function
    function weft_shared_realloc(block, bytes) bind(c)
      import
      type(c_ptr), value :: block
      integer(c_size_t), value :: bytes
      type(c_ptr) :: weft_shared_realloc
    end function
    function weft_shared_aligned_alloc(alignment, bytes) bind(c)
      import
      integer(c_size_t), value :: alignment, bytes
      type(c_ptr) :: weft_shared_aligned_alloc
    end function
    subroutine weft_shared_free(block) bind(c)
      import
      type(c_ptr), value :: block
    end subroutine
    function weft_shared_from(pe, pointer) bind(c)
      import
      integer(c_int), value :: pe
      type(c_ptr), value :: pointer
      type(c_ptr) :: weft_shared_from
    end function
    subroutine weft_shared_map(address, bytes, piece, from, pes) bind(c)
      import
      type(*) :: address(*)
      integer(c_size_t), value :: bytes, piece
      integer(c_int), value :: from, pes
    end subroutine
    subroutine weft_shared_prefetch(address, bytes) bind(c)
      import
      type(*), intent(in) :: address(*)
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine weft_shared_broadcast(address, bytes) bind(c)
      import
      type(*), intent(in) :: address(*)
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine weft_shared_protocol(address, bytes, protocol) bind(c)
      import
      type(*), intent(in) :: address(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: protocol
    end subroutine
    subroutine weft_shared_stats(stats) bind(c)
      import
      type(weft_shared_stats_t), intent(out) :: stats
    end subroutine
    subroutine weft_shared_lock(lock) bind(c)
      import
      type(weft_shared_lock_t), intent(inout) :: lock
    end subroutine
    function c_trylock(lock) bind(c, name="weft_shared_trylock")
      import
      type(weft_shared_lock_t), intent(inout) :: lock
      integer(c_int) :: c_trylock
    end function
    subroutine weft_shared_unlock(lock) bind(c)
      import
      type(weft_shared_lock_t), intent(inout) :: lock
    end subroutine
    subroutine weft_shared_lock_begin(lock, request) bind(c)
      import
      type(weft_shared_lock_t), intent(inout) :: lock
      type(weft_shared_request_t), intent(inout) :: request
    end subroutine
    function c_lock_test(request) bind(c, name="weft_shared_lock_test")
      import
      type(weft_shared_request_t), intent(inout) :: request
      integer(c_int) :: c_lock_test
    end function
    subroutine weft_shared_lock_wait(request) bind(c)
      import
      type(weft_shared_request_t), intent(inout) :: request
    end subroutine
"""

TAIL = """\
contains
  logical function weft_shared_trylock(lock)
    type(weft_shared_lock_t), intent(inout) :: lock
    weft_shared_trylock = c_trylock(lock) /= 0
  end function

  logical function weft_shared_lock_test(request)
    type(weft_shared_request_t), intent(inout) :: request
    weft_shared_lock_test = c_lock_test(request) /= 0
  end function

  ! Of zeros, so that locks are free.
  function take(elements, bits, from, stat) result(at)
    integer(c_size_t), intent(in) :: elements
    integer, intent(in) :: bits
    integer, intent(in), optional :: from
    integer, intent(out), optional :: stat
    type(c_ptr) :: at
    logical :: here
    here = .true.
    if (present(from)) here = weft_shared_my_pe() == from
    at = c_null_ptr
    if (here) at = weft_shared_calloc(max(elements, 1_c_size_t), int(bits / 8, c_size_t))
    if (present(from)) at = weft_shared_from(int(from, c_int), at)
    if (present(stat)) then
      stat = merge(0, 1, c_associated(at))
    else if (.not. c_associated(at)) then
      error stop 'weft_shared_allocate: no such memory is left; raise WEFT_SHARED_SIZE, or give stat'
    end if
  end function

  integer(c_size_t) function count_of(shape)
    integer, intent(in) :: shape(:)
    count_of = product(int(max(shape, 0), c_size_t))
  end function
"""


def _array(word, rank):
    """The two procedures of a type and rank."""
    kind = TYPES[word]
    colons = "(" + ", ".join(":" * rank) + ")" if rank else ""
    shape = "shape, " if rank else ""
    declared = f"    integer, intent(in) :: shape({rank})\n" if rank else ""
    elements = "count_of(shape)" if rank else "1_c_size_t"
    dims = ", shape" if rank else ""
    return f"""
  subroutine allocate_{word}_{rank}(pointer, {shape}from, stat)
    {kind}, pointer, intent(out) :: pointer{colons}
{declared}    integer, intent(in), optional :: from
    integer, intent(out), optional :: stat
    {kind} :: element
    type(c_ptr) :: at
    nullify(pointer)
    at = take({elements}, storage_size(element), from, stat)
    if (c_associated(at)) call c_f_pointer(at, pointer{dims})
  end subroutine
  subroutine deallocate_{word}_{rank}(pointer)
    {kind}, pointer, intent(inout) :: pointer{colons}
    if (associated(pointer)) call weft_shared_free(c_loc(pointer))
    nullify(pointer)
  end subroutine
"""


def _atomics(table):
    """bind(C) interfaces of the atomic operations, and which stand behind a name without a type."""
    lines, generics = [], {}
    for family in table.families:
        for pattern in family.names:
            if "{TYPE}" not in pattern:
                continue
            parameters = [text.split()[-1].lstrip("*") for text in family.params.split(",")]
            for word in table.sets[family.types]:
                name, kind = pattern.replace("{TYPE}", word), WORDS[word]
                what = "function" if family.returns != "void" else "subroutine"
                lines += [f"    {what} {name}({', '.join(parameters)}) bind(c)", "      import"]
                intent = "in" if "const" in family.params else "inout"
                lines += [f"      {kind}, intent({intent}) :: word"]
                lines += [f"      {kind}, value :: {each}" for each in parameters if each != "word"]
                lines += [f"      {kind} :: {name}"] if what == "function" else []
                lines += [f"    end {what}"]
                generics.setdefault(pattern.replace("{TYPE}_", ""), []).append(name)
    return lines, generics


def _generic(name, procedures):
    lines = [f"  interface {name}"]
    for first in range(0, len(procedures), 3):
        lines.append("    procedure :: " + ", ".join(procedures[first:first + 3]))
    return "\n".join([*lines, "  end interface", f"  public :: {name}", ""])


def render(table):
    atomics, generics = _atomics(table)
    plain = sorted(routine.name for routine in table.routines if routine.name not in sum(generics.values(), []))
    text = HEAD.format(banner=banner("!", "shared/routines.toml")) + "\n".join(atomics) + "\n  end interface\n"
    text += "".join(f"  public :: {name}\n" for name in plain)
    for name, procedures in generics.items():
        text += _generic(name, procedures)
    for verb in ("allocate", "deallocate"):
        text += _generic(f"weft_shared_{verb}", [f"{verb}_{word}_{rank}" for word in TYPES for rank in RANKS])
    text += TAIL + "".join(_array(word, rank) for word in TYPES for rank in RANKS)
    return {"shared/weft_shared.f90": text + "end module weft_shared\n"}
