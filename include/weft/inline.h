/* Weft: inline bodies of the small operations, for PEs of this node. shmem.h includes this when the compiler optimises
 * and WEFT_NO_INLINE is not defined.
 *
 * The bodies are GNU inline functions: they serve only to be inlined. A function whose address is taken, and any call
 * the compiler does not inline, is the real symbol in the library. A profiler that wants to see every call needs
 * -DWEFT_NO_INLINE.
 *
 * Each body of them reads one cache line (weft_window), checks that the address is in the window and the PE exists, and
 * then loads, stores, copies or updates the peer's copy with the processor. Everything else goes to the library.
 */
#ifndef WEFT_INLINE_H
#define WEFT_INLINE_H

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <weft/window.h>

#define WEFT_BODY extern __inline__ __attribute__((__gnu_inline__, __always_inline__, __artificial__))
#define WEFT_HELPER static __inline__ __attribute__((__always_inline__, __artificial__, __unused__))
#define WEFT_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* The compiler may move no access of the program across an operation, as across any call of an unknown function. */
#define WEFT_LIKE_A_CALL() __asm__ __volatile__("" ::: "memory")

#define WEFT_INLINE_MY_PE                              \
  WEFT_BODY int shmem_my_pe(void) {                    \
    const int me = weft_self.me;                       \
    return WEFT_LIKELY(me >= 0) ? me : pshmem_my_pe(); \
  }
#define WEFT_INLINE_N_PES                                   \
  WEFT_BODY int shmem_n_pes(void) {                         \
    const int n_pes = weft_self.n_pes;                      \
    return WEFT_LIKELY(n_pes > 0) ? n_pes : pshmem_n_pes(); \
  }

/* Neither an address outside the window nor another node's PE can wrap into it: the subtractions are unsigned. */
WEFT_HELPER int weft_holds(const volatile void* address) {
  return (uintptr_t)address - weft_window.lo < weft_window.span;
}

/* PEs are numbered here from this node's first one on, so that the code is the same on all nodes. The empty asm hides
 * how the number was made: pe need not be kept beside it, which saves the instruction that the subtraction costs. */
WEFT_HELPER uintptr_t weft_number_here(int pe) {
  uintptr_t number = (unsigned)pe - weft_window.first;
  __asm__("" : "+r"(number));
  return number;
}

/* Back, for the library. Hidden and volatile, or gcc prepares it before it knows that it is needed. */
WEFT_HELPER int weft_pe_of(uintptr_t number) {
  __asm__("" : "+r"(number));
  return (int)((unsigned)number + *(const volatile unsigned*)&weft_window.first);
}

WEFT_HELPER int weft_is_here(uintptr_t number) { return WEFT_LIKELY((unsigned)number < weft_window.n_here); }

WEFT_HELPER int weft_reaches(const volatile void* address, uintptr_t number) {
  return WEFT_LIKELY(weft_holds(address)) && weft_is_here(number);
}

/* A context other than the default one, as far as programs know it: where its team's PEs are among this node's, if they
 * are a progression of these; `count` is 0 where they are not, and when the context is gone. */
struct weft_ctx_line {
  uint64_t tag;
  unsigned first;
  unsigned step;
  unsigned count;
  unsigned none;
};

/* The team's PE by its number here; one that is none of this node's where the library has to look. */
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define WEFT_CTX_PLAIN 1 /* it would tell of the address that is reckoned below, from one object to another */
#endif
#endif
#if defined(__x86_64__) && defined(__LP64__) && !defined(WEFT_CTX_PLAIN)
/* A context's line is constant to programs, as the window is: it is written when the context is made and when it is
 * destroyed, behind which nobody may use it. The compiler is told so, or it would read it again after each operation,
 * which may have changed any memory. Two asm's are made of registers alone, so they may be moved before a loop; and the
 * read between them is of a constant object, from which the line lies somewhere, so that may be moved, too. But the
 * compiler does not know whether that traps and reads nothing earlier than where the program uses the context, which
 * may be no context before that. The second asm reads the rest and cannot come before the first read.
 *
 * Of a context that is none, and while the window is closed, as under a tool that looks for handles which are none,
 * nothing is read but the window itself, and the library looks at the context first. */
