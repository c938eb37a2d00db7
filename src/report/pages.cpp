#include "report/pages.hpp"

#include <algorithm>
#include <atomic>

namespace weft::report {
namespace {

using dsm::Record;

constexpr double kSecond = 1e9;
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::size_t kMostMoved = 100;

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

// Where the program has a byte of the range.
std::uint64_t address_of(const Record& record, std::uint64_t offset) {
  const std::uint32_t windows = std::min<std::uint32_t>(record.n_windows.load(kRelaxed), dsm::kMostRecordedWindows);
  for (std::uint32_t k = 0; k < windows; ++k) {
    const dsm::RecordedWindow& window = record.windows[k];
    if (offset >= window.offset && offset - window.offset < window.bytes) return window.at + (offset - window.offset);
  }
  return record.base + offset;
}

// Cells of all PEs together that follow each other, also where the program has them, and of which none is untouched.
class Moves {
 public:
  explicit Moves(const Raw& raw) {
    for (const Record* record : raw.pages) {
      if (record == nullptr || record->n_cells == 0) continue;
      // What PEs of another program say is of other cells.
      if (first_ == nullptr) first_ = record;
      const bool same = record->n_cells == first_->n_cells && record->pages_of_cell == first_->pages_of_cell &&
                        record->page_bytes == first_->page_bytes;
      if (same) records_.push_back(record);
    }
  }

  std::vector<MovedPages> take() {
    if (first_ == nullptr) return {};
    const std::uint64_t bytes = std::uint64_t{first_->pages_of_cell} * first_->page_bytes;
    for (std::uint32_t cell = 0; cell < first_->n_cells; ++cell) {
      if (!moved(cell)) {
        close();
        continue;
      }
      const std::uint64_t address = address_of(*first_, cell * bytes);
      if (open_ && run_.address + run_.bytes != address) close();
      add(cell, address, bytes);
    }
    close();
    const auto more = [](const MovedPages& a, const MovedPages& b) { return a.fetched + a.sent > b.fetched + b.sent; };
    std::stable_sort(found_.begin(), found_.end(), more);
    if (found_.size() > kMostMoved) found_.resize(kMostMoved);
    return std::move(found_);
  }

 private:
  bool moved(std::uint32_t cell) const {
    return std::any_of(records_.begin(), records_.end(), [&](const Record* record) {
      const dsm::Cell& one = dsm::cells_of(record)[cell];
      return one.fetched.load(kRelaxed) != 0 || one.sent.load(kRelaxed) != 0;
    });
  }

  void add(std::uint32_t cell, std::uint64_t address, std::uint64_t bytes) {
    if (!open_) {
      run_ = {.address = address};
      by_record_.assign(records_.size(), 0);
      open_ = true;
    }
    run_.bytes += bytes;
    for (std::size_t k = 0; k < records_.size(); ++k) {
      const dsm::Cell& one = dsm::cells_of(records_[k])[cell];
      const std::uint32_t fetched = one.fetched.load(kRelaxed);
      by_record_[k] += fetched;
      run_.fetched += fetched;
      run_.sent += one.sent.load(kRelaxed);
    }
  }

  void close() {
    if (!open_) return;
    open_ = false;
    const auto most = std::max_element(by_record_.begin(), by_record_.end());
    run_.most = records_[static_cast<std::size_t>(most - by_record_.begin())]->pe;
    run_.most_fetched = *most;
    found_.push_back(run_);
  }

  const Record* first_ = nullptr;
  std::vector<const Record*> records_;
  bool open_ = false;
  MovedPages run_;
  std::vector<std::uint64_t> by_record_;
  std::vector<MovedPages> found_;
};

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
  shared.moved = Moves(raw).take();
}

}  // namespace weft::report
