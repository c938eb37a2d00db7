// Recordings of profiles. A whole one is large and mostly empty, so the bytes are what is different from a sound one:
// how much of its end is missing, and then places in it with the eight bytes that are there instead.
#include <memory>
#include <vector>

#include "fuzz.hpp"
#include "profile/routines.hpp"
#include "report/hints.hpp"
#include "report/json.hpp"
#include "report/load.hpp"
#include "report/merge.hpp"
#include "report/summary.hpp"

using namespace weft;
using fuzz::must;

namespace {

constexpr int kPes = 2;
constexpr std::uint32_t kTraced = 2;
constexpr std::uint64_t kPartBytes = profile::part_bytes(kPes, kTraced);

struct alignas(64) Recording {
  std::byte bytes[profile::kHeaderBytes + kPartBytes];
};

std::unique_ptr<Recording> sound() {
  auto made = std::make_unique<Recording>();
  auto* header = new (made->bytes) profile::Header{};
  header->magic = profile::kMagic;
  header->layout = profile::kLayout;
  header->calls = api::kCalls;
  header->calls_hash = profile::hash_of_routines();
  header->n_pes = kPes;
  header->state = profile::State::kFinalised;
  header->trace_room = kTraced;
  header->part_bytes = kPartBytes;
  header->parts = 1;
  header->latest = {1000000, 1000000};
  header->end = 1000000;
  auto* part = new (made->bytes + profile::kHeaderBytes) profile::ThreadPart{};
  part->used = 1;
  part->life_ticks = 1000000;
  part->busy_ticks = part->wait_ticks = 700000;
  part->inside_site = profile::kNotInside;
  part->n_sites = 1;
  part->sites[0] = {.address = 0x1000,
                    .call = static_cast<std::uint32_t>(api::Call::shmem_barrier_all),
                    .kind = static_cast<std::uint16_t>(profile::Kind::kBarrier),
                    .module = profile::kNoModule,
                    .offset = 0,
                    .count = 1,
                    .bytes = 0,
                    .ticks = 700000,
                    .shortest = 700000,
                    .longest = 700000};
  part->line.shift = profile::TimeLine::kFirstShift;
  part->line.bins[0][static_cast<std::size_t>(profile::Kind::kBarrier)] = 700000;
  part->waits.count = 1;
  part->waits.list[0] = {.begin = 0, .end = 700000, .site = 0, .last = 1};
  part->traced = 1;
  profile::PeerTally& peer = reinterpret_cast<profile::PeerTally*>(part + 1)[1];
  peer.late_count = 1;
  peer.late_ticks = 600000;
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<Recording> kSound = sound();
  static const auto recording = std::make_unique<Recording>();
  std::memcpy(recording->bytes, kSound->bytes, sizeof kSound->bytes);
  fuzz::Bytes rest(data, size);
  const std::size_t missing = rest.take<std::uint32_t>() % (sizeof recording->bytes + 1);
  while (!rest.rest().empty()) {
    const std::size_t at = rest.take<std::uint32_t>() % (sizeof recording->bytes - 7);
    const auto eight = rest.take<std::uint64_t>();
    std::memcpy(recording->bytes + at, &eight, sizeof eight);
  }
  // In a place of its own, so that a look behind its end is seen.
  const std::size_t there = sizeof recording->bytes - missing;
  std::vector<std::byte> copy(there + 64);
  auto* at = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(copy.data()) + 63) / 64 * 64);
  std::memcpy(at, recording->bytes, there);
  const auto raw = report::read_job({{at, there, "pe.0.weft"}});
  if (!raw) {
    fuzz::must_be_a_line(raw.error().text());
    return 0;
  }
  must(raw->pes.size() <= 4096, "a job has bounds");
  const report::Profile profile = report::merge(*raw);
  const std::vector<std::string> hints = report::hints(profile);
  must(!report::summary(profile, hints).empty(), "there is a summary");
  must(!report::to_json(profile, hints, "0").empty() && !report::to_trace(profile).empty(), "there are pages");
  return 0;
}
