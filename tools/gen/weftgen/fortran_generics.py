"""What is in the Fortran module shmem: each generic name of OpenSHMEM 1.6, for the kinds and ranks of Fortran.

Arrays arrive as assumed rank, so one procedure serves every rank. It hands the address on, never a copy: a section that
is not contiguous is an error that says so. Procedures whose C routine the table has not are left out.
"""
import dataclasses

from .fortran_module import Module, Unknown

TYPES = "weft_shmem_types"


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str      # in the names of procedures
    fortran: str   # declaration
    bytes: int
    typename: str  # of the C routine for exactly this type, "" if there is none
    mover: str     # of a C routine for elements of this size


KINDS = (
    Kind("int8", "integer(c_int8_t)", 1, "int8", "int8"),
    Kind("int16", "integer(c_int16_t)", 2, "int16", "int16"),
    Kind("int32", "integer(c_int32_t)", 4, "int32", "int32"),
    Kind("int64", "integer(c_int64_t)", 8, "int64", "int64"),
    Kind("real32", "real(c_float)", 4, "float", "float"),
    Kind("real64", "real(c_double)", 8, "double", "double"),
    Kind("complex32", "complex(c_float_complex)", 8, "complexf", "int64"),
    Kind("complex64", "complex(c_double_complex)", 16, "complexd", "longdouble"),  # moved as bytes
    Kind("logical", "logical", 4, "", "int32"),
)
INTEGERS = tuple(kind for kind in KINDS if kind.name in ("int32", "int64"))
CHARACTER = Kind("character", "character(kind=c_char, len=*)", 0, "", "")

COUNTS = (("n4", "integer(c_int32_t), intent(in)"), ("n8", "integer(c_int64_t), intent(in)"))
INT = "integer(c_int), intent(in)"
INT64 = "integer(c_int64_t)"
CTX = ("ctx", "type(shmem_ctx_t), intent(in)")
TEAM = ("team", "type(shmem_team_t), intent(in)")
STAT = ("stat", "integer(c_int), intent(out), optional")
SIGNAL = ("sig_addr", INT64 + ", target, intent(inout)")
ANY = "type(*), dimension(..), target, intent(inout)"


def array(kind, intent="inout"):
    return f"{kind.fortran}, dimension(..), target, intent({intent})"


def contiguous(routine, *names):
    return [f"call need_contiguous(is_contiguous({name}), '{routine}', '{name}')" for name in names]


def with_contexts(pattern):
    """(C routine, first dummies, first arguments, end of the specific name): without and with a context."""
    yield pattern.replace("{CTX}", ""), [], [], ""
    yield pattern.replace("{CTX}", "ctx_"), [CTX], ["ctx"], "_ctx"


def attempt(function, *arguments):
    try:
        function(*arguments)
    except Unknown:
        pass


# --- put and get ------------------------------------------------------------------------------------------------------

def rma(table):
    module = Module("weft_shmem_rma", "put and get of OpenSHMEM: contiguous, one element, strided, in blocks.", table,
                    [TYPES])
    for op in ("put", "get", "put_nbi", "get_nbi"):
        for kind in KINDS + (CHARACTER,):
            attempt(_contiguous, module, op, kind)
        attempt(_memory, module, op)
    for op in ("iput", "iget", "ibput", "ibget"):
        for kind in KINDS:
            attempt(_strided, module, op, kind)
    for kind in KINDS:
        attempt(_one, module, kind)
    for op in ("put_signal", "put_signal_nbi"):
        for kind in KINDS:
            attempt(_put_signal, module, op, kind)
    return module


def _transfer(op, kind):
    """The C routine for elements of this size: shmem_{CTX}put32_nbi."""
    stem, _, nbi = op.partition("_")
    return f"shmem_{{CTX}}{stem}{'mem' if not kind.bytes else 8 * kind.bytes}{'_' + nbi if nbi else ''}"


def _contiguous(module, op, kind):
    for routine, dummies, arguments, end in with_contexts(_transfer(op, kind)):
        for suffix, how in COUNTS:
            count = f"need_count(nelems, 'shmem_{op}')" + ("" if kind.bytes else " * len(dest)")
            call = ", ".join(arguments + ["c_loc(dest)", "c_loc(source)", count, "pe"])
            module.add(f"shmem_{op}", f"{op}_{kind.name}{end}_{suffix}",
                       dummies + [("dest", array(kind)), ("source", array(kind, "in")), ("nelems", how), ("pe", INT)],
                       contiguous(f"shmem_{op}", "dest", "source") + [f"call {module.c(routine)}({call})"])


def _memory(module, op):
    """Any type at all, counted in bytes."""
    stem, _, nbi = op.partition("_")
    generic = f"shmem_{stem}mem{'_' + nbi if nbi else ''}"
    for routine, dummies, arguments, end in with_contexts(f"shmem_{{CTX}}{generic[6:]}"):
        for suffix, how in COUNTS:
            call = ", ".join(arguments + ["c_loc(dest)", "c_loc(source)", f"need_count(nbytes, '{generic}')", "pe"])
            module.add(generic, f"{generic[6:]}{end}_{suffix}",
                       dummies + [("dest", ANY), ("source", ANY.replace("inout", "in")), ("nbytes", how), ("pe", INT)],
                       contiguous(generic, "dest", "source") + [f"call {module.c(routine)}({call})"])


