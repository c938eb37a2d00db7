#include "mpi/names.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#include "mpi/communicators.hpp"

namespace weft::mpi {
namespace {

struct Names {
  std::mutex mutex;
  std::map<std::uint32_t, std::string> of;  // those that have one
};

// Never destroyed: who waits while the process exits asks.
Names& names() noexcept {
  static Names& all = *new Names;
  return all;
}

}  // namespace

void note_name(const Comm& comm) noexcept {
  const std::scoped_lock lock(names().mutex);
  if (comm.name.empty()) {
    names().of.erase(comm.context);
  } else {
    names().of[comm.context] = comm.name;
  }
}

void forget_name(const Comm& comm) noexcept {
  if (!comm.name.empty()) {
    const std::scoped_lock lock(names().mutex);
    names().of.erase(comm.context);
  }
}

void write_label(std::uint32_t context, char* into, std::size_t room) noexcept {
  const std::uint32_t own = context & ~Comm::kInternal;
  const std::scoped_lock lock(names().mutex);
  const auto found = names().of.find(own);
  if (found != names().of.end()) {
    (void)std::snprintf(into, room, "%s", found->second.c_str());
  } else {
    // The same number on all members.
    (void)std::snprintf(into, room, "communicator #%u", own);
  }
}

}  // namespace weft::mpi
