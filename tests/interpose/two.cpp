#include "two.hpp"

#include <cstdio>

#include "interpose/real.hpp"

namespace weft::hooks {

void before(const interpose::ToyInvocation& call) noexcept {
  const bool sends = call.op == api::toy::Op::send;
  std::printf("PE %d: %s of %zu bytes with PE %d by %s\n", WEFT_REAL(my_pe)(), sends ? "sending" : "receiving",
              call.bytes, call.pe, api::toy::call_name(call.call));
}

}  // namespace weft::hooks
