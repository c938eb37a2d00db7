// What a leaf tells of itself to people: which networks it found, and which one a job would use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::transport {

struct Offer {
  char name[64];
  char address[64];  // where it would listen; empty where that is not known
  char reason[480];  // why it is passed over; empty: it can do all
  bool chosen;       // the first of those that can
  bool amo_cpu_coherent;
  std::uint64_t inject_bytes;
  std::uint64_t most_bytes;  // of one operation
};

struct Offers {
  static constexpr int kMost = 32;
  char library[64];   // "libfabric 1.17"
  char problem[480];  // why none can be used; empty when one can
  int n;
  int left_out;  // beyond kMost
  Offer offers[kMost];
};

/// What a leaf's library exports under kOffersFunction. `provider`: as Setup::provider.
using OffersFunction = void (*)(const char* provider, Offers* offers);
inline constexpr const char* kOffersFunction = "weft_transport_offers";

/// The transport that this process has opened, for tools that measure it; null when it has opened none.
class Transport;
using InUseFunction = Transport* (*)();
inline constexpr const char* kInUseFunction = "weft_transport_in_use";

}  // namespace weft::transport
