"""What is measured, by which commands, and the rows of the tables."""

SIZES = {"8": 8, "64": 64, "1K": 1 << 10, "4K": 4 << 10, "16K": 16 << 10, "64K": 64 << 10, "256K": 256 << 10,
         "1M": 1 << 20, "4M": 4 << 20, "16M": 16 << 20, "64M": 64 << 20}
BARRIER_PES = (2, 8, 32)
START_PES = (2, 8, 32, 128)
MEMORY_PES = (2, 32, 128)
COLLECTIVE_PES = (2, 8)
COLLECTIVE_SIZES = ("8", "1K", "64K", "1M")

# Area -> [(PEs, program, argument, command of limits)], the limit measured just before.
AREAS = {
    "access": [(2, "access", "small", ["small"]), (2, "access", "blocks", ["blocks"])],
    "amo": [(2, "access", "amo", ["amo"])],
    "computing": [(2, "access", "computing", [])],
    "sync": [(2, "sync", "pingpong", ["pingpong"])] + [(n, "sync", "barrier", ["barrier", str(n)]) for n in BARRIER_PES]
            + [(n, "sync", "lock", []) for n in (2, 8)],
    "collectives": [(n, "collectives", "", ["collectives"] if n == 2 else []) for n in COLLECTIVE_PES],
    "start": [(n, "empty", "start", []) for n in START_PES],  # which measures its limit itself
    "cost": [(n, "cost", "memory", []) for n in MEMORY_PES] + [(2, "cost", "blocked", [])],
}
ONCE = ("cost",)  # in the first round only: long, and always the same
PROGRAMS = ("access", "sync", "collectives", "cost", "empty")


class Row:
    """A line of a table: a quantity in one memory."""

    def __init__(self, title, name, pes=2, memory="heap", show_memory=False, unit="ns"):
        self.title, self.name, self.pes, self.memory, self.show_memory = title, name, pes, memory, show_memory
        self.unit = unit


def both(title, name):
    return [Row(title, name, memory=memory, show_memory=True) for memory in ("heap", "static")]


def tables():
    """Area -> (heading, rows)."""
    access = (both("`shmem_long_p`", "p8") + both("`shmem_long_g`", "g8") + both("put 8 B", "put8") + both("get 8 B", "get8")
              + both("put 64 B", "put64") + both("get 64 B", "get64") + both("get 8 B, each after the one before", "get8.chain")
              + both("`shmem_long_p` + `shmem_quiet`", "p8.quiet") + both("64 × 8 B put_nbi + quiet", "put8x64"))
    access += [row for size in (8, 4) for way in ("put", "get")
               for row in both(f"i{way} of 512 × {size} B, every other one", f"i{way}{size}")]
    for size, number in SIZES.items():
        if number < 1024:
            continue
        for way in ("put", "get"):
            access += [row for row in both(f"{way} {size.replace('K', ' KiB').replace('M', ' MiB')}", way + size)
                       if row.memory == "heap" or number <= 4 << 20]
    amo = [row for title, name in (("fetch-add", "fetch_add"), ("swap", "swap"), ("compare-swap", "cswap"), ("inc", "inc"))
           for row in both(title, name)]
    computing = [row for title, name in (("put 8 B", "put8"), ("get 8 B", "get8"), ("fetch-add", "fetch_add"))
                 for row in both(title, "computing." + name)]
    sync = [Row("flag to and fro (`p`, `wait_until`)", "pingpong")]
    sync += [Row(f"barrier, {n} PEs", "barrier", n) for n in BARRIER_PES]
    sync += [Row("lock and unlock, alone", "lock.alone"), Row("lock and unlock, 2 PEs contend", "lock"),
             Row("lock and unlock, 8 PEs contend", "lock", 8)]
    collectives = [Row(f"{title} {size}, {n} PEs", name + size, n) for n in COLLECTIVE_PES
                   for title, name in (("broadcast", "broadcast"), ("sum of long", "sum"), ("fcollect", "fcollect"),
                                       ("alltoall", "alltoall")) for size in COLLECTIVE_SIZES]
    start = [Row(f"empty program, {n} PEs", "start", n) for n in START_PES]
    cost = [Row(f"{title}, {n} PEs", name, n, unit="bytes") for title, name in
            (("resident memory of a PE", "memory.resident"), ("page tables of a PE", "memory.tables")) for n in MEMORY_PES]
    cost += [Row("processor time, blocked for 10 s in `wait_until`", "blocked.wait"),
             Row("processor time, blocked for 10 s in a barrier", "blocked.barrier")]
    return {"access": ("Puts and gets", access), "amo": ("Atomic operations", amo),
            "computing": ("While the target computes", computing), "sync": ("Waiting, barriers, locks", sync),
            "collectives": ("Collectives", collectives), "start": ("Start to finish", start),
            "cost": ("Memory and energy", cost)}
