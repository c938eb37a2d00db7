"""More of the Fortran module shmem: waiting and testing, signals, order, teams, collectives. See fortran_generics.py."""
from .fortran_generics import (ANY, INT, INT64, INTEGERS, KINDS, SIGNAL, STAT, TEAM, TYPES, array, attempt, contiguous,
                               with_contexts)
from .fortran_module import Module

INDICES = ("indices", "integer(c_size_t), target, intent(inout), dimension(*)")
STATUS = ("status", "integer(c_int), target, intent(in), dimension(*)")


def waiting(table):
    module = Module("weft_shmem_waiting", "Waiting and testing, signals, fence and quiet of OpenSHMEM.", table, [TYPES])
    for kind in INTEGERS:
        attempt(_simple, module, kind)
        for op in ("wait_until", "test"):
            for what in ("all", "any", "some"):
                for vector in ("", "_vector"):
                    for masked in (False, True):
                        attempt(_many, module, f"{op}_{what}{vector}", what, kind, masked)
    attempt(_signals, module)
    attempt(_order, module)
    return module


def _simple(module, kind):
    given = [("ivar", f"{kind.fortran}, target, intent(inout)"), ("cmp", INT), ("cmp_value", f"{kind.fortran}, intent(in)")]
    wait, test = (module.c(f"shmem_{kind.typename}_{op}") for op in ("wait_until", "test"))
    module.add("shmem_wait_until", f"wait_until_{kind.name}", given, [f"call {wait}(c_loc(ivar), cmp, cmp_value)"])
    module.add("shmem_test", f"test_{kind.name}", given, [f"res = {test}(c_loc(ivar), cmp, cmp_value) /= 0"], "logical")


def _many(module, op, what, kind, masked):
    """Indices count from 1 as Fortran's do, and 0 stands for none."""
    routine = module.c(f"shmem_{kind.typename}_{op}")
    vector = op.endswith("_vector")
    values = ("cmp_values", f"{kind.fortran}, target, intent(in), dimension(*)") if vector else (
        "cmp_value", f"{kind.fortran}, intent(in)")
    given = [("ivars", array(kind)), ("nelems", INT)]
    given += [INDICES] if what == "some" else []
    given += [STATUS] if masked else []
    given += [("cmp", INT), values]
    count = f"need_count(nelems, 'shmem_{op}')"
    arguments = ["c_loc(ivars)", count] + (["c_loc(indices)"] if what == "some" else [])
    arguments += ["c_loc(status)" if masked else "c_null_ptr", "cmp", "c_loc(cmp_values)" if vector else "cmp_value"]
    call = f"{routine}({', '.join(arguments)})"
    body, result = contiguous(f"shmem_{op}", "ivars"), "integer(c_size_t)"
    if what == "any":
        body.append(f"res = {call} + 1_c_size_t")  # SIZE_MAX, "none", becomes 0
    elif what == "some":
        body += [f"res = {call}", "indices(1:res) = indices(1:res) + 1_c_size_t"]
    elif op.startswith("test"):
        body.append(f"res = {call} /= 0")
        result = "logical"
    else:
        body.append(f"call {call}")
        result = None
    module.add(f"shmem_{op}", f"{op}_{kind.name}{'_status' if masked else ''}", given, body, result)


def _signals(module):
    value, peer = ("signal", INT64 + ", intent(in)"), ("pe", INT)
    for op in ("add", "set"):
        for routine, dummies, arguments, end in with_contexts(f"shmem_{{CTX}}signal_{op}"):
            call = ", ".join(arguments + ["c_loc(sig_addr)", "signal", "pe"])
            module.add(f"shmem_signal_{op}", f"signal_{op}{end}", dummies + [SIGNAL, value, peer],
                       [f"call {module.c(routine)}({call})"])
    module.add("shmem_signal_fetch", "shmem_signal_fetch", [SIGNAL],
               [f"res = {module.c('shmem_signal_fetch')}(c_loc(sig_addr))"], INT64)
    module.add("shmem_signal_wait_until", "shmem_signal_wait_until", [SIGNAL, ("cmp", INT), ("cmp_value", value[1])],
               [f"res = {module.c('shmem_signal_wait_until')}(c_loc(sig_addr), cmp, cmp_value)"], INT64)


