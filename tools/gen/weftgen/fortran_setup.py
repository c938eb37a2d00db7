"""The rest of the Fortran module shmem: types and constants, setup, contexts, memory. See fortran_generics.py."""
import re

from . import fortran_generics, fortran_requests, fortran_sync
from .fortran_generics import ANY, CTX, INT, INT64, KINDS, STAT, TEAM, TYPES, attempt
from .fortran_module import Module
from .table import SPECIFICATION

# Handles are C pointers in a type of their own, so that a team is no context. Their values are addresses that only the
# linker knows: src/fortran/module_handles.cpp fills them in before the program begins.
TYPES_TEXT = """\
  type, bind(C), public :: shmem_ctx_t
    private
    type(c_ptr) :: handle = c_null_ptr
  end type shmem_ctx_t
  type, bind(C), public :: shmem_team_t
    private
    type(c_ptr) :: handle = c_null_ptr
  end type shmem_team_t
  type, bind(C), public :: shmemx_req_t
    private
    type(c_ptr) :: handle = c_null_ptr
  end type shmemx_req_t
  type, bind(C), public :: shmem_team_config_t
    integer(c_int) :: num_contexts = 0
  end type shmem_team_config_t
  type, bind(C), public :: shmem_ctx_session_config_t
    integer(c_size_t) :: total_ops = 0
  end type shmem_ctx_session_config_t

  type(shmem_ctx_t), parameter, public :: SHMEM_CTX_INVALID = shmem_ctx_t(c_null_ptr)
  type(shmem_team_t), parameter, public :: SHMEM_TEAM_INVALID = shmem_team_t(c_null_ptr)
  type(shmemx_req_t), parameter, public :: SHMEMX_REQ_INVALID = shmemx_req_t(c_null_ptr)
  type(shmem_ctx_t), protected, public, bind(C, name="weft_fortran_ctx_default") :: SHMEM_CTX_DEFAULT
  type(shmem_team_t), protected, public, bind(C, name="weft_fortran_team_world") :: SHMEM_TEAM_WORLD
  type(shmem_team_t), protected, public, bind(C, name="weft_fortran_team_shared") :: SHMEM_TEAM_SHARED

  interface operator(==)
    module procedure same_shmem_ctx_t, same_shmem_team_t, same_shmemx_req_t
  end interface
  interface operator(/=)
    module procedure other_shmem_ctx_t, other_shmem_team_t, other_shmemx_req_t
  end interface
  public :: operator(==), operator(/=)

  interface need_count
    module procedure need_count_n4, need_count_n8
  end interface
  public :: need_count, need_contiguous, failed, fail

  interface
    subroutine weft_support_fail(routine, text) bind(C)
      import
      character(kind=c_char), intent(in) :: routine(*), text(*)
    end subroutine weft_support_fail
  end interface
"""

EQUAL = """\
  elemental function {name}_{what}(a, b) result(res)
    type({what}), intent(in) :: a, b
    logical :: res
    res = transfer(a%handle, 0_c_intptr_t) {operator} transfer(b%handle, 0_c_intptr_t)
  end function {name}_{what}
"""

HELPERS = """\
  function need_count_{suffix}(number, routine) result(res)
    integer({kind}), intent(in) :: number
    character(len=*), intent(in) :: routine
    integer(c_size_t) :: res
    character(len=20) :: digits
    if (number < 0) then
      write (digits, '(I0)') number
      call fail(routine, 'the number of elements is ' // trim(digits) // '; give 0 or more')
    end if
    res = int(number, c_size_t)
  end function need_count_{suffix}
"""