def _strided(module, op, kind):
    block = [("bsize", INT)] if op.startswith("ib") else []
    many = "nblocks" if block else "nelems"
    for routine, dummies, arguments, end in with_contexts(f"shmem_{{CTX}}{op}{8 * kind.bytes}"):
        counts = [f"need_count({name}, 'shmem_{op}')" for name in ["bsize"] * bool(block) + [many]]
        call = ", ".join(arguments + ["c_loc(dest)", "c_loc(source)", "int(dst, c_ptrdiff_t)", "int(sst, c_ptrdiff_t)"]
                         + counts + ["pe"])
        module.add(f"shmem_{op}", f"{op}_{kind.name}{end}",
                   dummies + [("dest", array(kind)), ("source", array(kind, "in")), ("dst", INT), ("sst", INT)] + block
                   + [(many, INT), ("pe", INT)],
                   contiguous(f"shmem_{op}", "dest", "source") + [f"call {module.c(routine)}({call})"])


def _one(module, kind):
    """shmem_p and shmem_g: a scalar. Types that C has not are moved as one element."""
    typed = kind.typename and not kind.typename.startswith("complex")
    for routine, dummies, arguments, end in with_contexts("shmem_{CTX}"):
        p = module.c(f"{routine}{kind.typename}_p" if typed else f"{routine}put{8 * kind.bytes}")
        g = module.c(f"{routine}{kind.typename}_g" if typed else f"{routine}get{8 * kind.bytes}")
        scalar = f"{kind.fortran}, target, intent(in)"
        values = ["value"] if typed else ["c_loc(value)", "1_c_size_t"]
        module.add("shmem_p", f"p_{kind.name}{end}",
                   dummies + [("dest", scalar.replace("(in)", "(inout)")), ("value", scalar), ("pe", INT)],
                   [f"call {p}({', '.join(arguments + ['c_loc(dest)'] + values + ['pe'])})"])
        name, given = f"g_{kind.name}{end}", dummies + [("source", scalar), ("pe", INT)]
        if typed:
            module.add("shmem_g", name, given, [f"res = {g}({', '.join(arguments + ['c_loc(source)', 'pe'])})"],
                       kind.fortran)
        else:
            call = ", ".join(arguments + ["c_loc(value)", "c_loc(source)", "1_c_size_t", "pe"])
            module.add("shmem_g", name, given, [f"call {g}({call})", "res = value"], kind.fortran,
                       [f"{kind.fortran}, target :: value"])


def _put_signal(module, op, kind):
    nbi = op.removeprefix("put_signal")
    for routine, dummies, arguments, end in with_contexts(f"shmem_{{CTX}}put{8 * kind.bytes}_signal{nbi}"):
        call = ", ".join(arguments + ["c_loc(dest)", "c_loc(source)", f"need_count(nelems, 'shmem_{op}')",
                                      "c_loc(sig_addr)", "signal", "sig_op", "pe"])
        module.add(f"shmem_{op}", f"{op}_{kind.name}{end}",
                   dummies + [("dest", array(kind)), ("source", array(kind, "in")), ("nelems", INT), SIGNAL,
                              ("signal", INT64 + ", intent(in)"), ("sig_op", INT), ("pe", INT)],
                   contiguous(f"shmem_{op}", "dest", "source") + [f"call {module.c(routine)}({call})"])


# --- atomics ----------------------------------------------------------------------------------------------------------

FLOATS = tuple(kind for kind in KINDS if kind.name in ("real32", "real64"))
#            operation       arguments             fetches  kinds
AMOS = (
    ("fetch", (), True, INTEGERS + FLOATS),
    ("set", ("value",), False, INTEGERS + FLOATS),
    ("compare_swap", ("cond", "value"), True, INTEGERS),
    ("swap", ("value",), True, INTEGERS + FLOATS),
    ("fetch_inc", (), True, INTEGERS),
    ("inc", (), False, INTEGERS),
    ("fetch_add", ("value",), True, INTEGERS),
    ("add", ("value",), False, INTEGERS),
    ("fetch_and", ("value",), True, INTEGERS),
    ("and", ("value",), False, INTEGERS),
    ("fetch_or", ("value",), True, INTEGERS),
    ("or", ("value",), False, INTEGERS),
    ("fetch_xor", ("value",), True, INTEGERS),
    ("xor", ("value",), False, INTEGERS),
)


def atomics(table):
    module = Module("weft_shmem_atomics", "Atomic operations of OpenSHMEM.", table, [TYPES])
    for op, operands, fetches, kinds in AMOS:
        for kind in kinds:
            attempt(_atomic, module, op, operands, fetches, kind)
            if fetches:
                attempt(_atomic_nbi, module, op, operands, kind)
    return module


def _target(op):
    return "source" if op == "fetch" else "dest"


def _atomic(module, op, operands, fetches, kind):
    where = _target(op)
    for routine, dummies, arguments, end in with_contexts(f"shmem_{{CTX}}{kind.typename}_atomic_{op}"):
        given = dummies + [(where, f"{kind.fortran}, target, intent(inout)")]
        given += [(name, f"{kind.fortran}, intent(in)") for name in operands] + [("pe", INT)]
        call = f"{module.c(routine)}({', '.join(arguments + [f'c_loc({where})'] + list(operands) + ['pe'])})"
        module.add(f"shmem_atomic_{op}", f"{op}_{kind.name}{end}", given,
                   [f"res = {call}" if fetches else f"call {call}"], kind.fortran if fetches else None)


def _atomic_nbi(module, op, operands, kind):
    where = _target(op)
    for routine, dummies, arguments, end in with_contexts(f"shmem_{{CTX}}{kind.typename}_atomic_{op}_nbi"):
        both = [(name, f"{kind.fortran}, target, intent(inout)") for name in ("fetch", where)]
        given = dummies + both + [(name, f"{kind.fortran}, intent(in)") for name in operands] + [("pe", INT)]
        call = ", ".join(arguments + ["c_loc(fetch)", f"c_loc({where})"] + list(operands) + ["pe"])
        module.add(f"shmem_atomic_{op}_nbi", f"{op}_nbi_{kind.name}{end}", given, [f"call {module.c(routine)}({call})"])
