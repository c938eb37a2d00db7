// Compiled for general registers only: until vectors are saved they are the program's.
#include "omp/rewrite/carry.hpp"

#include <cpuid.h>
#include <cerrno>

namespace weft::omp::rewrite {
namespace {

using sites::Form;
using sites::Instruction;

struct Range {
  std::uintptr_t from;
  std::uintptr_t to;
};
constexpr int kMostRanges = 64;

constinit const Place* g_places = nullptr;
constinit std::uint64_t g_count = 0;
constinit Carry* g_carry = nullptr;
constinit Range g_ranges[kMostRanges] = {};
constinit int g_n_ranges = 0;

// Carry, parity, adjust, zero, sign, overflow.
constexpr std::uint64_t kArithmetic = 0x8d5;
constexpr std::uint64_t kCarryFlag = 0x1;
constexpr std::uint64_t kZeroFlag = 0x40;
constexpr int kRax = 0;
constexpr int kRcx = 1;
constexpr int kRdx = 2;
constexpr int kRbx = 3;

// x87, SSE, AVX and AVX-512: what a compiler's code uses.
constexpr std::uint32_t kVectorParts = 0xe7;
struct Vectors {
  std::uint32_t bytes = 512;
  std::uint32_t parts = 0;  // 0: fxsave
};
constinit Vectors g_vectors;

void find_vectors() noexcept {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
  constexpr std::uint32_t kOsXsave = 1u << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsXsave) == 0) {
    return;
  }
  std::uint32_t enabled = 0;
  asm volatile("xgetbv" : "=a"(enabled), "=d"(d) : "c"(0));
  Vectors found{512 + 64, enabled & kVectorParts};
  for (std::uint32_t part = 2; part < 8; ++part) {
    if ((found.parts >> part & 1) != 0 && __get_cpuid_count(0xd, part, &a, &b, &c, &d) != 0 && a + b > found.bytes) {
      found.bytes = a + b;
    }
  }
  g_vectors = found;
}

[[gnu::noinline]] bool carry_beside_vectors(Operation& what) noexcept {
  constexpr std::uintptr_t kLine = 64;
  const auto room = reinterpret_cast<std::uintptr_t>(__builtin_alloca(g_vectors.bytes + kLine));
  auto* const area = reinterpret_cast<std::uint64_t*>((room + kLine - 1) & ~(kLine - 1));
  if (g_vectors.parts == 0) {
    asm volatile("fxsave64 %0" : "=m"(*reinterpret_cast<char(*)[512]>(area)));
    const bool done = g_carry(what);
    asm volatile("fxrstor64 %0" : : "m"(*reinterpret_cast<char(*)[512]>(area)));
    return done;
  }
  // The header: xsave writes not all of it, and xrstor wants zeros.
  for (int k = 64; k < 72; ++k) {
    area[k] = 0;
  }
  asm volatile("xsave64 %0" : "+m"(*area) : "a"(g_vectors.parts), "d"(0) : "memory");
  const bool done = g_carry(what);
  asm volatile("xrstor64 %0" : : "m"(*area), "a"(g_vectors.parts), "d"(0) : "memory");
  return done;
}

bool is_watched(std::uintptr_t at, std::uint64_t bytes) noexcept {
  // Acquire: pairs with watch().
  const int count = __atomic_load_n(&g_n_ranges, __ATOMIC_ACQUIRE);
  for (int k = 0; k < count; ++k) {
    if (at < g_ranges[k].to && at + bytes > g_ranges[k].from) {
      return true;
    }
  }
  return false;
}

std::uint64_t cut(std::uint64_t value, unsigned size) noexcept {
  return size >= 8 ? value : value & ((std::uint64_t{1} << (size * 8)) - 1);
}

std::uint64_t get(const Registers& registers, const Instruction& is) noexcept {
  if (is.source == sites::kNoRegister) {
    return cut(static_cast<std::uint64_t>(is.immediate), is.size);
  }
  return cut(registers.general[is.source] >> (is.source_is_high ? 8 : 0), is.size);
}