def _order(module):
    for op in ("fence", "quiet"):
        for routine, dummies, arguments, end in with_contexts(f"shmem_{{CTX}}{op}"):
            module.add(f"shmem_{op}", f"{op}{end or '_default'}", dummies,
                       [f"call {module.c(routine)}({', '.join(arguments)})"])
    for routine, dummies, arguments, end in with_contexts("shmem_{CTX}pe_quiet"):
        call = ", ".join(arguments + ["c_loc(target_pes)", "need_count(npes, 'shmem_pe_quiet')"])
        module.add("shmem_pe_quiet", f"pe_quiet{end or '_default'}",
                   dummies + [("target_pes", "integer(c_int), target, intent(in), dimension(*)"), ("npes", INT)],
                   [f"call {module.c(routine)}({call})"])


# --- teams and collectives --------------------------------------------------------------------------------------------

def collectives(table):
    module = Module("weft_shmem_collectives", "Teams and collectives of OpenSHMEM.", table, [TYPES])
    for op in ("barrier_all", "sync_all"):
        module.add(f"shmem_{op}", f"shmem_{op}", [], [f"call {module.c('shmem_' + op)}()"])
    for one in (_team_queries, _team_splits, _team_config, _team_destroy, _team_sync):
        attempt(one, module)
    for op, root in (("broadcast", True), ("collect", False), ("fcollect", False), ("alltoall", False)):
        for kind in KINDS:
            attempt(_move, module, op, kind, root)
        attempt(_move_memory, module, op, root)
    for kind in KINDS:
        attempt(_alltoalls, module, kind)
    for op in ("and", "or", "xor", "max", "min", "sum", "prod"):
        for kind in KINDS:
            attempt(_reduce, module, f"{op}_reduce", "nreduce", kind)
    for op in ("sum_inscan", "sum_exscan"):
        for kind in KINDS:
            attempt(_reduce, module, op, "nelems", kind)
    return module


def _told(call):
    """The C routine's result is stat; without stat a failure ends the program."""
    return [f"code = {call}", "if (present(stat)) then", "  stat = code", "else if (code /= 0) then",
            "  call failed(code, c_routine)", "end if"]


def collective(module, generic, specific, given, routine, arguments, checked):
    body = contiguous(generic, *checked)
    body += [line.replace("c_routine", f"'{generic}'") for line in _told(f"{module.c(routine)}({', '.join(arguments)})")]
    module.add(generic, specific, given + [STAT], body, None, ["integer(c_int) :: code"])


def _move(module, op, kind, root):
    count = f"need_count(nelems, 'shmem_{op}') * {kind.bytes}_c_size_t"
    collective(module, f"shmem_{op}", f"{op}_{kind.name}",
                [TEAM, ("dest", array(kind)), ("source", array(kind, "in")), ("nelems", INT)]
                + [("PE_root", INT)] * root, f"shmem_{op}mem",
                ["team", "c_loc(dest)", "c_loc(source)", count] + ["PE_root"] * root, ["dest", "source"])


def _move_memory(module, op, root):
    collective(module, f"shmem_{op}mem", f"shmem_{op}mem",
                [TEAM, ("dest", ANY), ("source", ANY.replace("inout", "in")), ("nelems", INT)] + [("PE_root", INT)] * root,
                f"shmem_{op}mem",
                ["team", "c_loc(dest)", "c_loc(source)", f"need_count(nelems, 'shmem_{op}mem')"] + ["PE_root"] * root,
                ["dest", "source"])


