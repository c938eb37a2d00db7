// What tests want to see of the core that a front end has no use for.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "job/node.hpp"
#include "rma/target.hpp"
#include "toy.hpp"
#include "transport/transport.hpp"

namespace toy {

namespace job = weft::job;
namespace transport = weft::transport;

void put_own(int pe, std::uint64_t offset, const void* from, std::size_t bytes) {
  const job::Node& node = job::node();
  if (on_this_node(pe)) {
    std::memcpy(at(pe, offset), from, bytes);
    return;
  }
  transport::Pending pending;
  node.network->put(node.own_remote(pe, offset), from, bytes, transport::Source::kStays, pending);
  weft::rma::complete(pending);
}

bool symmetric_memory() { return job::node().space.mapped(); }

bool yields_to_others() { return job::node().network == nullptr || job::node().patience.spins <= 8; }

bool in_a_file_of_the_job(const void* address) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  char line[512];
  bool found = false;
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t lo = 0;
    std::uintptr_t hi = 0;
    const auto where = reinterpret_cast<std::uintptr_t>(address);
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &lo, &hi) == 2 && where >= lo && where < hi) {
      found = std::strstr(line, "memfd:weft") != nullptr;
    }
  }
  if (maps != nullptr) {
    (void)std::fclose(maps);
  }
  return found;
}

}  // namespace toy
