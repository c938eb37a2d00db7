#include "reach/reason.hpp"

#include <cstdio>
#include <cstring>

namespace weft::reach {
namespace {

// Those that need no number. Null: the others.
const char* fixed_text(Why why) noexcept {
  switch (why) {
    case Why::kNothing: return "nothing is in its way";
    case Why::kNotTried: return "it has not been tried yet";
    case Why::kNotAsked: return "WEFT_SINGLE_COPY leaves it out";
    case Why::kNotOffered: return "the other process does not offer it";
    case Why::kNotShown: return "this memory was not given to it";
    case Why::kBadCard: return "what the other process says of itself makes no sense";
    case Why::kOtherProcess: return "its process number is another process's";
    case Why::kGone: return "the other process has ended";
    case Why::kOtherUser: return "the other process is another user's";
    case Why::kUserSpace: return "the two are in different user namespaces (containers)";
    case Why::kPidSpace: return "the two do not see each other's process numbers (containers)";
    case Why::kNotDumpable: return "the other process forbids it (PR_SET_DUMPABLE, or a program of other rights)";
    case Why::kSeccomp: return "a filter of system calls (seccomp) refuses it; a container's, mostly";
    default: return nullptr;
  }
}

}  // namespace

const char* name_of(Way way) noexcept {
  switch (way) {
    case Way::kXpmem: return "xpmem";
    case Way::kCma: return "cma";
    case Way::kKnem: return "knem";
  }
  return "";
}

const char* name_of(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kDone: return "done";
    case Outcome::kForbidden: return "no way is permitted";
    case Outcome::kUnmapped: return "the other process has no such memory";
    case Outcome::kOwnMissing: return "the memory given is not there";
    case Outcome::kGone: return "the other process has ended";
    case Outcome::kFailed: return "failed";
  }
  return "";
}

const char* reason_text(Way way, const Reason& reason, char (&text)[kReasonText]) noexcept {
  const char* name = name_of(way);
  if (const char* fixed = fixed_text(reason.why); fixed != nullptr) {
    (void)std::snprintf(text, sizeof text, "%s", fixed);
    return text;
  }
  switch (reason.why) {
    case Why::kNoDevice:
      (void)std::snprintf(text, sizeof text, "the kernel's module %s is not loaded (no /dev/%s)", name, name);
      break;
    case Why::kDeviceRefused:
      (void)std::snprintf(text, sizeof text, "/dev/%s cannot be used: %s", name, std::strerror(reason.detail));
      break;
    case Why::kNoLibrary:
      (void)std::snprintf(text, sizeof text, "lib%s.so.0 cannot be loaded, or lacks a function", name);
      break;
    case Why::kOtherVersion:
      (void)std::snprintf(text, sizeof text, "the kernel's module %s speaks version %d, which Weft does not", name,
                          reason.detail);
      break;
    case Why::kPtraceScope:
      (void)std::snprintf(text, sizeof text, "kernel.yama.ptrace_scope is %d, which forbids it", reason.detail);
      break;
    case Why::kRefused:
      (void)std::snprintf(text, sizeof text, "the kernel refuses it (%s)", std::strerror(reason.detail));
      break;
    default: (void)std::snprintf(text, sizeof text, "it failed: %s", std::strerror(reason.detail)); break;
  }
  return text;
}

}  // namespace weft::reach