def _alltoalls(module, kind):
    collective(module, "shmem_alltoalls", f"alltoalls_{kind.name}",
                [TEAM, ("dest", array(kind)), ("source", array(kind, "in")), ("dst", INT), ("sst", INT), ("nelems", INT)],
                f"shmem_{kind.mover}_alltoalls",
                ["team", "c_loc(dest)", "c_loc(source)", "int(dst, c_ptrdiff_t)", "int(sst, c_ptrdiff_t)",
                 "need_count(nelems, 'shmem_alltoalls')"], ["dest", "source"])


def _reduce(module, op, many, kind):
    collective(module, f"shmem_{op}", f"{op}_{kind.name}",
                [TEAM, ("dest", array(kind)), ("source", array(kind, "inout")), (many, INT)],
                f"shmem_{kind.typename}_{op}",
                ["team", "c_loc(dest)", "c_loc(source)", f"need_count({many}, 'shmem_{op}')"], ["dest", "source"])


def _team_queries(module):
    for op in ("my_pe", "n_pes"):
        module.add(f"shmem_team_{op}", f"shmem_team_{op}", [TEAM], [f"res = {module.c('shmem_team_' + op)}(team)"],
                   "integer(c_int)")
    module.add("shmem_team_translate_pe", "shmem_team_translate_pe",
               [("src_team", TEAM[1]), ("src_pe", INT), ("dest_team", TEAM[1])],
               [f"res = {module.c('shmem_team_translate_pe')}(src_team, src_pe, dest_team)"], "integer(c_int)")


NEW_TEAM = "type(shmem_team_t), target, intent(out)"
CONFIG = [("config", "type(shmem_team_config_t), target, intent(in), optional"),
          ("config_mask", "integer(c_long), intent(in), optional")]
CONFIG_LOCAL = ["type(c_ptr) :: config_at", "integer(c_long) :: mask", "integer(c_int) :: code"]


def _config(prefix=""):
    return ["config_at = c_null_ptr", "mask = 0", f"if (present({prefix}config)) config_at = c_loc({prefix}config)",
            f"if (present({prefix}config_mask)) mask = {prefix}config_mask"]


def _team_splits(module):
    """The new team comes before the configuration, which can be left out."""
    call = f"{module.c('shmem_team_split_strided')}(parent_team, start, stride, size, config_at, mask, c_loc(new_team))"
    module.add("shmem_team_split_strided", "shmem_team_split_strided",
               [("parent_team", TEAM[1]), ("start", INT), ("stride", INT), ("size", INT), ("new_team", NEW_TEAM)] + CONFIG
               + [STAT], _config() + _split(call), None, CONFIG_LOCAL)
    call = (f"{module.c('shmem_team_split_2d')}(parent_team, xrange, config_at, mask, c_loc(xaxis_team), config_at, mask, "
            "c_loc(yaxis_team))")
    module.add("shmem_team_split_2d", "shmem_team_split_2d",
               [("parent_team", TEAM[1]), ("xrange", INT), ("xaxis_team", NEW_TEAM), ("yaxis_team", NEW_TEAM)] + CONFIG
               + [STAT], _config() + _split(call), None, CONFIG_LOCAL)


def _split(call):
    """A team that could not be made is SHMEM_TEAM_INVALID: nothing to end the program for."""
    return [f"code = {call}", "if (present(stat)) stat = code"]


def _team_config(module):
    call = f"{module.c('shmem_team_get_config')}(team, config_mask, c_loc(config))"
    module.add("shmem_team_get_config", "shmem_team_get_config",
               [TEAM, ("config_mask", "integer(c_long), intent(in)"),
                ("config", "type(shmem_team_config_t), target, intent(inout)"), STAT],
               _split(call), None, ["integer(c_int) :: code"])


def _team_destroy(module):
    module.add("shmem_team_destroy", "shmem_team_destroy", [("team", "type(shmem_team_t), intent(inout)")],
               [f"call {module.c('shmem_team_destroy')}(team)", "team = SHMEM_TEAM_INVALID"])


def _team_sync(module):
    for name in ("shmem_sync", "shmem_team_sync"):
        collective(module, name, name if name != "shmem_sync" else "sync_team", [TEAM], "shmem_team_sync", ["team"], [])
