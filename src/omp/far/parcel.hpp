// What goes with a message by the network: what a region's function is given, then what is owed to that process
// (dsm/owed.hpp).
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "dsm/owed.hpp"
#include "omp/far/message.hpp"
#include "transport/transport.hpp"

namespace weft::omp::far {

constexpr bool wants_answer(What what) noexcept {
  return what != What::kRun && what != What::kDone && what != What::kPost && what != What::kUnlock &&
         what != What::kIsOver && what != What::kArrive;
}

/// Messages behind which no thread of a team does anything that another process could see, in the process that they are
/// for, until they have come: threads that have come to a barrier go on when all messages to their process are there, a
/// process does nothing before kRun, and process 0 ends the region when it has each kDone.
constexpr bool takes_along(What what) noexcept {
  return what == What::kRun || what == What::kDone || what == What::kArrive;
}

/// How many bytes a message says that it brings for a region's function: only process 0 has others run one.
constexpr bool may_be_given(int process, const Message& message) noexcept {
  return message.given <= (process == 0 && message.what == What::kRun ? kMostGiven : 0);
}

/// It fits into one letter of libfabric (transport/ofi/letters.hpp).
inline constexpr std::size_t kMostParcel = kMostGiven + dsm::kMostOwed * sizeof(dsm::Owed);
static_assert(kMostParcel <= 4000);

/// Of a message that is sent for certain: what it takes along is owed no more.
class Parcel {
 public:
  Parcel(int process, const Message& message, const void* given) noexcept : message_(message), bytes_(message.given) {
    if (given != nullptr) {
      std::memcpy(data_, given, bytes_);
    }
    if (takes_along(message.what)) {
      dsm::Owed owed[dsm::kMostOwed];
      const std::size_t bytes = dsm::take_owed(process, owed) * sizeof(dsm::Owed);
      std::memcpy(data_ + bytes_, owed, bytes);
      bytes_ += bytes;
    }
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;
  transport::Message of_kind(transport::Kind kind) const noexcept {
    return {kind, &message_, sizeof message_, bytes_ > 0 ? data_ : nullptr, bytes_};
  }

 private:
  Message message_;
  std::size_t bytes_;
  std::byte data_[kMostParcel];
};

/// What has come with a message that is no answer: null, or what is wrong with it.
struct Opened {
  const char* wrong = nullptr;
  std::size_t many = 0;
  dsm::Owed owed[dsm::kMostOwed];
};
inline Opened open_parcel(int process, const Message& message, std::span<const std::byte> data) noexcept {
  Opened opened;
  if (!may_be_given(process, message)) {
    opened.wrong = "more than a function is given";
    return opened;
  }
  if (message.given > data.size() || (data.size() - message.given) % sizeof(dsm::Owed) != 0) {
    opened.wrong = "a message of the wrong length";
    return opened;
  }
  const std::span<const std::byte> owed = data.subspan(message.given);
  if (owed.size() > (takes_along(message.what) ? sizeof opened.owed : 0)) {
    opened.wrong = "more with a message than there can be";
    return opened;
  }
  opened.many = owed.size() / sizeof(dsm::Owed);
  if (!owed.empty()) {
    std::memcpy(opened.owed, owed.data(), owed.size());
  }
  return opened;
}

}  // namespace weft::omp::far
