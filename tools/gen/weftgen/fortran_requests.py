"""Weft's non-blocking collectives in the Fortran module shmem. See fortran_generics.py."""
from .fortran_generics import ANY, INT, KINDS, TEAM, TYPES, array, attempt
from .fortran_module import Module
from .fortran_sync import collective

REQUEST = ("request", "type(shmemx_req_t), target, intent(inout)")


def requests(table):
    module = Module("weft_shmem_requests", "Non-blocking collectives, an extension of Weft.", table, [TYPES])
    attempt(_barrier, module)
    for op, root in (("broadcast", [("PE_root", INT)]), ("alltoall", [])):
        for kind in KINDS:
            attempt(_move, module, f"shmemx_{op}_nb", f"{op}_nb_{kind.name}", array(kind), array(kind, "in"), root,
                    f"shmemx_{op}mem_nb", kind.bytes)
        attempt(_move, module, f"shmemx_{op}mem_nb", f"shmemx_{op}mem_nb", ANY, ANY.replace("inout", "in"), root,
                f"shmemx_{op}mem_nb", 1)
    for op in ("and", "or", "xor", "max", "min", "sum", "prod"):
        for kind in KINDS:
            attempt(_reduce, module, f"shmemx_{op}_reduce_nb", op, kind)
    attempt(_complete, module)
    return module


def _barrier(module):
    collective(module, "shmemx_team_barrier_nb", "shmemx_team_barrier_nb", [TEAM, REQUEST], "shmemx_team_barrier_nb",
               ["team", "c_loc(request)"], [])


def _move(module, generic, specific, dest, source, root, routine, size):
    collective(module, generic, specific,
               [TEAM, ("dest", dest), ("source", source), ("nelems", INT)] + root + [REQUEST], routine,
               ["team", "c_loc(dest)", "c_loc(source)", f"need_count(nelems, '{generic}') * {size}_c_size_t"]
               + [name for name, _ in root] + ["c_loc(request)"], ["dest", "source"])


def _reduce(module, generic, op, kind):
    collective(module, generic, f"{op}_reduce_nb_{kind.name}",
               [TEAM, ("dest", array(kind)), ("source", array(kind)), ("nreduce", INT), REQUEST],
               f"shmemx_{kind.typename}_{op}_reduce_nb",
               ["team", "c_loc(dest)", "c_loc(source)", f"need_count(nreduce, '{generic}')", "c_loc(request)"],
               ["dest", "source"])


def _complete(module):
    module.add("shmemx_req_test", "shmemx_req_test", [REQUEST],
               [f"res = {module.c('shmemx_req_test')}(c_loc(request)) /= 0"], "logical")
    module.add("shmemx_req_wait", "shmemx_req_wait", [REQUEST], [f"call {module.c('shmemx_req_wait')}(c_loc(request))"])
