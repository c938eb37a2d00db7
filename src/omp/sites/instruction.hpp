// One instruction of x86-64, as far as carrying out atomic ones elsewhere needs to know it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::omp::sites {

enum class Kind : std::uint8_t {
  kOther,
  kJump,      // to `target`, always or not
  kCall,      // to `target`, 0: not known; it comes back behind itself
  kIndirect,  // a jump to where a register or a table says
  kAtomic,    // on memory, as said below
  kFence,
  kUnclear,  // atomic on memory, but not as said below
};

enum class Form : std::uint8_t {
  kAdd,
  kAdc,
  kAnd,
  kOr,
  kSub,
  kSbb,
  kXor,
  kInc,
  kDec,
  kNeg,
  kNot,
  kExchange,
  kExchangeAdd,
  kCompareExchange,
  kCompareExchangePair,  // cmpxchg8b, cmpxchg16b
  kSetBit,
  kResetBit,
  kFlipBit,
};

/// A general register by its number in instructions: 0 rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp, 6 rsi, 7 rdi, r8...
inline constexpr std::int8_t kNoRegister = -1;
inline constexpr std::int8_t kRip = 16;

struct Instruction {
  std::uint64_t target = 0;
  std::int64_t displacement = 0;
  std::int64_t immediate = 0;
  Kind kind = Kind::kOther;
  Form form = Form::kAdd;
  std::uint8_t length = 0;
  std::uint8_t size = 0;             // of the operand in memory, in bytes
  bool names_rip = false;            // it means another thing at another place
  std::uint8_t displacement_at = 0;  // where in the instruction; 0: there is none
  std::int8_t base = kNoRegister;
  std::int8_t index = kNoRegister;
  std::uint8_t scale = 0;
  bool by_fs = false;                // the address counts from the thread's
  bool in_32_bits = false;           // the address
  std::int8_t source = kNoRegister;  // none: the immediate
  bool source_is_high = false;       // ah, ch, dh, bh: of the first four
};

/// False: that is no instruction.
using Decode = bool(const std::byte* code, std::size_t bytes, std::uint64_t at, Instruction& found) noexcept;

/// In a library of its own, for what needs Zydis.
inline constexpr const char* kLibrary = "libweft_decode.so";
inline constexpr const char* kFunction = "weft_decode";

}  // namespace weft::omp::sites
