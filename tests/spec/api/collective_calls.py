"""Teams, sessions and collectives: how the generated program calls each routine. As in call_templates.py; the teams are
the world and what is split from it, the active set is all PEs."""
from call_templates import TYPED

ACTIVE = "0, 0, check_n, pSync"
SIZED = r"(?:32|64)"
EACH_PE = "{{ int pe; size_t i, at = 0; (void)at; for (pe = 0; pe < check_n; ++pe) %s }} agree(); finish();"
OK = "CHECK_EQ({f}(SHMEM_TEAM_WORLD, %s), 0, \"%%s\", called); "
OLD = "{f}(%s, " + ACTIVE + "); "


def of_both(name, args, after, old_after=None):
    """A routine that moves data: its team form, typed or mem, and its active-set form."""
    data = "{D}target, {S}source, " + args
    return {
        rf"(?:{TYPED}{name}|shmem_{name}mem)": OK % data + after,
        rf"shmem_{name}{SIZED}": OLD % data + (old_after or after),
    }


def data():
    root = "want_blocks({size}, {used}, check_n - 1, 1, 4, 0, 0);"
    found = of_both("broadcast", "4, check_n - 1", root + " agree(); finish();",
                    "if (check_me != check_n - 1) " + root + " agree(); finish();")
    found |= of_both("fcollect", "3", EACH_PE % "for (i = 0; i < 3; ++i) want({size}, {used}, at++, pe, i);")
    found |= of_both("collect", "1 + (size_t)check_me % 2",
                     EACH_PE % "for (i = 0; i < 1 + (size_t)pe % 2; ++i) want({size}, {used}, at++, pe, i);")
    found |= of_both("alltoall", "2",
                     EACH_PE % "for (i = 0; i < 2; ++i) want({size}, {used}, at++, pe, 2 * (size_t)check_me + i);")
    found |= of_both("alltoalls", "2, 3, 2",
                     EACH_PE % ("for (i = 0; i < 2; ++i, at += 2) "
                                "want({size}, {used}, at, pe, 3 * (2 * (size_t)check_me + i));"))
    return found


# 5 and 6: no operation on them gives 0 or what one of them is, and a float holds the product over 7 PEs.
VALUE = "({T})(({unit}) * (5 + (%s + (int)i) %% 2))"
OPERATIONS = {"sum": "r + v", "prod": "r * v", "and": "r & v", "or": "r | v", "xor": "r ^ v",
              "min": "v < r ? v : r", "max": "v > r ? v : r"}


def combining(call, start, first, last, operation):
    mine, other = VALUE % "check_me", VALUE % "pe"
    return ("{{ size_t i; int pe; for (i = 0; i < 4; ++i) ({D}source)[i] = " + mine + ";\n  shmem_barrier_all(); " + call +
            "\n  for (i = 0; i < 3; ++i) {{ {T} r = " + start + "; for (pe = " + first + "; pe < " + last + "; ++pe) "
                                                                                                            "{{ "
            "const {T} v = " + other + "; r = ({T})(" + operation + "); }} "
            "CHECK(({D}target)[i] == r, \"%s: element %zu\", called, i); }}\n"
            "  CHECK(({D}target)[3] == ({T})0, \"%s: past the end\", called); }} finish();")


def reductions():
    found = {}
    team = OK % "{D}target, {S}source, 3"
    active = "{f}({D}target, {S}source, 3, 0, 0, check_n, {D}work, pSync);"
    for name, operation in OPERATIONS.items():
        start = VALUE % "0"
        found[TYPED + f"{name}_reduce"] = combining(team, start, "1", "check_n", operation)
        found[TYPED + f"{name}_to_all"] = combining(active, start, "1", "check_n", operation)
    found[TYPED + "sum_inscan"] = combining(team, "({T})0", "0", "check_me + 1", "r + v")
    found[TYPED + "sum_exscan"] = combining(team, "({T})0", "0", "check_me", "r + v")
    return found


def collectives():
    return data() | reductions()


MEET = "late(); shmem_long_p(&counter, 5, right); %s %s CHECK_EQ(counter, 5, \"%%s\", called); finish();"
# All PEs the other way round.
REVERSED = ("{{ shmem_team_t team = SHMEM_TEAM_INVALID; CHECK_EQ(%s(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n, NULL, "
            "0, "
            "&team), 0, \"%%s\", called); %s shmem_team_destroy(team); finish(); }}")

PLAIN = {
    "shmem_team_sync": MEET % ("shmem_quiet();", "CHECK_EQ({f}(SHMEM_TEAM_WORLD), 0, \"%s\", called);"),
    "shmem_sync": MEET % ("shmem_quiet();", "{f}(" + ACTIVE + ");"),
    "shmem_barrier": MEET % ("", "{f}(" + ACTIVE + ");"),
    "shmem_team_my_pe": REVERSED % ("shmem_team_split_strided", "CHECK_EQ({f}(team), check_n - 1 - check_me, \"%s\", "
                                                                "called); "
                                    "CHECK_EQ({f}(SHMEM_TEAM_INVALID), -1, \"%s\", called);"),
    "shmem_team_n_pes": REVERSED % ("shmem_team_split_strided", "CHECK_EQ({f}(team), check_n, \"%s\", called); "
                                    "CHECK_EQ({f}(SHMEM_TEAM_INVALID), -1, \"%s\", called);"),
    "shmem_team_translate_pe": REVERSED % ("shmem_team_split_strided",
                                           "CHECK_EQ({f}(SHMEM_TEAM_WORLD, right, team), check_n - 1 - right, \"%s\", "
                                           "called);"),
    "shmem_team_split_strided": REVERSED % ("{f}", "CHECK_EQ(shmem_team_my_pe(team), check_n - 1 - check_me, \"%s\", "
                                                   "called); "
                                            "shmem_team_sync(team);"),
    "shmem_team_split_2d": "{{ shmem_team_t row = SHMEM_TEAM_INVALID, column = SHMEM_TEAM_INVALID; "
                           "CHECK_EQ({f}(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column), 0, \"%s\", called); "
                           "CHECK_EQ(shmem_team_my_pe(row), check_me % 2, \"%s\", called); "
                           "CHECK_EQ(shmem_team_my_pe(column), check_me / 2, \"%s\", called); "
                           "shmem_team_destroy(row); shmem_team_destroy(column); finish(); }}",
    # More often than there can be teams at a time.
    "shmem_team_destroy": "{{ int i; for (i = 0; i < 1100; ++i) {{ shmem_team_t team = SHMEM_TEAM_INVALID; "
                          "REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, check_n, NULL, 0, &team) == 0, "
                          "\"%s: split %d\", called, i); "
                          "{f}(team); }} {f}(SHMEM_TEAM_INVALID); finish(); }}",
    "shmem_team_get_config": "{{ shmem_team_t team = SHMEM_TEAM_INVALID; shmem_team_config_t config; "
                             "config.num_contexts = 3; "
                             "shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, check_n, &config, "
                             "SHMEM_TEAM_NUM_CONTEXTS, &team); "
                             "config.num_contexts = 77; CHECK_EQ({f}(team, SHMEM_TEAM_NUM_CONTEXTS, &config), 0, "
                             "\"%s\", called); "
                             "CHECK_EQ(config.num_contexts, 3, \"%s\", called); shmem_team_destroy(team); finish(); }}",
}
