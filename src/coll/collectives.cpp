#include "coll/collectives.hpp"

#include <cstring>

#include "coll/across/span.hpp"
#include "coll/algorithms.hpp"
#include "coll/choose.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {
namespace {

constexpr void (*kBroadcast[])(Party&, const Broadcast&) noexcept = {
#define WEFT_BROADCAST(name, text) broadcast_##name,
#include "api/algorithms.def"
};
constexpr void (*kCollect[])(Party&, const Collect&) noexcept = {
#define WEFT_COLLECT(name, text) collect_##name,
#include "api/algorithms.def"
};
constexpr void (*kAlltoall[])(Party&, const Alltoall&) noexcept = {
#define WEFT_ALLTOALL(name, text) alltoall_##name,
#include "api/algorithms.def"
};
constexpr void (*kReduce[])(Party&, const Reduce&) noexcept = {
#define WEFT_REDUCE(name, text) reduce_##name,
#include "api/algorithms.def"
};
constexpr void (*kScan[])(Party&, const Scan&) noexcept = {
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

bool broadcast(Party& party, const Broadcast& call) noexcept {
  party.tell(call.bytes, call.root);
  if (!party.begin()) [[unlikely]] {
    return false;
  }
  if (party.span() != nullptr && call.bytes > 0) [[unlikely]] {
    across::broadcast(party, call);
    return true;
  }
  broadcast_here(party, call);
  return true;
}

void broadcast_here(Party& party, const Broadcast& call) noexcept {
  if (call.bytes > 0 && party.size() > 1) {
    kBroadcast[index(broadcast_algorithm(call.bytes, party.size()))](party, call);
  }
}

bool fcollect(Party& party, void* dest, const void* source, std::size_t bytes) noexcept {
  party.tell(bytes);
  if (!party.begin()) [[unlikely]] {
    return false;
  }
  if (party.span() != nullptr && bytes > 0) [[unlikely]] {
    across::fcollect(party, dest, source, bytes);
    return true;
  }
  if (bytes > 0) {
    kCollect[index(fcollect_algorithm(bytes, party.size()))](party, collect_of(dest, source, Blocks(bytes)));
  }
  return true;
}

bool collect(Party& party, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept {
  if (party.span() != nullptr) [[unlikely]] {
    return across::collect(party, dest, source, bytes, fits);
  }
  if (!party.begin()) [[unlikely]] {
    return false;
  }
  // Relaxed: the exchange publishes it.
  party.to_show()[0].store(bytes, std::memory_order_relaxed);
  party.exchange();
  std::uint64_t ends[boot::kMaxPes];
  std::uint64_t end = 0;
  for (int member = 0; member < party.size(); ++member) {
    end += party.shown(member)[0].load(std::memory_order_relaxed);
    ends[member] = end;
  }
  if (end == 0) {
    return true;
  }
  fits(dest, end);
  kCollect[index(collect_algorithm(party.size()))](party, collect_of(dest, source, Blocks(ends)));
  return true;
}

bool alltoall(Party& party, const Alltoall& call) noexcept {
  party.tell(call.count * call.element);
  if (party.span() != nullptr && call.count > 0) [[unlikely]] {
    return across::alltoall(party, call);
  }
  if (!party.begin()) [[unlikely]] {
    return false;
  }
  if (call.count > 0) {
    kAlltoall[index(alltoall_algorithm(call.count * call.element, party.size(), call.strided))](party, call);
  }
  return true;
}

bool reduce(Party& party, const Reduce& call) noexcept {
  party.tell(call.count * call.element);
  if (party.span() != nullptr && call.count > 0) [[unlikely]] {
    return across::reduce(party, call);
  }
  if (!party.begin(Piece::need(call.element))) [[unlikely]] {
    return false;
  }
  if (call.count > 0) {
    kReduce[index(reduce_algorithm(call.count * call.element, party.size()))](party, call);
  }
  return true;
}

bool scan(Party& party, const Scan& call) noexcept {
  party.tell(call.count * call.element);
  if (party.span() != nullptr && call.count > 0) [[unlikely]] {
    return across::scan(party, call);
  }
  if (!party.begin(2 * Piece::need(call.element))) [[unlikely]] {
    return false;
  }
  if (call.count > 0) {
    kScan[index(scan_algorithm(call.count * call.element, party.size()))](party, call);
  }
  return true;
}

}  // namespace weft::coll
