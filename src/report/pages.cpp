#include "report/pages.hpp"

#include <algorithm>
#include <atomic>

namespace weft::report {
namespace {

using dsm::Record;

constexpr double kSecond = 1e9;
constexpr auto kRelaxed = std::memory_order_relaxed;

// Who was killed has noted last when it waited last.
double seconds_of(const Record& record) {
  const std::uint64_t ended = record.ended.load(kRelaxed);
  const std::uint64_t end = ended != 0 ? ended : record.latest.load(kRelaxed);
  return end > record.began ? static_cast<double>(end - record.began) / kSecond : 0;
}

PagesOfPe of_pe(const Record& record) {
  PagesOfPe pe;
  pe.known = true;
  pe.by_pages = record.by_pages != 0;
  pe.ended = record.ended.load(kRelaxed) != 0;
  pe.pid = record.pid;
  pe.seconds = seconds_of(record);
  for (std::size_t k = 0; k < dsm::kCounts; ++k) {
    const std::uint64_t counted = record.counts[k].load(kRelaxed);
    if (k < dsm::kFirstTime) {
      pe.counts[k] = counted;
    } else {
      pe.times[k - dsm::kFirstTime] = static_cast<double>(counted) / kSecond;
    }
  }
  for (int peer = 0; peer < record.n_pes; ++peer) pe.came += dsm::peers_of(&record)[peer].fetched.load(kRelaxed);
  return pe;
}

void take_peers(const Record& record, SharedPages* shared) {
  for (int peer = 0; peer < record.n_pes; ++peer) {
    const dsm::Peer& one = dsm::peers_of(&record)[peer];
    if (const std::uint64_t fetched = one.fetched.load(kRelaxed); fetched != 0) {
      shared->fetched.push_back({record.pe, peer, fetched, fetched * record.page_bytes});
    }
    if (const std::uint64_t sent = one.sent.load(kRelaxed); sent != 0) {
      shared->sent.push_back({record.pe, peer, sent, one.sent_bytes.load(kRelaxed)});
    }
  }
}

// What is said of the job in the recordings of calls, if there are some.
void take_names(const Record& record, Profile* profile) {
  if (!profile->program.empty()) return;
  profile->program = record.program;
  profile->host = record.host;
  profile->started_at = record.started_at;
}

void sort(std::vector<Pair>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.count > b.count; });
}

}  // namespace

void merge_pages(const Raw& raw, Profile* profile) {
  if (raw.pages.empty()) return;
  SharedPages& shared = profile->shared;
  const bool calls = profile->has_calls();
  shared.pes.resize(raw.pages.size());
  for (const Record* record : raw.pages) {
    if (record == nullptr) continue;
    const auto number = static_cast<std::size_t>(record->pe);
    shared.of_openmp = shared.of_openmp || record->whose == Record::kOfOpenMp;
    shared.page_bytes = record->page_bytes;
    shared.pes[number] = of_pe(*record);
    take_peers(*record, &shared);
    take_names(*record, profile);
    // Clocks of different machines cannot be compared, so it is the longest of all.
    if (!calls) profile->seconds = std::max(profile->seconds, shared.pes[number].seconds);
  }
  sort(shared.fetched);
  sort(shared.sent);
  name_moved(raw, {}, profile);
}

}  // namespace weft::report
