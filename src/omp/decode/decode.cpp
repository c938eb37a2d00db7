#include "omp/decode/decode.hpp"

#include <Zydis/Zydis.h>

#include <type_traits>

namespace weft::omp::decode {
namespace {

using sites::Form;
using sites::Instruction;
using sites::Kind;
using sites::kNoRegister;
using sites::kRip;

// Of the operand in bits.
bool is_size(unsigned bits) noexcept { return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128; }

std::int8_t number_of(ZydisRegister name) noexcept {
  if (name == ZYDIS_REGISTER_NONE) {
    return kNoRegister;
  }
  if (name == ZYDIS_REGISTER_RIP || name == ZYDIS_REGISTER_EIP) {
    return kRip;
  }
  if (name >= ZYDIS_REGISTER_AH && name <= ZYDIS_REGISTER_BH) {
    return static_cast<std::int8_t>(name - ZYDIS_REGISTER_AH);
  }
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
             ? static_cast<std::int8_t>(whole - ZYDIS_REGISTER_RAX)
             : static_cast<std::int8_t>(kRip + 1);
}

bool find_form(ZydisMnemonic mnemonic, Form& form) noexcept {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_ADD: form = Form::kAdd; return true;
    case ZYDIS_MNEMONIC_ADC: form = Form::kAdc; return true;
    case ZYDIS_MNEMONIC_AND: form = Form::kAnd; return true;
    case ZYDIS_MNEMONIC_OR: form = Form::kOr; return true;
    case ZYDIS_MNEMONIC_SUB: form = Form::kSub; return true;
    case ZYDIS_MNEMONIC_SBB: form = Form::kSbb; return true;
    case ZYDIS_MNEMONIC_XOR: form = Form::kXor; return true;
    case ZYDIS_MNEMONIC_INC: form = Form::kInc; return true;
    case ZYDIS_MNEMONIC_DEC: form = Form::kDec; return true;
    case ZYDIS_MNEMONIC_NEG: form = Form::kNeg; return true;
    case ZYDIS_MNEMONIC_NOT: form = Form::kNot; return true;
    case ZYDIS_MNEMONIC_XCHG: form = Form::kExchange; return true;
    case ZYDIS_MNEMONIC_XADD: form = Form::kExchangeAdd; return true;
    case ZYDIS_MNEMONIC_CMPXCHG: form = Form::kCompareExchange; return true;
    case ZYDIS_MNEMONIC_CMPXCHG8B:
    case ZYDIS_MNEMONIC_CMPXCHG16B: form = Form::kCompareExchangePair; return true;
    case ZYDIS_MNEMONIC_BTS: form = Form::kSetBit; return true;
    case ZYDIS_MNEMONIC_BTR: form = Form::kResetBit; return true;
    case ZYDIS_MNEMONIC_BTC: form = Form::kFlipBit; return true;
    default: return false;
  }
}

// What the operands are, of an instruction that is atomic. False: another kind of them.
bool take_operands(const ZydisDecodedInstruction& is, const ZydisDecodedOperand* operands,
                   Instruction& found) noexcept {
  const ZydisDecodedOperand* memory = nullptr;
  const ZydisDecodedOperand* source = nullptr;
  for (int k = 0; k < is.operand_count_visible; ++k) {
    (operands[k].type == ZYDIS_OPERAND_TYPE_MEMORY ? memory : source) = &operands[k];
  }
  if (memory == nullptr || !is_size(memory->size) || !find_form(is.mnemonic, found.form)) {
    return false;
  }
  const auto& at = memory->mem;
  found.size = static_cast<std::uint8_t>(memory->size / 8);
  found.base = number_of(at.base);
  found.index = number_of(at.index);
  found.scale = at.index != ZYDIS_REGISTER_NONE ? at.scale : std::uint8_t{0};
  found.displacement = at.disp.has_displacement != 0 ? at.disp.value : 0;
  found.displacement_at = is.raw.disp.size != 0 ? is.raw.disp.offset : std::uint8_t{0};
  found.in_32_bits = is.address_width == 32;
  found.by_fs = at.segment == ZYDIS_REGISTER_FS;
  if (at.segment == ZYDIS_REGISTER_GS || found.base > kRip || found.index > 15 || is.address_width < 32) {
    return false;
  }
  if (source == nullptr) {
    return true;
  }
  if (source->type == ZYDIS_OPERAND_TYPE_REGISTER) {
    found.source = number_of(source->reg.value);
    found.source_is_high = source->reg.value >= ZYDIS_REGISTER_AH && source->reg.value <= ZYDIS_REGISTER_BH;
    // Nobody exchanges the stack pointer.
    return found.source >= 0 && found.source <= 15 && found.source != 4;
  }
  found.immediate = source->imm.value.s;
  return source->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

bool has_memory(const ZydisDecodedInstruction& is) noexcept {
  return (is.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && is.raw.modrm.mod != 3;
}

}  // namespace

bool decode(const std::byte* code, std::size_t bytes, std::uint64_t at, Instruction& found) noexcept {
  ZydisDecoder decoder;
  ZydisDecoderContext context;
  ZydisDecodedInstruction is;
  found = {};
  if (ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
      ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, &context, code, bytes, &is))) {
    return false;
  }
  found.length = is.length;
  found.names_rip = (is.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0;
  const bool is_locked = (is.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0;
  if (is_locked || (is.mnemonic == ZYDIS_MNEMONIC_XCHG && has_memory(is))) {
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    found.kind = ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, &context, &is, operands, ZYDIS_MAX_OPERAND_COUNT)) &&
                         take_operands(is, operands, found)
                     ? Kind::kAtomic
                     : Kind::kUnclear;
    // What counts from the stack pointer and changes nothing is how compilers write a fence.
    if (found.kind == Kind::kAtomic && found.form == Form::kOr && found.base == 4 && found.source == kNoRegister &&
        found.immediate == 0) {
      found.kind = Kind::kFence;
    }
    return true;
  }
  if (is.mnemonic == ZYDIS_MNEMONIC_MFENCE) {
    found.kind = Kind::kFence;
    return true;
  }
  const bool is_call = is.meta.category == ZYDIS_CATEGORY_CALL;
  const bool is_jump = is.meta.category == ZYDIS_CATEGORY_COND_BR || is.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
                       is.mnemonic == ZYDIS_MNEMONIC_XBEGIN;
  if (!is_call && !is_jump) {
    return true;
  }
  if (is.raw.imm[0].is_relative != 0) {
    found.kind = is_call ? Kind::kCall : Kind::kJump;
    found.target = at + is.length + static_cast<std::uint64_t>(is.raw.imm[0].value.s);
  } else if (is_call) {
    found.kind = Kind::kCall;
  } else if (!found.names_rip) {
    // By a cell that the instruction names it goes to one place, another function: tables are read with an index.
    found.kind = Kind::kIndirect;
  }
  return true;
}

}  // namespace weft::omp::decode

extern "C" [[gnu::visibility("default")]] bool weft_decode(const std::byte* code, std::size_t bytes, std::uint64_t at,
                                                           weft::omp::sites::Instruction& found) noexcept {
  return weft::omp::decode::decode(code, bytes, at, found);
}
