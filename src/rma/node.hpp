// This PE on its node: what every operation needs to know.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/calls.hpp"
#include "boot/job.hpp"
#include "heap/window.hpp"
#include "rma/shared_area.hpp"
#include "sync/waiter.hpp"

namespace weft::rma {

struct Node {
  boot::JobHeader* job = nullptr;
  boot::PeRecord* record = nullptr;  // never null: before a job is known it is a private one
  int me = 0;
  int n_pes = 1;
  bool ready = false;    // between the first init and the last finalize
  bool crowded = false;  // more PEs than processors
  sync::Patience patience{};
  heap::Window window{};

  sync::Doorbell& value_bell(int pe) const noexcept { return shared_pe(job, pe).value_bell; }
  sync::WaitNote note(boot::Waiting why) const noexcept {
    return {&record->waiting, &record->waiting_since, static_cast<std::uint32_t>(why)};
  }
};

Node& node() noexcept;

/// The routine of the API this thread is in, for messages; the launcher reads the PE's last one from its record.
void enter(api::Call call) noexcept;
const char* current_call() noexcept;

/// The library is initialised, or the program ends with a line that says so.
void need_ready() noexcept;

/// pe exists, or the program ends.
void need_pe(int pe) noexcept;

/// Address of pe's copy of [address, address + bytes), which is symmetric; else the program ends with a line that
/// names the argument. bytes > 0.
void* peer(const void* address, std::size_t bytes, int pe, const char* argument) noexcept;

/// A symmetric object of this PE.
void need_symmetric(const void* address, std::size_t bytes, const char* argument) noexcept;

/// A private or symmetric buffer that must not be null. bytes > 0.
void need_buffer(const void* address, std::size_t bytes, const char* argument) noexcept;

/// count * size, or the program ends: no object is that large.
std::size_t bytes_of(std::size_t count, std::size_t size) noexcept;

/// Wakes every PE that sleeps in a wait for a value. The caller has made its stores visible with a full fence.
void wake_sleepers() noexcept;

}  // namespace weft::rma