FAIL = """\
  subroutine need_contiguous(yes, routine, argument)
    logical, intent(in) :: yes
    character(len=*), intent(in) :: routine, argument
    if (.not. yes) call fail(routine, argument // ' is an array section with gaps; give a contiguous one, ' // &
        'or use shmem_iput and shmem_iget')
  end subroutine need_contiguous

  subroutine failed(code, routine)
    integer(c_int), intent(in) :: code
    character(len=*), intent(in) :: routine
    character(len=20) :: digits
    write (digits, '(I0)') code
    call fail(routine, 'failed with status ' // trim(digits) // '; to go on after failures give it the argument stat')
  end subroutine failed

  subroutine fail(routine, text)
    character(len=*), intent(in) :: routine, text
    call weft_support_fail(routine // c_null_char, text // c_null_char)
  end subroutine fail
"""


def types(table, version, sync_size):
    module = Module(TYPES, "Types, constants and handles of OpenSHMEM.", table)
    fillings = {"@MAJOR@": str(SPECIFICATION[0]), "@MINOR@": str(SPECIFICATION[1]), "@VENDOR@": f"Weft {version}"}
    module.declarations.append(TYPES_TEXT)
    for _, values in table.constants:
        for name, value in values.items():
            if name.startswith("_"):
                continue  # no name in Fortran
            if re.fullmatch(r"SHMEM_(\w+_)?SYNC_SIZE", name):
                value = str(sync_size)  # of default INTEGERs, as in shmem.fh: the module has no type for work arrays
            for key, filling in fillings.items():
                value = value.replace(key, filling)
            # Fortran does not tell capitals from small letters: shmem_signal_add is a routine.
            name = re.sub(r"^SHMEM_SIGNAL_(SET|ADD)$", r"SHMEM_SIGNAL_OP_\1", name)
            kind = "integer(c_int)"
            if value.startswith('"'):
                kind = "character(len=*)"
            elif name == "SHMEM_SYNC_VALUE":
                kind, value = "integer", value.removesuffix("L")
            elif shift := re.fullmatch(r"\(1L << (\d+)\)", value):
                kind, value = "integer(c_long)", f"{1 << int(shift.group(1))}_c_long"
            module.declarations.append(f"  {kind}, parameter, public :: {name} = {value}")
    for what in ("shmem_ctx_t", "shmem_team_t", "shmemx_req_t"):
        module.bodies += [EQUAL.format(name="same", what=what, operator="=="),
                          EQUAL.format(name="other", what=what, operator="/=")]
    module.bodies += [HELPERS.format(suffix="n4", kind="c_int32_t"), HELPERS.format(suffix="n8", kind="c_int64_t"), FAIL]
    return module


def setup(table):
    module = Module("weft_shmem_setup", "Setup, queries and contexts of OpenSHMEM.", table, [TYPES])
    for one in (_begin_and_end, _numbers, _where, _version, _contexts, _sessions):
        attempt(one, module)
    return module


def _call(module, name, given, arguments=None):
    given = [(arg, how) for arg, how in given]
    names = ", ".join(arguments or [arg for arg, _ in given])
    module.add(name, name, given, [f"call {module.c(name)}({names})"])


def _begin_and_end(module):
    _call(module, "shmem_init", [])
    _call(module, "shmem_finalize", [])
    _call(module, "shmem_global_exit", [("status", INT)])
    module.add("shmem_init_thread", "shmem_init_thread", [("requested", INT), ("provided", "integer(c_int), target, "
                                                                               "intent(out)"), STAT],
               [f"code = {module.c('shmem_init_thread')}(requested, c_loc(provided))",
                "if (present(stat)) stat = code"], None, ["integer(c_int) :: code"])
    _call(module, "shmem_query_thread", [("provided", "integer(c_int), target, intent(out)")], ["c_loc(provided)"])
    module.add("shmem_query_initialized", "shmem_query_initialized", [("initialized", "logical, intent(out)")],
               [f"call {module.c('shmem_query_initialized')}(c_loc(yes))", "initialized = yes /= 0"], None,
               ["integer(c_int), target :: yes"])


def _numbers(module):
    for name in ("shmem_my_pe", "shmem_n_pes"):
        module.add(name, name, [], [f"res = {module.c(name)}()"], "integer(c_int)")


