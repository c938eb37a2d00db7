// Functions with an atomic instruction that is too short for a jump, and with what stands around it.
#define BEGIN(name) ".globl " #name "\n.type " #name ", @function\n" #name ":\n.L" #name ":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " #name ", . - " #name "\n"

__asm__(".text\n"
        // Instructions follow, and nobody comes in among them.
        BEGIN(plain) "lock incl (%rdi)\nmov %esi, %eax\nret\n" END(plain)
        // A jump goes along.
        BEGIN(loop) "1: lock xaddl %eax, (%rdi)\njne 1b\nret\n" END(loop)
        // One comes back to behind it.
        BEGIN(target) "lock incl (%rdi)\n1: mov %esi, %eax\ndec %esi\njne 1b\nret\n" END(target)
        // The next one means another thing elsewhere.
        BEGIN(relative) "lock incl (%rdi)\nlea .Lplain(%rip), %rax\nret\n" END(relative)
        // A call would come back to the wrong place.
        BEGIN(call) "lock incl (%rdi)\ncall .Lplain\nret\n" END(call)
        // Another function jumps in.
        BEGIN(jumped) "lock incl (%rdi)\n.Lin: mov %esi, %eax\nret\n" END(jumped)
            BEGIN(jumper) "lock incl (%rdi)\nmov %esi, %eax\njmp .Lin\n" END(jumper)
        // Its table of jumps may.
        BEGIN(table) "lock incl (%rdi)\nmov %esi, %eax\njmp *(%rdx,%rsi,8)\n" END(table)
        // So may that of its other part.
        BEGIN(part) "lock incl (%rdi)\nmov %esi, %eax\njmp .Lother_part\n" END(part)
            BEGIN(other_part) "nop\njmp *(%rdx,%rsi,8)\n" END(other_part)
        // By a cell it goes to another function.
        BEGIN(cell) "lock incl (%rdi)\nmov %esi, %eax\njmp *cell_of_it(%rip)\n" END(cell)
        // A label that others may know.
        BEGIN(entry) "lock incl (%rdi)\nentry_behind: mov %esi, %eax\nret\n" END(entry)
        // An exception may come in.
        BEGIN(landing) ".cfi_lsda 0x1b, .Llandings\nlock incl (%rdi)\nmov %esi, %eax\nret\n" END(landing)
        // The end comes too early.
        BEGIN(end) "lock incl (%rdi)\nret\n" END(end) "nop\nnop\n"
        // Data among the instructions: what looks like one is none, and a jump goes to its middle.
        BEGIN(data) "jmp 1f\n.byte 0xb8, 0x90, 0x90\n1: lock incl (%rdi)\nret\n" END(data)
            BEGIN(bad_bytes) "lock incl (%rdi)\njmp 1f\n.byte 0x06, 0x07\n1: ret\n" END(bad_bytes)
        // Neither described nor a function.
        "undescribed: lock incl (%rdi)\nmov %esi, %eax\nret\n"
        // Long enough by itself, and of other kinds.
        BEGIN(cmpxchg) "lock cmpxchgq %rdx, 8(%rdi)\nret\n" END(cmpxchg)
            BEGIN(fences) "mfence\nlock orq $0, (%rsp)\nret\n" END(fences)
                BEGIN(registers) "xchg %rax, %rbx\nret\n" END(
                    registers) ".data\ncell_of_it: .quad .Lplain\n.Llandings: .byte 0xff, 0xff, 0x01, 0x00\n.text\n");
