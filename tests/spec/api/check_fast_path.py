"""Looks at the machine code (x86-64) that fast_path.c becomes.  check_fast_path.py CC [-I...]

A put of a long is a translation and a store, an atomic operation a translation and one locked instruction, a put of a
small constant size loads and stores, one with a signal the same and one store more: no call on the way, no more than a
few instructions. A PE's number is a load. In a loop the translation is made before it, that of any context too. There is one way to the access, the
same on all nodes of a job: what fails a check goes to the library and is not checked again. Nothing of the window is read before shmem_init."""
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent / "fast_path.c"
MOST_INSTRUCTIONS = 18
MOST_OF_A_SIGNAL = 32
MOST_OF_A_NUMBER = 5  # the address of the line, a load, a look, a jump not taken, the return
JUMP = re.compile(r"j(?!mp)[a-z]+\s+(\S+)")


def functions(text):
    """Name -> lines that are labels or instructions, in order."""
    found, body = {}, None
    for line in text.splitlines():
        label = re.match(r"([A-Za-z_]\w*):", line)
        if label:
            body = found.setdefault(label.group(1), [])
        elif body is not None and re.match(r"\.L\w+:|\s+[a-z]", line):
            body.append(line.split("#")[0].strip())
    return found


def straight(body):
    """The instructions from the beginning to the first return, conditional jumps not taken."""
    taken = []
    for line in body:
        if line.endswith(":"):
            continue
        taken.append(line)
        if line.startswith("ret"):
            return taken
    return taken + ["no return"]


def second_way(body):
    """Whether another check follows one that has failed."""
    at = {line[:-1]: k for k, line in enumerate(body) if line.endswith(":")}
    for jump in filter(None, map(JUMP.match, straight(body))):
        behind = next((line for line in body[at[jump.group(1)]:] if JUMP.match(line) or "pshmem_" in line), "")
        if "pshmem_" not in behind:
            return True
    return False


def loops(body):
    """Instructions between a label and a jump back to it, the shortest of those that nest."""
    at = {line[:-1]: k for k, line in enumerate(body) if line.endswith(":")}
    found = [(at[jump.group(1)], k) for k, line in enumerate(body)
             if (jump := JUMP.match(line)) and at.get(jump.group(1), k) < k]
    return [body[begin:end + 1] for begin, end in found
            if not any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in found)]


def first_of_loop(body):
    """Where the first label is that is jumped back to."""
    at = {line[:-1]: k for k, line in enumerate(body) if line.endswith(":")}
    back = [(k, at.get(line.split()[-1], k)) for k, line in enumerate(body) if line.startswith("j")]
    return min((to for k, to in back if to < k), default=0)


def check(found):
    for name in ("one_p", "one_g", "put_constant", "get_constant", "fetch_add"):
        code = straight(found[name])
        jumps = [line for line in code if JUMP.match(line)]
        if len(code) > MOST_INSTRUCTIONS or len(jumps) > 3 or any(
                line.startswith(("call", "no return")) for line in code):
            yield f"{name} is not short and without calls", code
        if second_way(found[name]):
            yield f"{name} checks again what has failed a check", found[name]
    for name in ("own_number", "all_pes"):
        code = straight(found[name])
        if len(code) > MOST_OF_A_NUMBER or any(line.startswith(("call", "no return")) for line in code):
            yield f"{name} is more than a load", code
    locked = [line for line in straight(found["fetch_add"]) if line.startswith("lock")]
    if len(locked) != 1:
        yield "fetch_add has not one locked instruction", straight(found["fetch_add"])
    # Of a signal that is set: sleepers are asked after behind it, and no instruction is locked.
    code = straight(found["put_and_signal"])
    if len(code) > MOST_OF_A_SIGNAL or any(line.startswith(("call", "no return", "lock", "xchg")) for line in code):
        yield "put_and_signal is not short, without calls and locks", code
    if second_way(found["put_and_signal"]):
        yield "put_and_signal checks again what has failed a check", found["put_and_signal"]
    for name in ("loop_p", "loop_g", "loop_same_p", "loop_ctx_p", "loop_ctx_g"):
        inner = loops(found[name])
        if not inner or any("mul" in line.split()[0] for loop in inner for line in loop):
            yield f"{name} translates in its loop", found[name]
    # 32 bits, as PEs' numbers in contexts are, and the window's stride is not.
    body = found["loop_ctx_maybe"]
    made = [k for k, line in enumerate(body) if line.startswith("imull")]
    if not made or made[0] < first_of_loop(body):
        yield "loop_ctx_maybe reads the context before it is known to be used", body
    before = found["starts"]
    before = before[:next(k for k, line in enumerate(before) if "shmem_init" in line)]
    if any("weft_window" in line and "GOTPCREL" not in line and not line.startswith("lea") for line in before):
        yield "starts reads the window before shmem_init", before


def main():
    compiler, *includes = sys.argv[1:]
    bad = 0
    for level in ("-O2", "-O3"):
        made = subprocess.run([compiler, level, "-S", "-o", "-", SOURCE, *includes], check=True, capture_output=True,
                              text=True).stdout
        for problem, code in check(functions(made)):
            bad += 1
            print(f"{compiler} {level}: {problem}:", *code, sep="\n  ")
    if not bad:
        print("all is short")
    return 1 if bad else 0


sys.exit(main())