extern const unsigned weft_words[] __asm__("weft_window");
WEFT_HELPER uintptr_t weft_number_in(shmem_ctx_t ctx, int pe) {
  unsigned number = (unsigned)pe - weft_window.first;
  uintptr_t at = (uintptr_t)ctx; /* from there on, in bytes; 0 where the line is not to be read */
  if (__builtin_constant_p(ctx == SHMEM_CTX_DEFAULT) && ctx == SHMEM_CTX_DEFAULT) {
    return weft_number_here(pe);
  }
  __asm__(
      "test{q}\t%[at], %[at]\n\t"
      "cmove{q}\t{%[window], %[at]|%[at], %[window]}\n\t"
      "cmp{q}\t{%[unnamed], %[at]|%[at], %[unnamed]}\n\t"
      "cmove{q}\t{%[window], %[at]|%[at], %[window]}\n\t"
      "test{q}\t%[span], %[span]\n\t"
      "cmove{q}\t{%[window], %[at]|%[at], %[window]}\n\t"
      "sub{q}\t{%[window], %[at]|%[at], %[window]}"
      : [at] "+&r"(at)
      : [window] "r"(weft_words), [span] "r"(weft_window.span), [unnamed] "r"(SHMEM_CTX_DEFAULT)
      : "cc");
  __asm__(
      "cmp{q}\t{%[unnamed], %[ctx]|%[ctx], %[unnamed]}\n\t"
      "je\t1f\n\t"
      "mov{l}\t{$-1, %[number]|%[number], -1}\n\t"
      "test{q}\t%[at], %[at]\n\t"
      "je\t1f\n\t"
      "cmp{l}\t{%[count], %[pe]|%[pe], %[count]}\n\t"
      "jae\t1f\n\t"
      "mov{l}\t{%c[step](%[ctx]), %[number]|%[number], DWORD PTR %c[step][%[ctx]]}\n\t"
      "imul{l}\t{%[pe], %[number]|%[number], %[pe]}\n\t"
      "add{l}\t{%c[first](%[ctx]), %[number]|%[number], DWORD PTR %c[first][%[ctx]]}\n"
      "1:"
      : [number] "+&r"(number)
      : [ctx] "r"(ctx), [unnamed] "r"(SHMEM_CTX_DEFAULT), [at] "r"(at), [pe] "r"(pe),
        [count] "r"(weft_words[(at + __builtin_offsetof(struct weft_ctx_line, count)) / sizeof *weft_words]),
        [step] "i"(__builtin_offsetof(struct weft_ctx_line, step)),
        [first] "i"(__builtin_offsetof(struct weft_ctx_line, first))
      : "cc");
  return number;
}
#else
WEFT_HELPER uintptr_t weft_number_in(shmem_ctx_t ctx, int pe) {
  const struct weft_ctx_line* const line = (const struct weft_ctx_line*)(const void*)ctx;
  if (ctx == SHMEM_CTX_DEFAULT) {
    return weft_number_here(pe);
  }
  /* A closed window, as under a tool that looks for handles which are none, has the library look at this one first. */
  return weft_window.span != 0 && line != NULL && WEFT_LIKELY((unsigned)pe < line->count)
             ? line->first + (unsigned)pe * line->step
             : ~0u;
}
#endif
#undef WEFT_CTX_PLAIN

/* What a copy needs besides: a null buffer takes the library's path, which says so or, with no elements, does nothing.
 * A length is checked against the window's end, unless it is so short that the guard behind the window catches it. The
 * compiler drops what it knows: for a constant length and a variable's address nothing is left. */
WEFT_HELPER int weft_moves(const volatile void* symmetric, const volatile void* buffer, size_t nelems, size_t size,
                           uintptr_t number) {
  const uintptr_t offset = (uintptr_t)symmetric - weft_window.lo;
  if (!WEFT_LIKELY(weft_holds(symmetric) && buffer != NULL)) {
    return 0;
  }
  if (__builtin_constant_p(nelems <= 4096 / size) && nelems <= 4096 / size) {
    return weft_is_here(number);
  }
  /* Divided, not multiplied: nelems * size could wrap. */
  return nelems <= (weft_window.span - offset) / size && weft_is_here(number);
}

