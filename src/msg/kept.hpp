// A message that has come and that nobody has received yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "msg/envelope.hpp"
#include "msg/listener.hpp"

namespace weft::msg {

struct Request;

struct Kept {
  // Beside which ones it stands: of its source, and of its context.
  Kept* next = nullptr;
  Kept* previous = nullptr;
  Kept* next_any = nullptr;
  Kept* previous_any = nullptr;
  Envelope envelope;
  int pe = -1;
  /// Its data is still coming by the network, and whom it is for meanwhile.
  bool is_coming = false;
  Request* receiver = nullptr;
  /// Its sender has withdrawn it meanwhile.
  bool is_withdrawn = false;
  /// How it has come, and whether who listens has been told so: not of what may yet be withdrawn.
  Way way = Way::kBox;
  bool is_told = true;

  /// As many as the envelope says, of kData; behind it in memory.
  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

}  // namespace weft::msg
