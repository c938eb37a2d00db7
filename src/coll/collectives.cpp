#include "coll/collectives.hpp"

#include <cstring>

#include "coll/algorithms.hpp"
#include "coll/choose.hpp"
#include "coll/span/span.hpp"

namespace weft::coll {
namespace {

constexpr void (*kBroadcast[])(Group&, const Broadcast&) noexcept = {
#define WEFT_BROADCAST(name, text) broadcast_##name,
#include "api/algorithms.def"
};
constexpr void (*kCollect[])(Group&, const Collect&) noexcept = {
#define WEFT_COLLECT(name, text) collect_##name,
#include "api/algorithms.def"
};
constexpr void (*kAlltoall[])(Group&, const Alltoall&) noexcept = {
#define WEFT_ALLTOALL(name, text) alltoall_##name,
#include "api/algorithms.def"
};
constexpr void (*kReduce[])(Group&, const Reduce&) noexcept = {
#define WEFT_REDUCE(name, text) reduce_##name,
#include "api/algorithms.def"
};
constexpr void (*kScan[])(Group&, const Scan&) noexcept = {
#define WEFT_SCAN(name, text) scan_##name,
#include "api/algorithms.def"
};

template <class Algorithm>
std::size_t index(Algorithm algorithm) noexcept {
  return static_cast<std::size_t>(algorithm);
}

Collect collect_of(void* dest, const void* source, const Blocks& blocks) noexcept {
  return {static_cast<std::byte*>(dest), static_cast<const std::byte*>(source), blocks};
}

}  // namespace

// Calls with nothing to do return at once: all members make them alike, and the standard promises no meeting.

void broadcast(Group& group, const Broadcast& call) noexcept {
  group.tell(call.bytes, call.root);
  if (group.span() != nullptr && call.bytes > 0) [[unlikely]] {
    return span::broadcast(group, call);
  }
  broadcast_here(group, call);
}

void broadcast_here(Group& group, const Broadcast& call) noexcept {
  if (call.bytes > 0 && group.size() > 1) {
    kBroadcast[index(broadcast_algorithm(call.bytes, group.size()))](group, call);
  }
}

void fcollect(Group& group, void* dest, const void* source, std::size_t bytes) noexcept {
  group.tell(bytes);
  if (group.span() != nullptr && bytes > 0) [[unlikely]] {
    return span::fcollect(group, dest, source, bytes);
  }
  if (bytes > 0) {
    kCollect[index(fcollect_algorithm(bytes, group.size()))](group, collect_of(dest, source, Blocks(bytes)));
  }
}

void collect(Group& group, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept {
  if (group.span() != nullptr) [[unlikely]] {
    return span::collect(group, dest, source, bytes, fits);
  }
  // Relaxed: the exchange publishes it.
  group.to_show()[0].store(bytes, std::memory_order_relaxed);
  group.exchange();
  std::uint64_t ends[boot::kMaxPes];
  std::uint64_t end = 0;
  for (int member = 0; member < group.size(); ++member) {
    end += group.shown(member)[0].load(std::memory_order_relaxed);
    ends[member] = end;
  }
  if (end == 0) {
    return;
  }
  fits(dest, end);
  kCollect[index(collect_algorithm(group.size()))](group, collect_of(dest, source, Blocks(ends)));
}

void alltoall(Group& group, const Alltoall& call) noexcept {
  group.tell(call.count * call.element);
  if (group.span() != nullptr && call.count > 0) [[unlikely]] {
    return span::alltoall(group, call);
  }
  if (call.count > 0) {
    kAlltoall[index(alltoall_algorithm(call.count * call.element, group.size(), call.strided))](group, call);
  }
}

void reduce(Group& group, const Reduce& call) noexcept {
  group.tell(call.count * call.element);
  if (group.span() != nullptr && call.count > 0) [[unlikely]] {
    return span::reduce(group, call);
  }
  if (call.count > 0) {
    kReduce[index(reduce_algorithm(call.count * call.element, group.size()))](group, call);
  }
}

void scan(Group& group, const Scan& call) noexcept {
  group.tell(call.count * call.element);
  if (group.span() != nullptr && call.count > 0) [[unlikely]] {
    return span::scan(group, call);
  }
  if (call.count > 0) {
    kScan[index(scan_algorithm(call.count * call.element, group.size()))](group, call);
  }
}

}  // namespace weft::coll