// As the processor does: four bytes clear the upper ones, fewer leave the others.
void put(std::uint64_t& whole, unsigned size, std::uint64_t value, bool high = false) noexcept {
  const int shift = high ? 8 : 0;
  const std::uint64_t mask = cut(~std::uint64_t{0}, size) << shift;
  whole = size == 4 ? cut(value, 4) : (whole & ~mask) | (value << shift & mask);
}

std::uintptr_t address_of(const Place& place, const Registers& registers) noexcept {
  const Instruction& is = place.is;
  std::uint64_t at = static_cast<std::uint64_t>(is.displacement);
  if (is.base == sites::kRip) {
    at += place.at + is.length;
  } else if (is.base != sites::kNoRegister) {
    at += registers.general[is.base];
  }
  if (is.index != sites::kNoRegister) {
    at += registers.general[is.index] * is.scale;
  }
  if (is.in_32_bits) {
    at = cut(at, 4);
  }
  if (is.by_fs) {
    std::uint64_t thread = 0;
    asm("mov %%fs:0, %0" : "=r"(thread));
    at += thread;
  }
  return at;
}

bool is_of_bits(Form form) noexcept {
  return form == Form::kSetBit || form == Form::kResetBit || form == Form::kFlipBit;
}

// The number of a bit in a register counts on into other words.
std::uint64_t bit_of(const Instruction& is, std::uint64_t number, std::uintptr_t& at) noexcept {
  const unsigned bits = is.size * 8u;
  if (is.source != sites::kNoRegister) {
    const auto far = static_cast<std::int64_t>(number << (64 - bits)) >> (64 - bits);
    at += static_cast<std::uint64_t>((far >> __builtin_ctz(bits)) * is.size);
  }
  return number & (bits - 1);
}

void say_pair(const Registers& registers, Operation& what) noexcept {
  const unsigned half = what.size / 2u;
  const std::uint64_t* const all = registers.general;
  what.kind = Kind::kCompareSwap;
  if (half == 8) {
    what.expected = {all[kRax], all[kRdx]};
    what.operand = {all[kRbx], all[kRcx]};
  } else {
    what.expected = {cut(all[kRax], 4) | all[kRdx] << 32, 0};
    what.operand = {cut(all[kRbx], 4) | all[kRcx] << 32, 0};
  }
}

Operation say(const Place& place, const Registers& registers) noexcept {
  const Instruction& is = place.is;
  Operation what;
  std::uintptr_t at = address_of(place, registers);
  std::uint64_t operand = get(registers, is);
  const std::uint64_t carry = registers.flags & kCarryFlag;
  what.size = is.size;
  if (is_of_bits(is.form)) {
    operand = std::uint64_t{1} << bit_of(is, operand, at);
  }
  switch (is.form) {
    case Form::kAdd:
    case Form::kExchangeAdd: what.kind = Kind::kAdd; break;
    case Form::kAdc:
      what.kind = Kind::kAdd;
      operand += carry;
      break;
    case Form::kSub:
      what.kind = Kind::kAdd;
      operand = 0 - operand;
      break;
    case Form::kSbb:
      what.kind = Kind::kAdd;
      operand = 0 - operand - carry;
      break;
    case Form::kInc:
      what.kind = Kind::kAdd;
      operand = 1;
      break;
    case Form::kDec:
      what.kind = Kind::kAdd;
      operand = ~std::uint64_t{0};
      break;
    case Form::kAnd: what.kind = Kind::kAnd; break;
    case Form::kResetBit:
      what.kind = Kind::kAnd;
      operand = ~operand;
      break;
    case Form::kOr:
    case Form::kSetBit: what.kind = Kind::kOr; break;
    case Form::kXor:
    case Form::kFlipBit: what.kind = Kind::kXor; break;
    case Form::kNot:
      what.kind = Kind::kXor;
      operand = ~std::uint64_t{0};
      break;
    case Form::kNeg: what.kind = Kind::kNegate; break;
    case Form::kExchange: what.kind = Kind::kSwap; break;
    case Form::kCompareExchange:
      what.kind = Kind::kCompareSwap;
      what.expected.low = cut(registers.general[kRax], is.size);
      break;
    case Form::kCompareExchangePair: break;
  }
  what.operand.low = cut(operand, is.size);
  if (is.form == Form::kCompareExchangePair) {
    say_pair(registers, what);
  }
  what.word = reinterpret_cast<void*>(at);
  return what;
}

