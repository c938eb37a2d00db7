#include "forms.hpp"

// The columns: text, size, base, index, scale, displacement, by fs, register of a bit.
#define WEFT_FORMS(X)                                                                                                \
  X(f0, "lock addb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                          \
  X(f1, "lock addw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                          \
  X(f2, "lock addl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f3, "lock addq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                         \
  X(f4, "lock addl $-3, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                          \
  X(f5, "lock addq $0x12345678, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                  \
  X(f6, "lock addw $0x1234, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                      \
  X(f7, "lock addb $0x81, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                        \
  X(f8, "lock adcb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                          \
  X(f9, "lock adcw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                          \
  X(f10, "lock adcl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                        \
  X(f11, "lock adcq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                        \
  X(f12, "lock adcl $-3, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f13, "lock adcq $0x12345678, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                 \
  X(f14, "lock adcw $0x1234, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                     \
  X(f15, "lock adcb $0x81, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                       \
  X(f16, "lock andb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                         \
  X(f17, "lock andw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                         \
  X(f18, "lock andl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                        \
  X(f19, "lock andq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                        \
  X(f20, "lock andl $-3, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f21, "lock andq $0x12345678, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                 \
  X(f22, "lock andw $0x1234, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                     \
  X(f23, "lock andb $0x81, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                       \
  X(f24, "lock orb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                          \
  X(f25, "lock orw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                          \
  X(f26, "lock orl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f27, "lock orq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                         \
  X(f28, "lock orl $-3, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                          \
  X(f29, "lock orq $0x12345678, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                  \
  X(f30, "lock orw $0x1234, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                      \
  X(f31, "lock orb $0x81, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                        \
  X(f32, "lock subb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                         \
  X(f33, "lock subw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                         \
  X(f34, "lock subl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                        \
  X(f35, "lock subq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                        \
  X(f36, "lock subl $-3, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f37, "lock subq $0x12345678, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                 \
  X(f38, "lock subw $0x1234, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                     \
  X(f39, "lock subb $0x81, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                       \
  X(f40, "lock sbbb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                         \
  X(f41, "lock sbbw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                         \
  X(f42, "lock sbbl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                        \
  X(f43, "lock sbbq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                        \
  X(f44, "lock sbbl $-3, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f45, "lock sbbq $0x12345678, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                 \
  X(f46, "lock sbbw $0x1234, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                     \
  X(f47, "lock sbbb $0x81, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                       \
  X(f48, "lock xorb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                         \
  X(f49, "lock xorw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                         \
  X(f50, "lock xorl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                        \
  X(f51, "lock xorq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                        \
  X(f52, "lock xorl $-3, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f53, "lock xorq $0x12345678, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                 \
  X(f54, "lock xorw $0x1234, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                     \
  X(f55, "lock xorb $0x81, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                       \
  X(f56, "lock incb (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                              \
  X(f57, "lock incw (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                              \
  X(f58, "lock incl (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                              \
  X(f59, "lock incq (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                              \
  X(f60, "lock decb (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                              \
  X(f61, "lock decw (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                              \
  X(f62, "lock decl (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                              \
  X(f63, "lock decq (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                              \
  X(f64, "lock negb (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                              \
  X(f65, "lock negw (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                              \
  X(f66, "lock negl (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                              \
  X(f67, "lock negq (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                              \
  X(f68, "lock notb (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                              \
  X(f69, "lock notw (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                              \
  X(f70, "lock notl (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                              \
  X(f71, "lock notq (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                              \
  X(f72, "lock xaddb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                        \
  X(f73, "lock xaddw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                        \
  X(f74, "lock xaddl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                       \
  X(f75, "lock xaddq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                       \
  X(f76, "lock cmpxchgb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                     \
  X(f77, "lock cmpxchgw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                     \
  X(f78, "lock cmpxchgl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                    \
  X(f79, "lock cmpxchgq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                    \
  X(f80, "xchgb %cl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                             \
  X(f81, "xchgw %cx, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                             \
  X(f82, "xchgl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                            \
  X(f83, "xchgq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                            \
  X(f84, "lock xchgl %edx, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                       \
  X(f85, "lock cmpxchg8b (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                         \
  X(f86, "lock cmpxchg16b (%rdi)", 16, 7, -1, 0, 0, false, -1)                                                       \
  X(f87, "lock btsw $13, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                         \
  X(f88, "lock btsw %cx, (%rdi)", 2, 7, -1, 0, 0, false, 1)                                                          \
  X(f89, "lock btsl $29, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f90, "lock btsl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, 1)                                                         \
  X(f91, "lock btsq $61, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                         \
  X(f92, "lock btsq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, 1)                                                         \
  X(f93, "lock btrw $13, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                         \
  X(f94, "lock btrw %cx, (%rdi)", 2, 7, -1, 0, 0, false, 1)                                                          \
  X(f95, "lock btrl $29, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                         \
  X(f96, "lock btrl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, 1)                                                         \
  X(f97, "lock btrq $61, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                         \
  X(f98, "lock btrq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, 1)                                                         \
  X(f99, "lock btcw $13, (%rdi)", 2, 7, -1, 0, 0, false, -1)                                                         \
  X(f100, "lock btcw %cx, (%rdi)", 2, 7, -1, 0, 0, false, 1)                                                         \
  X(f101, "lock btcl $29, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                        \
  X(f102, "lock btcl %ecx, (%rdi)", 4, 7, -1, 0, 0, false, 1)                                                        \
  X(f103, "lock btcq $61, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                        \
  X(f104, "lock btcq %rcx, (%rdi)", 8, 7, -1, 0, 0, false, 1)                                                        \
  X(f105, "lock xaddl %ecx, 0x40(%rdi)", 4, 7, -1, 0, 64, false, -1)                                                 \
  X(f106, "lock addq %rcx, -0x12345(%rdi)", 8, 7, -1, 0, -74565, false, -1)                                          \
  X(f107, "lock addq %rcx, 8(%rdi,%rsi,4)", 8, 7, 6, 4, 8, false, -1)                                                \
  X(f108, "lock subl $5, 0x12345(%rbx,%r9,8)", 4, 3, 9, 8, 74565, false, -1)                                         \
  X(f109, "lock incl (,%rsi,8)", 4, -1, 6, 8, 0, false, -1)                                                          \
  X(f110, "lock cmpxchgq %rdx, (%r12)", 8, 12, -1, 0, 0, false, -1)                                                  \
  X(f111, "lock cmpxchgl %edx, (%r13)", 4, 13, -1, 0, 0, false, -1)                                                  \
  X(f112, "lock cmpxchgl %r15d, 1(%r13,%r12,2)", 4, 13, 12, 2, 1, false, -1)                                         \
  X(f113, "lock xaddq %r8, (%rbp)", 8, 5, -1, 0, 0, false, -1)                                                       \
  X(f114, "lock xaddw %r14w, (%r13,%rbp)", 2, 13, 5, 1, 0, false, -1)                                                \
  X(f115, "xchgb %ah, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                            \
  X(f116, "xchgb %bh, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                            \
  X(f117, "lock xaddb %dh, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                       \
  X(f118, "lock addb %ch, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                        \
  X(f119, "lock cmpxchgb %bh, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                    \
  X(f120, "xchgb %sil, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                           \
  X(f121, "lock addb %bpl, (%rdi)", 1, 7, -1, 0, 0, false, -1)                                                       \
  X(f122, "xchgb %r9b, (%r8)", 1, 8, -1, 0, 0, false, -1)                                                            \
  X(f123, "lock xaddq %rdi, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                      \
  X(f124, "lock xaddl %edi, (%rdi)", 4, 7, -1, 0, 0, false, -1)                                                      \
  X(f125, "lock cmpxchgq %rdi, (%rdi)", 8, 7, -1, 0, 0, false, -1)                                                   \
  X(f126, "xchgl %esi, (%rdi,%rsi)", 4, 7, 6, 1, 0, false, -1)                                                       \
  X(f127, "lock addl %ecx, %fs:(%rdi)", 4, 7, -1, 0, 0, true, -1)                                                    \
  X(f128, "lock cmpxchgq %rdx, %fs:0x10(%rdi,%rsi,2)", 8, 7, 6, 2, 16, true, -1)                                     \
  X(f129, "lock addl %ecx, weft_test_words+64(%rip)", 4, -1, -1, 0, 0, false, -1)                                    \
  X(f130, "lock xaddq %rcx, weft_test_words+64(%rip)", 8, -1, -1, 0, 0, false, -1)                                   \
  X(f131, "lock cmpxchgl %ecx, weft_test_words+64(%rip)", 4, -1, -1, 0, 0, false, -1)                                \
  X(f132, "lock addl $0x1234567, weft_test_words+64(%rip)", 4, -1, -1, 0, 0, false, -1)                              \
  X(f133, "lock addw $0x1234, weft_test_words+64(%rip)", 2, -1, -1, 0, 0, false, -1)                                 \
  X(f134, "xchgb %cl, weft_test_words+64(%rip)", 1, -1, -1, 0, 0, false, -1)                                         \
  X(f135, "lock cmpxchgl %edx, (%rdi); jne 1f; lea 1(%rbx), %rbx; 1: lea 2(%rbx), %rbx", 4, 7, -1, 0, 0, false, -1)  \
  X(f136, "lock incb (%rdi); jne 1f; lea 1(%rbx), %rbx; 1: lea 2(%rbx), %rbx", 1, 7, -1, 0, 0, false, -1)            \
  X(f137, "xchgl %ecx, (%rdi); jne 1f; lea 1(%rbx), %rbx; 1: lea 2(%rbx), %rbx", 4, 7, -1, 0, 0, false, -1)          \
  X(f138, "lock cmpxchgl %edx, (%rdi); jmp 1f; nop; 1: setz %r11b", 4, 7, -1, 0, 0, false, -1)                       \
  X(f139, "lock incb (%rdi); jmp 1f; nop; 1: setz %r11b", 1, 7, -1, 0, 0, false, -1)                                 \
  X(f140, "xchgl %ecx, (%rdi); jmp 1f; nop; 1: setz %r11b", 4, 7, -1, 0, 0, false, -1)                               \
  X(f141, "lock cmpxchgl %edx, (%rdi); setc %r11b; seto %bl", 4, 7, -1, 0, 0, false, -1)                             \
  X(f142, "lock incb (%rdi); setc %r11b; seto %bl", 1, 7, -1, 0, 0, false, -1)                                       \
  X(f143, "xchgl %ecx, (%rdi); setc %r11b; seto %bl", 4, 7, -1, 0, 0, false, -1)                                     \
  X(f144, "lock cmpxchgl %edx, (%rdi); 1: mov weft_test_words(%rip), %r11d; dec %bl; jne 1b", 4, 7, -1, 0, 0, false, \
    -1)                                                                                                              \
  X(f145, "lock incb (%rdi); 1: mov weft_test_words(%rip), %r11d; dec %bl; jne 1b", 1, 7, -1, 0, 0, false, -1)       \
  X(f146, "xchgl %ecx, (%rdi); 1: mov weft_test_words(%rip), %r11d; dec %bl; jne 1b", 4, 7, -1, 0, 0, false, -1)     \
  X(f147, "lock cmpxchgl %edx, (%rdi); jz 1f; .fill 200, 1, 0x90; 1: lea 3(%rbx), %rbx", 4, 7, -1, 0, 0, false, -1)  \
  X(f148, "lock incb (%rdi); jz 1f; .fill 200, 1, 0x90; 1: lea 3(%rbx), %rbx", 1, 7, -1, 0, 0, false, -1)            \
  X(f149, "xchgl %ecx, (%rdi); jz 1f; .fill 200, 1, 0x90; 1: lea 3(%rbx), %rbx", 4, 7, -1, 0, 0, false, -1)          \
  X(f150, "lock cmpxchgl %edx, (%rdi); nop; 1: dec %bl; jne 1b", 4, 7, -1, 0, 0, false, -1)                          \
  X(f151, "lock incb (%rdi); nop; 1: dec %bl; jne 1b", 1, 7, -1, 0, 0, false, -1)                                    \
  X(f152, "xchgl %ecx, (%rdi); nop; 1: dec %bl; jne 1b", 4, 7, -1, 0, 0, false, -1)                                  \
  X(f153, "lock cmpxchgl %edx, (%rdi); push %r11; pop %r10", 4, 7, -1, 0, 0, false, -1)                              \
  X(f154, "lock incb (%rdi); push %r11; pop %r10", 1, 7, -1, 0, 0, false, -1)                                        \
  X(f155, "xchgl %ecx, (%rdi); push %r11; pop %r10", 4, 7, -1, 0, 0, false, -1)

// A function has a size and a description; a label has neither.
#define WEFT_CODE(name, text, ...)                                                                           \
  asm(".text\n.p2align 4\n.type rewritten_" #name ", @function\nrewritten_" #name ":\n.cfi_startproc\n" text \
      "\nret\n.cfi_endproc\n.size rewritten_" #name ", . - rewritten_" #name                                 \
      "\n"                                                                                                   \
      ".p2align 4\n.fill 16, 1, 0xcc\noriginal_" #name ":\n" text "\nret\n.fill 16, 1, 0xcc\n");
#define WEFT_DECLARE(name, ...)                \
  extern "C" void rewritten_##name() noexcept; \
  extern "C" void original_##name() noexcept;
#define WEFT_ROW(name, text, size, base, index, scale, displacement, by_fs, bits) \
  {text, rewritten_##name, original_##name, size, base, index, scale, displacement, by_fs, bits},

WEFT_FORMS(WEFT_CODE)
WEFT_FORMS(WEFT_DECLARE)

alignas(64) unsigned char weft_test_words[256];

namespace weft::test {
const Form kForms[] = {WEFT_FORMS(WEFT_ROW)};
const int kNumberOfForms = sizeof kForms / sizeof kForms[0];
}  // namespace weft::test
