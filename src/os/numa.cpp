#include "os/numa.hpp"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

#include "base/options.hpp"

namespace weft::os {
namespace {

// A line is "address policy key=value key ...": N<node> counts pages, whose size stands at the end, in older kernels
// nowhere.
void add_line(char* words, NodeUse* use) noexcept {
  struct Count {
    int node = 0;
    std::size_t pages = 0;
  };
  Count counts[NodeUse::kNodes];
  int n = 0;
  std::size_t page_kib = 4;
  char* rest = nullptr;
  for (char* word = ::strtok_r(words, " \n", &rest); word != nullptr; word = ::strtok_r(nullptr, " \n", &rest)) {
    Count count;
    if (std::sscanf(word, "N%d=%zu", &count.node, &count.pages) == 2) {
      if (n < NodeUse::kNodes && count.node >= 0 && count.node < NodeUse::kNodes) {
        counts[n++] = count;
      }
    } else {
      (void)std::sscanf(word, "kernelpagesize_kB=%zu", &page_kib);
    }
  }
  for (int k = 0; k < n; ++k) {
    use->bytes[counts[k].node] += counts[k].pages * (page_kib << 10);
  }
}

}  // namespace

NodeUse read_numa_maps(std::FILE* maps, std::uintptr_t lo, std::uintptr_t hi) noexcept {
  NodeUse use;
  char* line = nullptr;
  std::size_t room = 0;
  while (::getline(&line, &room, maps) > 0) {
    std::uintptr_t at = 0;
    int address = 0;
    // A program that locks or advises parts of the heap has several mappings there.
    if (std::sscanf(line, "%" SCNxPTR " %n", &at, &address) == 1 && at >= lo && at < hi) {
      add_line(line + address, &use);
    }
  }
  std::free(line);
  return use;
}

base::Result<NodeUse> node_use(std::uintptr_t lo, std::uintptr_t hi) noexcept {
  std::FILE* maps = std::fopen("/proc/self/numa_maps", "re");
  if (maps == nullptr) {
    return base::Error::make("this kernel does not tell on which NUMA nodes memory lies (no /proc/self/numa_maps)");
  }
  const NodeUse use = read_numa_maps(maps, lo, hi);
  (void)std::fclose(maps);
  return use;
}

const char* node_text(const NodeUse& use, char* text) noexcept {
  std::size_t all = 0;
  for (const std::size_t bytes : use.bytes) {
    all += bytes;
  }
  char amount[base::kByteTextSize];
  int used = std::snprintf(text, kNodeTextSize, "%s touched by this PE", base::byte_text(all, amount));
  for (int node = 0; node < NodeUse::kNodes && used < kNodeTextSize; ++node) {
    if (use.bytes[node] > 0) {
      used += std::snprintf(text + used, static_cast<std::size_t>(kNodeTextSize - used), ", %s on node %d",
                            base::byte_text(use.bytes[node], amount), node);
    }
  }
  return text;
}

}  // namespace weft::os
