// Reports of mistakes: one line that names PE, call, place, argument and value, and lines of context below it.
#pragma once

#include <string>
#include <vector>

#include "interpose/invocation.hpp"

namespace weft::check {

/// snprintf into a string.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

/// A call somewhere in the program, made earlier or elsewhere: what a report names beside the call it is about.
struct Made {
  api::Call call{};
  const void* site = nullptr;
};
/// Of the call this thread is in.
Made made_here() noexcept;

/// "shmem_malloc in main at ring.c:12".
std::string told(const Made& made);

/// "in main at ring.c:12", of a return address.
std::string place(const void* site);

/// A mistake in the call this thread is in. The job ends with it, unless SHMEM_DEBUG has the word continue. Where
/// several PEs find something at the same time, one of them tells.
void report(const std::string& what, const std::vector<std::string>& context = {});

/// In a signal handler: a mistake of what the program did when the signal came, outside of any call.
void report_fault(const std::string& what, const std::string& detail, const std::vector<std::string>& context);

/// Worth knowing, and no reason to end.
void note(const std::string& what);
/// The same of the call this thread is in, once for each place that it is made from.
void note_here(const std::string& what);

/// Places are looked up with debug information, many at once being much cheaper than one by one. For lists.
void look_up(const std::vector<const void*>& sites);

}  // namespace weft::check
