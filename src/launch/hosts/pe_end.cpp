#include "launch/hosts/pe_end.hpp"

#include <sys/wait.h>

namespace weft::launch::hosts {

PeEnd end_of(int pe, int status, const std::optional<std::uint64_t>& kills_before) {
  const std::optional<std::uint64_t> kills = rules::out_of_memory_kills();
  PeEnd end{pe, status, rules::OutOfMemory::kUnknown, WIFSIGNALED(status) ? rules::read_limits() : rules::Limits{}};
  if (kills && kills_before) {
    end.memory = *kills != *kills_before ? rules::OutOfMemory::kYes : rules::OutOfMemory::kNo;
  }
  return end;
}

std::string pack(const PeEnd& end) {
  return Packer()
      .put(end.pe)
      .put(end.status)
      .put(end.memory)
      .put(end.limits.core_bytes)
      .put(end.limits.cpu_seconds)
      .put(end.limits.file_bytes)
      .text(end.limits.core_pattern)
      .bytes();
}

bool unpack(Unpacker from, PeEnd& end) {
  end.pe = from.get<int>();
  end.status = from.get<int>();
  end.memory = from.get<rules::OutOfMemory>();
  end.limits.core_bytes = from.get<std::uint64_t>();
  end.limits.cpu_seconds = from.get<std::uint64_t>();
  end.limits.file_bytes = from.get<std::uint64_t>();
  end.limits.core_pattern = from.text();
  return from.fine();
}

}  // namespace weft::launch::hosts