/* The empty asm hides where the pointer comes from: gcc follows addresses through integers and must not conclude that
 * this one still points into the program's own object. clang does not, and would copy the sum for the asm. */
WEFT_HELPER void* weft_at(const volatile void* address, uintptr_t number) {
  uintptr_t at = (uintptr_t)address + weft_window.to_peers;
#if !defined(__clang__)
  __asm__("" : "+r"(at));
#endif
  return (void*)(at + number * weft_window.stride);
}

/* gcc tells by a macro, clang by a feature, that a sanitizer watches the program. */
#if defined(__SANITIZE_THREAD__)
#define WEFT_THREAD_SANITIZER 1
#elif defined(__SANITIZE_ADDRESS__)
#define WEFT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define WEFT_ADDRESS_SANITIZER 1
#endif
#endif

/* A small copy of a size known at compile time becomes loads and stores. Sanitizers see the C library's copies only. */
#if defined(WEFT_ADDRESS_SANITIZER) || defined(WEFT_THREAD_SANITIZER)
#define WEFT_COPIES_ITSELF(bytes) 1
#else
#define WEFT_COPIES_ITSELF(bytes) WEFT_LIKELY((bytes) < WEFT_LARGE_COPY)
#endif
/* A word that a PE may wait for is stored once, also where its length is not known here: the C library stores as many
 * bytes twice, and who has seen the first may have answered and set it back. The empty asm's hide the objects, which
 * may be shorter than the length that it is not: gcc would warn. */
WEFT_HELPER void weft_copy(void* to, const void* from, size_t bytes) {
  if (!__builtin_constant_p(bytes) && (bytes == 8 || bytes == 4 || bytes == 2)) {
    __asm__("" : "+r"(to));
    __asm__("" : "+r"(from));
    if (bytes == 8) {
      __builtin_memcpy(to, from, 8);
    } else if (bytes == 4) {
      __builtin_memcpy(to, from, 4);
    } else {
      __builtin_memcpy(to, from, 2);
    }
  } else if (bytes != 0) {
    if (WEFT_COPIES_ITSELF(bytes)) {
      __builtin_memcpy(to, from, bytes);
    } else {
      weft_window.copy(to, from, bytes);
    }
  }
  WEFT_LIKE_A_CALL();
}

/* What stands on both sides of an access (WEFT_LIKE_A_CALL) makes it happen once and where it stands. It is not
 * volatile: gcc adds up the address of a volatile access in an instruction of its own. ThreadSanitizer wants to hear
 * that a sibling thread may wait for the value. */
#if defined(WEFT_THREAD_SANITIZER)
#define WEFT_STORE(T, at, value)                            \
  do {                                                      \
    if (sizeof(T) <= 8) {                                   \
      __atomic_store((T*)(at), &(value), __ATOMIC_RELAXED); \
    } else {                                                \
      *(T*)(at) = (value);                                  \
    }                                                       \
  } while (0)
#else
#define WEFT_STORE(T, at, value) (*(T*)(at) = (value))
#endif

/* Puts are stores of this processor, so ordering them is ordering stores: for x86 the compiler's order is enough, and
 * quiet, after which a load must not overtake a store, is one instruction. PEs that sleep are the library's. */
#if defined(WEFT_THREAD_SANITIZER) /* which knows no fences */
#define WEFT_INLINE_FENCE
#define WEFT_INLINE_QUIET
#define WEFT_INLINE_PUT_SIGNAL(STEM, T)
#define WEFT_INLINE_PUTMEM_SIGNAL(STEM, BYTES)
#else
WEFT_HELPER int weft_wakes_nobody(void) {
  return weft_window.span != 0 && __atomic_load_n(weft_window.sleepers, __ATOMIC_RELAXED) == 0;
}
#define WEFT_INLINE_ORDER_(NAME, ORDER)                                              \
  WEFT_BODY void shmem_##NAME(void) {                                                \
    __atomic_thread_fence(ORDER);                                                    \
    if (!WEFT_LIKELY(weft_wakes_nobody())) {                                         \
      pshmem_##NAME();                                                               \
    }                                                                                \
  }                                                                                  \
  WEFT_BODY void shmem_ctx_##NAME(shmem_ctx_t ctx) {                                 \
    __atomic_thread_fence(ORDER);                                                    \
    if (!WEFT_LIKELY(weft_is_here(weft_number_in(ctx, 0)) && weft_wakes_nobody())) { \
      pshmem_ctx_##NAME(ctx);                                                        \
    }                                                                                \
  }
