#include "transport/tcp/check.hpp"

namespace weft::transport::tcp {
namespace {

bool is_aligned(const std::byte* at, Type type) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % bytes_of(type) == 0;
}

}  // namespace

const char* wrong_with(const Request& request, const Regions& regions) noexcept {
  if (static_cast<int>(request.ask) >= kAskKinds || static_cast<int>(request.type) >= kTypes ||
      static_cast<int>(request.op) >= kOps) {
    return "asks for an operation that there is not";
  }
  if (request.ask == Ask::kBye || request.ask == Ask::kMove || request.ask == Ask::kTaken) {
    return nullptr;
  }
  if (request.ask == Ask::kTell || request.ask == Ask::kToldBack) {
    const std::uint64_t most = request.ask == Ask::kTell ? kMostData : kMostAnswer;
    return request.kind >= kKinds || request.head_bytes > kMostHead || request.bytes > most ? "tells what is no message"
                                                                                            : nullptr;
  }
  const bool is_atomic = request.ask == Ask::kAtomic || request.ask == Ask::kFetch;
  const std::uint64_t bytes = is_atomic ? bytes_of(request.type) : request.bytes;
  const std::byte* at = regions.place(request.key, request.offset, bytes);
  if (at == nullptr || bytes == 0) {
    return "asks for memory of this PE that is not lent to it";
  }
  if (is_atomic && !is_aligned(at, request.type)) {
    return "asks for an atomic operation at an address that is no multiple of the size of its type";
  }
  if (request.ask != Ask::kPutThen) {
    return nullptr;
  }
  const std::byte* signal = regions.place(request.signal_key, request.signal_offset, bytes_of(request.type));
  if (signal == nullptr) {
    return "asks for a signal in memory of this PE that is not lent to it";
  }
  return is_aligned(signal, request.type) ? nullptr : "asks for a signal at an address that is no multiple of its size";
}

}  // namespace weft::transport::tcp