def _where(module):
    module.add("shmem_pe_accessible", "shmem_pe_accessible", [("pe", INT)],
               [f"res = {module.c('shmem_pe_accessible')}(pe) /= 0"], "logical")
    dest = ("dest", ANY)
    module.add("shmem_addr_accessible", "shmem_addr_accessible", [dest, ("pe", INT)],
               [f"res = {module.c('shmem_addr_accessible')}(c_loc(dest), pe) /= 0"], "logical")
    module.add("shmem_ptr", "shmem_ptr", [dest, ("pe", INT)], [f"res = {module.c('shmem_ptr')}(c_loc(dest), pe)"],
               "type(c_ptr)")
    module.add("shmem_team_ptr", "shmem_team_ptr", [TEAM, dest, ("pe", INT)],
               [f"res = {module.c('shmem_team_ptr')}(team, c_loc(dest), pe)"], "type(c_ptr)")


def _version(module):
    _call(module, "shmem_info_get_version", [(name, "integer(c_int), target, intent(out)") for name in ("major", "minor")],
          ["c_loc(major)", "c_loc(minor)"])
    module.add("shmem_info_get_name", "shmem_info_get_name", [("name", "character(len=*), intent(out)")],
               [f"call {module.c('shmem_info_get_name')}(c_loc(text))", "name = ' '", "do k = 1, min(size(text), len(name))",
                "  if (text(k) == c_null_char) exit", "  name(k:k) = text(k)", "end do"], None,
               ["character(kind=c_char), target :: text(SHMEM_MAX_NAME_LEN)", "integer :: k"])


def _contexts(module):
    options, new = ("options", "integer(c_long), intent(in)"), ("ctx", "type(shmem_ctx_t), target, intent(out)")
    # A context that could not be made is SHMEM_CTX_INVALID: nothing to end the program for.
    told = ["if (present(stat)) stat = code"]
    code = ["integer(c_int) :: code"]
    module.add("shmem_ctx_create", "shmem_ctx_create", [options, new, STAT],
               [f"code = {module.c('shmem_ctx_create')}(options, c_loc(ctx))"] + told, None, code)
    module.add("shmem_team_create_ctx", "shmem_team_create_ctx", [TEAM, options, new, STAT],
               [f"code = {module.c('shmem_team_create_ctx')}(team, options, c_loc(ctx))"] + told, None, code)
    module.add("shmem_ctx_get_team", "shmem_ctx_get_team",
               [CTX, ("team", "type(shmem_team_t), target, intent(out)"), STAT],
               [f"code = {module.c('shmem_ctx_get_team')}(ctx, c_loc(team))"] + told, None, code)
    module.add("shmem_ctx_destroy", "shmem_ctx_destroy", [("ctx", "type(shmem_ctx_t), intent(inout)")],
               [f"call {module.c('shmem_ctx_destroy')}(ctx)", "ctx = SHMEM_CTX_INVALID"])


def _sessions(module):
    start, stop = module.c("shmem_ctx_session_start"), module.c("shmem_ctx_session_stop")
    module.add("shmem_ctx_session_start", "shmem_ctx_session_start",
               [CTX, ("options", "integer(c_long), intent(in)"),
                ("config", "type(shmem_ctx_session_config_t), target, intent(in)"),
                ("config_mask", "integer(c_long), intent(in)")], [f"call {start}(ctx, options, c_loc(config), config_mask)"])
    module.add("shmem_ctx_session_stop", "shmem_ctx_session_stop", [CTX], [f"call {stop}(ctx)"])


# --- memory -----------------------------------------------------------------------------------------------------------

RANKS = range(5)