#define WEFT_INLINE_FENCE WEFT_INLINE_ORDER_(fence, __ATOMIC_RELEASE)
#define WEFT_INLINE_QUIET WEFT_INLINE_ORDER_(quiet, __ATOMIC_SEQ_CST)
#endif

/* Each operation stands once for the default context and once for those that are named: what it does to a PE of this
 * node, WHEN it may, with the PE's number here; the library is asked otherwise. TAKES and GIVES are its arguments in
 * parentheses, as they are declared and as they are handed on. */
#define WEFT_LIST_(...) __VA_ARGS__
#define WEFT_DOES_(STEM, TAKES, GIVES, WHEN, WHAT)                             \
  WEFT_BODY void shmem_##STEM(WEFT_LIST_ TAKES, int pe) {                      \
    const uintptr_t number = weft_number_here(pe);                             \
    if (WEFT_LIKELY(WHEN)) {                                                   \
      WEFT_LIKE_A_CALL();                                                      \
      WHAT;                                                                    \
      WEFT_LIKE_A_CALL();                                                      \
    } else {                                                                   \
      pshmem_##STEM(WEFT_LIST_ GIVES, weft_pe_of(number));                     \
    }                                                                          \
  }                                                                            \
  WEFT_BODY void shmem_ctx_##STEM(shmem_ctx_t ctx, WEFT_LIST_ TAKES, int pe) { \
    const uintptr_t number = weft_number_in(ctx, pe);                          \
    if (WEFT_LIKELY(WHEN)) {                                                   \
      WEFT_LIKE_A_CALL();                                                      \
      WHAT;                                                                    \
      WEFT_LIKE_A_CALL();                                                      \
    } else {                                                                   \
      pshmem_ctx_##STEM(ctx, WEFT_LIST_ GIVES, pe);                            \
    }                                                                          \
  }
/* The same with a value, which WHAT puts into `result`. */
#define WEFT_RETURNS_(T, STEM, TAKES, GIVES, WHEN, WHAT)                    \
  WEFT_BODY T shmem_##STEM(WEFT_LIST_ TAKES, int pe) {                      \
    const uintptr_t number = weft_number_here(pe);                          \
    if (WEFT_LIKELY(WHEN)) {                                                \
      T result;                                                             \
      WEFT_LIKE_A_CALL();                                                   \
      WHAT;                                                                 \
      WEFT_LIKE_A_CALL();                                                   \
      return result;                                                        \
    }                                                                       \
    return pshmem_##STEM(WEFT_LIST_ GIVES, weft_pe_of(number));             \
  }                                                                         \
  WEFT_BODY T shmem_ctx_##STEM(shmem_ctx_t ctx, WEFT_LIST_ TAKES, int pe) { \
    const uintptr_t number = weft_number_in(ctx, pe);                       \
    if (WEFT_LIKELY(WHEN)) {                                                \
      T result;                                                             \
      WEFT_LIKE_A_CALL();                                                   \
      WHAT;                                                                 \
      WEFT_LIKE_A_CALL();                                                   \
      return result;                                                        \
    }                                                                       \
    return pshmem_ctx_##STEM(ctx, WEFT_LIST_ GIVES, pe);                    \
  }

#define WEFT_INLINE_P(NAME, T)                                                         \
  WEFT_DOES_(NAME##_p, (T * dest, T value), (dest, value), weft_reaches(dest, number), \
             WEFT_STORE(T, weft_at(dest, number), value))
#define WEFT_INLINE_G(NAME, T)                                                          \
  WEFT_RETURNS_(T, NAME##_g, (const T* source), (source), weft_reaches(source, number), \
                result = *(const T*)weft_at(source, number))

