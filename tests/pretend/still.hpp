// A network on which nothing ever happens, for tests in which one has to be there. What a test is about it has itself.
#pragma once

#include "transport/transport.hpp"

namespace weft::pretend {

class Still : public transport::Transport {
 public:
  const char* name() const noexcept override { return "still"; }
  bool amo_cpu_coherent() const noexcept override { return false; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return 0; }
  base::Result<void> copy_up_to(std::size_t /*bytes*/) noexcept override { return {}; }
  base::Result<void> open(boot::PeerCard* /*own*/) noexcept override { return {}; }
  void close() noexcept override {}
  base::Result<transport::RegionKey> lend(const transport::Memory& /*memory*/) noexcept override {
    return transport::RegionKey{};
  }
  void take_back(const transport::RegionKey& /*key*/) noexcept override {}
  void put(const transport::Remote& /*to*/, const void* /*from*/, std::size_t /*bytes*/, transport::Source /*source*/,
           transport::Pending& /*pending*/) noexcept override {}
  void get(void* /*to*/, const transport::Remote& /*from*/, std::size_t /*bytes*/,
           transport::Pending& /*pending*/) noexcept override {}
  void atomic(const transport::Remote& /*at*/, const transport::Atomic& /*what*/, void* /*fetched*/,
              transport::Pending& /*pending*/) noexcept override {}
  void put_then(const transport::Remote& /*to*/, const void* /*from*/, std::size_t /*bytes*/, bool /*reusable*/,
                const transport::Remote& /*signal*/, const transport::Atomic& /*what*/,
                transport::Pending& /*pending*/) noexcept override {}
  bool keeps_order() const noexcept override { return false; }
  transport::Told tell(int /*pe*/, const transport::Message& /*what*/,
                       transport::Pending& /*pending*/) noexcept override {
    return transport::Told::kAgain;
  }
  void progress() noexcept override {}
  bool sleep(int /*timeout_ms*/) noexcept override { return false; }
};

}  // namespace weft::pretend