// The same operation on a register that holds what was in memory leaves the flags, and the other operand, as they are
// to be.
#define WEFT_BY_PROCESSOR(text, ...) \
  asm("push %[f]\n\tpopfq\n\t" text "\n\tpushfq\n\tpop %[f]" : [f] "+r"(flags), [m] "+r"(copy)__VA_ARGS__ : : "cc")
#define WEFT_WITH(text, ...)                                 \
  asm("push %[f]\n\tpopfq\n\t" text "\n\tpushfq\n\tpop %[f]" \
      : [f] "+r"(flags), [m] "+r"(copy)                      \
      : [s] "r"(source)                                      \
      : "c"                                                  \
        "c")

template <class T>
void finish_as(const Instruction& is, Registers& registers, std::uint64_t before) noexcept {
  T copy = static_cast<T>(before);
  T source = static_cast<T>(get(registers, is));
  std::uint64_t flags = registers.flags & kArithmetic;
  std::uint64_t& rax = registers.general[kRax];
  switch (is.form) {
    case Form::kAdd: WEFT_WITH("add %[s], %[m]"); break;
    case Form::kAdc: WEFT_WITH("adc %[s], %[m]"); break;
    case Form::kAnd: WEFT_WITH("and %[s], %[m]"); break;
    case Form::kOr: WEFT_WITH("or %[s], %[m]"); break;
    case Form::kSub: WEFT_WITH("sub %[s], %[m]"); break;
    case Form::kSbb: WEFT_WITH("sbb %[s], %[m]"); break;
    case Form::kXor: WEFT_WITH("xor %[s], %[m]"); break;
    case Form::kInc: WEFT_BY_PROCESSOR("inc %[m]"); break;
    case Form::kDec: WEFT_BY_PROCESSOR("dec %[m]"); break;
    case Form::kNeg: WEFT_BY_PROCESSOR("neg %[m]"); break;
    case Form::kExchangeAdd: WEFT_BY_PROCESSOR("xadd %[s], %[m]", , [s] "+r"(source)); break;
    case Form::kCompareExchange:
      // With all of rax, whose upper half an exchange of four bytes may clear.
      asm("push %[f]\n\tpopfq\n\tcmpxchg %[s], %[m]\n\tpushfq\n\tpop %[f]"
          : [f] "+r"(flags), [m] "+r"(copy), "+a"(rax)
          : [s] "r"(source)
          : "cc");
      break;
    case Form::kSetBit:
    case Form::kResetBit:
    case Form::kFlipBit: flags = (flags & ~kCarryFlag) | (before >> (source & (sizeof(T) * 8 - 1)) & 1); break;
    case Form::kNot:
    case Form::kExchange:
    case Form::kCompareExchangePair: break;
  }
  registers.flags = (registers.flags & ~kArithmetic) | (flags & kArithmetic);
  if (is.form == Form::kExchange || is.form == Form::kExchangeAdd) {
    put(registers.general[is.source], is.size, before, is.source_is_high);
  }
}

#undef WEFT_BY_PROCESSOR
#undef WEFT_WITH

void finish_pair(const Operation& what, Registers& registers) noexcept {
  if (what.before.low == what.expected.low && what.before.high == what.expected.high) {
    registers.flags |= kZeroFlag;
    return;
  }
  registers.flags &= ~kZeroFlag;
  const bool is_wide = what.size == 16;
  registers.general[kRax] = is_wide ? what.before.low : cut(what.before.low, 4);
  registers.general[kRdx] = is_wide ? what.before.high : what.before.low >> 32;
}

