// Recordings of windows made up by tests, of a job of two PEs, with the header of the calls beside them. A tick is a
// nanosecond.
#pragma once

#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "profile/routines.hpp"
#include "profile/window_record.hpp"
#include "report/load.hpp"

namespace weft::report {

class RecordedWindows {
 public:
  explicit RecordedWindows(int pe) : header_(std::make_unique<profile::Header>()) {
    header_->pe = pe;
    header_->n_pes = kPes;
    header_->hashes[profile::kMpi] = profile::hash_of_mpi();
    header_->interface = profile::kMpi;
    header_->latest = {1000, 1000};
  }

  profile::WindowPart& add(std::uint64_t members, std::uint32_t ordinal, const char* name) {
    auto* part = new (&pages_[parts_++]) profile::WindowPart{};
    part->magic = profile::WindowPart::kMagic;
    part->layout = profile::WindowPart::kLayout;
    part->n_members = kPes;
    part->pe = header_->pe;
    part->n_pes = kPes;
    part->members = members;
    part->ordinal = ordinal;
    part->call = static_cast<std::uint32_t>(api::mpi::Call::MPI_Win_create);
    part->module = profile::kNoModule;
    part->bytes = 100;
    (void)std::snprintf(part->name, sizeof part->name, "%s", name);
    for (int rank = 0; rank < kPes; ++rank) profile::peers_of(part)[rank].pe = rank;
    return *part;
  }
  profile::WindowPart& part(std::size_t number) { return *reinterpret_cast<profile::WindowPart*>(&pages_[number]); }
  profile::WindowPeer& peer(std::size_t number, int rank) { return profile::peers_of(&part(number))[rank]; }
  const profile::Header& header() const { return *header_; }
  std::size_t size() const { return parts_ * sizeof(Page); }
  Bytes bytes() const {
    return {reinterpret_cast<const std::byte*>(pages_.get()), size(),
            "windows." + std::to_string(header_->pe) + ".weft"};
  }
  std::byte* at() { return reinterpret_cast<std::byte*>(pages_.get()); }

 private:
  static constexpr int kPes = 2;
  static constexpr int kMost = 4;
  static_assert(profile::window_bytes(kPes) == profile::kWindowAlignment);
  struct alignas(64) Page {
    std::byte bytes[profile::kWindowAlignment];
  };
  std::unique_ptr<profile::Header> header_;
  std::unique_ptr<Page[]> pages_ = std::make_unique<Page[]>(kMost);
  std::size_t parts_ = 0;
};

/// Both as they are read from files.
inline Raw raw_of(const RecordedWindows& zero, const RecordedWindows& one) {
  Raw raw;
  raw.pes.resize(2);
  raw.pes[0].header = &zero.header();
  raw.pes[1].header = &one.header();
  if (!read_windows_of_job({zero.bytes(), one.bytes()}, &raw)) raw.windows.clear();
  return raw;
}

}  // namespace weft::report
