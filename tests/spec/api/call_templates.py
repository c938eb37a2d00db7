"""How each routine of the specification is called by the generated program, and what it has to do: C statements between
begin() and the next routine. {f} is the routine, {T} its element type, {c} "ctx, " or nothing, {size} and {used} the
bytes of an element and how many of them hold its value, {D} and {S} the casts of `target` and `source`."""
import re

TYPE = (r"(?:float|double|longdouble|char|schar|short|int|long|longlong|uchar|ushort|uint|ulong|ulonglong|"
        r"u?int(?:8|16|32|64)|size|ptrdiff|complexd|complexf)")
TYPED = rf"shmem_(?:ctx_)?{TYPE}_"


def moves(op, tail=""):
    """The typed, sized and mem names of a routine that moves data."""
    return rf"(?:{TYPED}{op}{tail}|shmem_(?:ctx_)?{op}(?:8|16|32|64|128|mem){tail})"


RUN = "want_blocks({size}, {used}, %s, 1, 4, 0, 0); agree();"

RMA = {
    moves("put", "(?:_nbi)?"): "{f}({c}{D}target, {S}source, 4, right); finish(); " + RUN % "left",
    moves("get", "(?:_nbi)?"): "{f}({c}{D}target, {S}source, 4, right); finish(); " + RUN % "right",
    TYPED + "p": "{f}({c}{D}target, ({T})(check_me + 3), right); finish(); "
                 "CHECK(({D}target)[0] == ({T})(left + 3) && ({D}target)[1] == ({T})0, \"%s\", called);",
    TYPED + "g": "({D}target)[0] = ({T})(check_me + 3); shmem_barrier_all(); "
                 "CHECK({f}({c}{S}target, right) == ({T})(right + 3), \"%s\", called); finish();",
    moves("iput"): "{f}({c}{D}target, {S}source, 2, 3, 5, right); finish(); "
                   "want_blocks({size}, {used}, left, 5, 1, 2, 3); agree();",
    moves("iget"): "{f}({c}{D}target, {S}source, 2, 3, 5, right); finish(); "
                   "want_blocks({size}, {used}, right, 5, 1, 2, 3); agree();",
    moves("ibput"): "{f}({c}{D}target, {S}source, 3, 4, 2, 3, right); finish(); "
                    "want_blocks({size}, {used}, left, 3, 2, 3, 4); agree();",
    moves("ibget"): "{f}({c}{D}target, {S}source, 3, 4, 2, 3, right); finish(); "
                    "want_blocks({size}, {used}, right, 3, 2, 3, 4); agree();",
    moves("put", "_signal(?:_nbi)?"):
        "{f}({c}{D}target, {S}source, 4, &sig, 7, SHMEM_SIGNAL_ADD, right); "
        "CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_NE, 0) == 7, \"%s: signal\", called); "
        + RUN % "left" + " finish();",
}

WORD = "({D}target)[0] = 6; shmem_barrier_all(); %s finish(); " \
       "CHECK(({D}target)[0] == ({T})(%s) && ({D}target)[1] == 0, \"%%s: what it left\", called);"
OLD = "CHECK({f}(%s) == 6, \"%%s: what it returned\", called);"
NBI = "{{ static {T} old; old = 77; {f}({c}&old, %s); shmem_ctx_quiet(ctx); shmem_quiet(); " \
      "CHECK(old == 6, \"%%s: what it fetched\", called); }}"


def amos():
    found = {}
    operations = {  # names: (arguments after the word, what is left)
        "set": ("9, ", "9", "", "set"),
        "fetch": ("", "6", "fetch", ""),
        "swap": ("9, ", "9", "swap", ""),
        "(?:compare_swap|cswap)": ("6, 9, ", "9", "(?:compare_swap|cswap)", ""),
        "inc": ("", "7", "(?:fetch_inc|finc)", "inc"),
        "add": ("3, ", "9", "(?:fetch_add|fadd)", "add"),
        "and": ("3, ", "2", "fetch_and", "and"),
        "or": ("3, ", "7", "fetch_or", "or"),
        "xor": ("3, ", "5", "fetch_xor", "xor"),
    }
    for values, stays, fetching, plain in operations.values():
        if fetching:
            found[TYPED + f"(?:atomic_)?{fetching}"] = WORD % (OLD % ("{c}{D}target, " + values + "right"), stays)
            found[TYPED + f"atomic_{fetching}_nbi"] = WORD % (NBI % ("{D}target, " + values + "right"), stays)
        if plain:
            found[TYPED + f"(?:atomic_)?{plain}"] = WORD % ("{f}({c}{D}target, " + values + "right);", stays)
    found["shmem_swap"] = WORD % (OLD % "{D}target, 9, right", "9")
    return found