def memory(table):
    module = Module("weft_shmem_memory", "The symmetric heap: addresses, and arrays behind Fortran pointers.", table,
                    [TYPES])
    bytes_ = "integer(c_size_t), intent(in)"
    for name, dummies in (("shmem_malloc", ["size"]), ("shmem_calloc", ["count", "size"]),
                          ("shmem_align", ["alignment", "size"])):
        module.add(name, name, [(dummy, bytes_) for dummy in dummies], [f"res = {module.c(name)}({', '.join(dummies)})"],
                   "type(c_ptr)")
    module.add("shmem_malloc_with_hints", "shmem_malloc_with_hints",
               [("size", bytes_), ("hints", "integer(c_long), intent(in)")],
               [f"res = {module.c('shmem_malloc_with_hints')}(size, hints)"], "type(c_ptr)")
    address = ("ptr", "type(c_ptr), intent(in)")
    module.add("shmem_realloc", "shmem_realloc", [address, ("size", bytes_)],
               [f"res = {module.c('shmem_realloc')}(ptr, size)"], "type(c_ptr)")
    module.add("shmem_free", "shmem_free", [address], [f"call {module.c('shmem_free')}(ptr)"])
    for kind in KINDS:
        for rank in RANKS:
            _allocate(module, kind, rank)
    return module


def _allocate(module, kind, rank):
    colons = ", dimension(" + ", ".join(":" * rank) + ")" if rank else ""
    pointer = ("array", f"{kind.fortran}{colons}, pointer, intent({{}})")
    out, inout = (pointer[0], pointer[1].format("out")), (pointer[0], pointer[1].format("inout"))
    name = f"allocate_{kind.name}_{rank}"
    local = ["type(c_ptr) :: at", "integer(c_size_t) :: bytes"]

    def body(elements, shape):
        return [f"bytes = {elements} * {kind.bytes}_c_size_t", f"at = {module.c('shmem_malloc')}(bytes)", "nullify(array)",
                f"if (c_associated(at)) call c_f_pointer(at, array{shape})",
                "if (present(stat)) then", "  stat = merge(0, 1, c_associated(at) .or. bytes == 0)",
                "else if (bytes > 0 .and. .not. c_associated(at)) then",
                "  call fail('shmem_allocate', 'the symmetric heap has no room for the array; make it larger with ' // "
                "'SHMEM_SYMMETRIC_SIZE, or give the argument stat')", "end if"]

    if rank == 0:
        module.add("shmem_allocate", name, [out, STAT], body("1_c_size_t", ""), None, local)
    for suffix, how in (("n4", "integer(c_int32_t)"), ("n8", INT64)) if rank else ():
        module.add("shmem_allocate", f"{name}_{suffix}", [out, ("shape", f"{how}, intent(in), dimension({rank})"), STAT],
                   body("product(int(max(shape, 0), c_size_t))", ", shape"), None, local)
        if rank == 1:
            module.add("shmem_allocate", f"{name}_{suffix}_scalar", [out, ("n", f"{how}, intent(in)"), STAT],
                       body("int(max(n, 0), c_size_t)", ", [n]"), None, local)
    module.add("shmem_deallocate", f"de{name}", [inout],
               ["if (associated(array)) then", f"  call {module.c('shmem_free')}(c_loc(array))", "end if",
                "nullify(array)"])


def whole(names):
    uses = "".join(f"  use {name}\n" for name in names)
    return ("! OpenSHMEM 1.6 for Fortran: `use shmem`.\n! Generated by tools/gen from the tables in api/; change those.\n"
            f"module shmem\n{uses}  implicit none\n  public\nend module shmem\n")


def modules(table, version, sync_size=0):
    return [types(table, version, sync_size), setup(table), memory(table), fortran_generics.rma(table),
            fortran_generics.atomics(table), fortran_sync.waiting(table), fortran_sync.collectives(table),
            fortran_requests.requests(table)]


def render(table, version, sync_size):
    parts = modules(table, version, sync_size)
    files = {f"fortran/{module.name}.f90": module.render() for module in parts}
    files["fortran/shmem.f90"] = whole([module.name for module in parts if module.name != TYPES] + [TYPES])
    return files
