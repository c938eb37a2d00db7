// Why a way is not taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reach/way.hpp"

namespace weft::reach {

enum class Why : std::uint8_t {
  kNothing,  // it is taken
  kNotTried,
  kNotAsked,       // WEFT_SINGLE_COPY names another
  kNoDevice,       // its kernel module is not loaded
  kDeviceRefused,  // and may not be opened
  kNoLibrary,
  kOtherVersion,
  kNotOffered,  // by the peer
  kNotShown,    // the memory was not given to this way
  kBadCard,
  kOtherProcess,  // than the card tells of, by now
  kGone,
  kOtherUser,
  kUserSpace,
  kPidSpace,
  kPtraceScope,
  kNotDumpable,
  kSeccomp,
  kRefused,  // the kernel does not say why
  kFailed,
};

struct Reason {
  Why why = Why::kNothing;
  int detail = 0;  // errno, or ptrace_scope

  explicit operator bool() const noexcept { return why != Why::kNothing; }
};

/// "the module xpmem is not loaded (no /dev/xpmem)". Returns `text`.
inline constexpr std::size_t kReasonText = 200;
const char* reason_text(Way way, const Reason& reason, char (&text)[kReasonText]) noexcept;

}  // namespace weft::reach