#define WEFT_INLINE_PUT(STEM, T)                                                       \
  WEFT_DOES_(STEM, (T * dest, const T* source, size_t nelems), (dest, source, nelems), \
             weft_moves(dest, source, nelems, sizeof(T), number),                      \
             weft_copy(weft_at(dest, number), source, nelems * sizeof(T)))
#define WEFT_INLINE_GET(STEM, T)                                                       \
  WEFT_DOES_(STEM, (T * dest, const T* source, size_t nelems), (dest, source, nelems), \
             weft_moves(source, dest, nelems, sizeof(T), number),                      \
             weft_copy(dest, weft_at(source, number), nelems * sizeof(T)))
/* Elements of BYTES bytes behind void pointers: shmem_put32, shmem_putmem and their kin. */
#define WEFT_INLINE_PUTMEM(STEM, BYTES)                                                     \
  WEFT_DOES_(STEM, (void* dest, const void* source, size_t nelems), (dest, source, nelems), \
             weft_moves(dest, source, nelems, (BYTES), number),                             \
             weft_copy(weft_at(dest, number), source, nelems*(BYTES)))
#define WEFT_INLINE_GETMEM(STEM, BYTES)                                                     \
  WEFT_DOES_(STEM, (void* dest, const void* source, size_t nelems), (dest, source, nelems), \
             weft_moves(source, dest, nelems, (BYTES), number),                             \
             weft_copy(dest, weft_at(source, number), nelems*(BYTES)))

/* A put and its signal. Release: who sees the signal sees the data. Where somebody sleeps, the library adds nothing to
 * the word once more, which wakes the one that the signal is for and nobody else; who lies down just then is woken, or
 * wakes, as after a fence. */
#if !defined(WEFT_THREAD_SANITIZER)
WEFT_HELPER int weft_signals(const uint64_t* sig_addr, int sig_op) {
  return (sig_op == SHMEM_SIGNAL_SET || sig_op == SHMEM_SIGNAL_ADD) && WEFT_LIKELY(weft_holds(sig_addr));
}
WEFT_HELPER void weft_signal(uint64_t* sig_addr, uint64_t signal, int sig_op, uintptr_t number) {
  uint64_t* const word = (uint64_t*)weft_at(sig_addr, number);
  if (sig_op == SHMEM_SIGNAL_SET) {
    __atomic_store_n(word, signal, __ATOMIC_RELEASE);
  } else {
    (void)__atomic_fetch_add(word, signal, __ATOMIC_RELEASE);
  }
  if (!WEFT_LIKELY(__atomic_load_n(weft_window.sleepers, __ATOMIC_RELAXED) == 0)) {
    pshmem_signal_add(sig_addr, 0, weft_pe_of(number));
  }
}
#define WEFT_PUTS_SIGNAL_(STEM, TO, FROM, SIZE)                                                      \
  WEFT_DOES_(                                                                                        \
      STEM, (TO dest, FROM source, size_t nelems, uint64_t * sig_addr, uint64_t signal, int sig_op), \
      (dest, source, nelems, sig_addr, signal, sig_op),                                              \
      weft_moves(dest, source, nelems, SIZE, number) && weft_signals(sig_addr, sig_op),              \
      (weft_copy(weft_at(dest, number), source, nelems * (SIZE)), weft_signal(sig_addr, signal, sig_op, number)))
#define WEFT_INLINE_PUT_SIGNAL(STEM, T) WEFT_PUTS_SIGNAL_(STEM, T*, const T*, sizeof(T))
#define WEFT_INLINE_PUTMEM_SIGNAL(STEM, BYTES) WEFT_PUTS_SIGNAL_(STEM, void*, const void*, (BYTES))
#endif

/* Relaxed: OpenSHMEM gives atomic operations no order among other operations (1.6, section 9.12, table of ordering);
 * shmem_fence and shmem_quiet supply it. */
#define WEFT_INLINE_AMO_FETCH(NAME, T)                                                             \
  WEFT_RETURNS_(T, NAME##_atomic_fetch, (const T* source), (source), weft_reaches(source, number), \
                __atomic_load((T*)weft_at(source, number), &result, __ATOMIC_RELAXED))