def p2p():
    """The left neighbour writes 1, 2, 3, 4, and each routine sees that in its way. PE 0 is the first to write and to
    wait; the others let it wait a moment, and so see to it that a wait that returns at once is noticed."""
    start = "static {T} values[4] = {{1, 2, 3, 4}}; {T}* const at = {D}target; size_t found[4] = {{9, 9, 9, 9}}, i;\n" \
            "  (void)found; (void)i; shmem_putmem(target, values, sizeof values, right); shmem_quiet(); "
    end = " finish(); CHECK(at[0] == 1 && at[3] == 4, \"%s\", called);"
    wait = {
        "wait_until": "{f}(at, SHMEM_CMP_EQ, 1); CHECK(at[0] == 1, \"%s\", called);",
        "wait": "{f}(at, 0); CHECK(at[0] == 1, \"%s\", called);",
        "wait_until_all": "{f}(at, 4, NULL, SHMEM_CMP_GT, 0); CHECK(at[0] == 1 && at[3] == 4, \"%s\", called);",
        "wait_until_any": "CHECK({f}(at, 4, NULL, SHMEM_CMP_GE, 4) == 3, \"%s\", called);",
        "wait_until_some": "CHECK({f}(at, 4, found, NULL, SHMEM_CMP_GE, 4) == 1 && found[0] == 3, \"%s\", called);",
        "wait_until_all_vector": "{f}(at, 4, NULL, SHMEM_CMP_EQ, values); CHECK(at[0] == 1 && at[3] == 4, \"%s\", "
                                 "called);",
        "wait_until_any_vector": "i = {f}(at, 4, NULL, SHMEM_CMP_EQ, values); CHECK(i < 4 && at[i] == values[i], "
                                 "\"%s\", called);",
        "wait_until_some_vector": "i = {f}(at, 4, found, NULL, SHMEM_CMP_EQ, values); "
                                  "CHECK(i >= 1 && i <= 4 && at[found[0]] == values[found[0]], \"%s\", called);",
        "test": "CHECK({f}(at, SHMEM_CMP_EQ, 77) == 0, \"%s\", called); while (!{f}(at, SHMEM_CMP_EQ, 1)) "
                "sched_yield();",
        "test_all": "CHECK({f}(at, 4, NULL, SHMEM_CMP_EQ, 77) == 0, \"%s\", called); "
                    "while (!{f}(at, 4, NULL, SHMEM_CMP_GT, 0)) sched_yield();",
        "test_any": "while ((i = {f}(at, 4, NULL, SHMEM_CMP_GE, 4)) == SIZE_MAX) sched_yield(); "
                    "CHECK(i == 3, \"%s\", called);",
        "test_some": "while ((i = {f}(at, 4, found, NULL, SHMEM_CMP_GE, 4)) == 0) sched_yield(); "
                     "CHECK(i == 1 && found[0] == 3, \"%s\", called);",
        "test_all_vector": "while (!{f}(at, 4, NULL, SHMEM_CMP_EQ, values)) sched_yield(); "
                           "CHECK(at[0] == 1 && at[3] == 4, \"%s\", called);",
        "test_any_vector": "while ((i = {f}(at, 4, NULL, SHMEM_CMP_EQ, values)) == SIZE_MAX) sched_yield(); "
                           "CHECK(i < 4 && at[i] == values[i], \"%s\", called);",
        "test_some_vector": "while ((i = {f}(at, 4, found, NULL, SHMEM_CMP_EQ, values)) == 0) sched_yield(); "
                            "CHECK(i <= 4 && at[found[0]] == values[found[0]], \"%s\", called);",
    }
    return {(f"(?:{TYPED}|shmem_){op}" if op in ("wait", "wait_until") else TYPED + op): start + body + end
            for op, body in wait.items()}


def typed():
    return RMA | amos() | p2p()
