// What a process manager answers to a PE: lines of PMI-1.
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "fuzz.hpp"
#include "pmi/pmi1.hpp"

namespace {

using weft::fuzz::must;

// As pmi/session.cpp does it: what every PE puts, all get.
weft::base::Result<void> talk(weft::pmi::Pmi1& manager, int fd) {
  if (const auto opened = manager.open(fd, 1, 3); !opened) return opened;
  std::array<std::byte, 96> value{};
  if (const auto put = manager.put("card", value); !put) return put;
  if (const auto met = manager.fence(); !met) return met;
  for (const int pe : {0, 2}) {
    if (const auto got = manager.get(pe, "card", value); !got) return got;
  }
  manager.finalize();
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 32768;  // what the socket takes without anybody reading
  if (size > kMost) return 0;
  int ends[2] = {};
  must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there are sockets");
  must(::write(ends[1], data, size) == static_cast<ssize_t>(size), "the answers are written");
  must(::shutdown(ends[1], SHUT_WR) == 0, "and end");
  weft::pmi::Pmi1 manager;
  if (const auto talked = talk(manager, ends[0]); !talked) weft::fuzz::must_be_a_line(talked.error().text());
  (void)::close(ends[0]);
  (void)::close(ends[1]);
  return 0;
}