void finish(const Instruction& is, const Operation& what, Registers& registers) noexcept {
  if (is.form == Form::kCompareExchangePair) {
    finish_pair(what, registers);
    return;
  }
  switch (is.size) {
    case 1: finish_as<std::uint8_t>(is, registers, what.before.low); break;
    case 2: finish_as<std::uint16_t>(is, registers, what.before.low); break;
    case 4: finish_as<std::uint32_t>(is, registers, what.before.low); break;
    default: finish_as<std::uint64_t>(is, registers, what.before.low); break;
  }
}

}  // namespace

void set_places(const Place* places, std::uint64_t count, Carry* carry) noexcept {
  find_vectors();
  g_places = places;
  g_count = count;
  g_carry = carry;
}

const Place* place_at(std::uintptr_t at) noexcept {
  std::uint64_t lo = 0;
  for (std::uint64_t hi = g_count; lo < hi;) {
    const std::uint64_t middle = lo + (hi - lo) / 2;
    if (g_places[middle].at < at) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo < g_count && g_places[lo].at == at ? &g_places[lo] : nullptr;
}

bool carry_out(const Place& place, Registers& registers, bool keep_vectors) noexcept {
  const bool is_fence = place.is.kind == sites::Kind::kFence;
  Operation what = is_fence ? Operation{} : say(place, registers);
  if (!is_fence && !is_watched(reinterpret_cast<std::uintptr_t>(what.word), what.size)) {
    return false;
  }
  const int kept = errno;
  const bool done = keep_vectors ? carry_beside_vectors(what) : g_carry(what);
  errno = kept;
  if (done && !is_fence) {
    finish(place.is, what, registers);
  }
  return done;
}

bool watch(std::uintptr_t from, std::uintptr_t to) noexcept {
  if (g_n_ranges == kMostRanges) {
    return false;
  }
  g_ranges[g_n_ranges] = {from, to};
  // Release: who sees the number sees the range.
  __atomic_store_n(&g_n_ranges, g_n_ranges + 1, __ATOMIC_RELEASE);
  return true;
}

}  // namespace weft::omp::rewrite

void weft_omp_rewrite_handle(weft::omp::rewrite::Frame* frame) noexcept {
  using namespace weft::omp::rewrite;
  const Place& place = g_places[frame->number];
  frame->registers.general[4] = reinterpret_cast<std::uint64_t>(frame + 1) + kRedZone;
  frame->resume = carry_out(place, frame->registers, true) ? place.done : place.local;
}

// The registers in the order of their numbers, and the flags above them. What is called may use all of them; no flag is
// the program's once they are saved, and the stack is where functions expect it.
asm(R"(
  .text
  .globl weft_omp_rewrite_enter
  .hidden weft_omp_rewrite_enter
  .type weft_omp_rewrite_enter, @function
weft_omp_rewrite_enter:
  pushfq
  push %r15
  push %r14
  push %r13
  push %r12
  push %r11
  push %r10
  push %r9
  push %r8
  push %rdi
  push %rsi
  push %rbp
  push %rsp
  push %rbx
  push %rdx
  push %rcx
  push %rax
  cld
  mov %rsp, %rdi
  mov %rsp, %rbx
  and $-16, %rsp
  call weft_omp_rewrite_handle
  mov %rbx, %rsp
  pop %rax
  pop %rcx
  pop %rdx
  pop %rbx
  lea 8(%rsp), %rsp
  pop %rbp
  pop %rsi
  pop %rdi
  pop %r8
  pop %r9
  pop %r10
  pop %r11
  pop %r12
  pop %r13
  pop %r14
  pop %r15
  popfq
  ret
  .size weft_omp_rewrite_enter, . - weft_omp_rewrite_enter
)");