#define WEFT_INLINE_AMO_SET(NAME, T)                                                            \
  WEFT_DOES_(NAME##_atomic_set, (T * dest, T value), (dest, value), weft_reaches(dest, number), \
             __atomic_store((T*)weft_at(dest, number), &value, __ATOMIC_RELAXED))
#define WEFT_INLINE_AMO_SWAP(NAME, T)                                                                  \
  WEFT_RETURNS_(T, NAME##_atomic_swap, (T * dest, T value), (dest, value), weft_reaches(dest, number), \
                __atomic_exchange((T*)weft_at(dest, number), &value, &result, __ATOMIC_RELAXED))
/* What was there: on failure the builtin puts it into `result`, on success it was `cond`. */
#define WEFT_INLINE_AMO_COMPARE_SWAP(NAME, T)                                                                     \
  WEFT_RETURNS_(T, NAME##_atomic_compare_swap, (T * dest, T cond, T value), (dest, cond, value),                  \
                weft_reaches(dest, number), result = cond;                                                        \
                (void)__atomic_compare_exchange_n((T*)weft_at(dest, number), &result, value, 0, __ATOMIC_RELAXED, \
                                                  __ATOMIC_RELAXED))

#define WEFT_INLINE_AMO_FETCHING_(NAME, T, SUFFIX, BUILTIN)                                                \
  WEFT_RETURNS_(T, NAME##_atomic_##SUFFIX, (T * dest, T value), (dest, value), weft_reaches(dest, number), \
                result = BUILTIN((T*)weft_at(dest, number), value, __ATOMIC_RELAXED))
#define WEFT_INLINE_AMO_UPDATING_(NAME, T, SUFFIX, BUILTIN)                                          \
  WEFT_DOES_(NAME##_atomic_##SUFFIX, (T * dest, T value), (dest, value), weft_reaches(dest, number), \
             (void)BUILTIN((T*)weft_at(dest, number), value, __ATOMIC_RELAXED))
#define WEFT_INLINE_AMO_FETCH_ADD(NAME, T) WEFT_INLINE_AMO_FETCHING_(NAME, T, fetch_add, __atomic_fetch_add)
#define WEFT_INLINE_AMO_FETCH_AND(NAME, T) WEFT_INLINE_AMO_FETCHING_(NAME, T, fetch_and, __atomic_fetch_and)
#define WEFT_INLINE_AMO_FETCH_OR(NAME, T) WEFT_INLINE_AMO_FETCHING_(NAME, T, fetch_or, __atomic_fetch_or)
#define WEFT_INLINE_AMO_FETCH_XOR(NAME, T) WEFT_INLINE_AMO_FETCHING_(NAME, T, fetch_xor, __atomic_fetch_xor)
#define WEFT_INLINE_AMO_ADD(NAME, T) WEFT_INLINE_AMO_UPDATING_(NAME, T, add, __atomic_fetch_add)
#define WEFT_INLINE_AMO_AND(NAME, T) WEFT_INLINE_AMO_UPDATING_(NAME, T, and, __atomic_fetch_and)
#define WEFT_INLINE_AMO_OR(NAME, T) WEFT_INLINE_AMO_UPDATING_(NAME, T, or, __atomic_fetch_or)
#define WEFT_INLINE_AMO_XOR(NAME, T) WEFT_INLINE_AMO_UPDATING_(NAME, T, xor, __atomic_fetch_xor)

#define WEFT_INLINE_AMO_FETCH_INC(NAME, T)                                                  \
  WEFT_RETURNS_(T, NAME##_atomic_fetch_inc, (T * dest), (dest), weft_reaches(dest, number), \
                result = __atomic_fetch_add((T*)weft_at(dest, number), (T)1, __ATOMIC_RELAXED))
#define WEFT_INLINE_AMO_INC(NAME, T)                                            \
  WEFT_DOES_(NAME##_atomic_inc, (T * dest), (dest), weft_reaches(dest, number), \
             (void)__atomic_fetch_add((T*)weft_at(dest, number), (T)1, __ATOMIC_RELAXED))

#endif
