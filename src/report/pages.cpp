#include "report/pages.hpp"

#include <algorithm>
#include <atomic>
#include <map>

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

// Where the program has a byte of the range, and whether that is a variable of its own.
struct InProgram {
  std::uint64_t address = 0;
  bool variable = false;
};
InProgram place_of(const Record& record, std::uint64_t offset) {
  const std::uint32_t windows = std::min<std::uint32_t>(record.n_windows.load(kRelaxed), dsm::kMostRecordedWindows);
  for (std::uint32_t k = 0; k < windows; ++k) {
    const dsm::RecordedWindow& window = record.windows[k];
    if (offset >= window.offset && offset - window.offset < window.bytes) {
      return {window.at + (offset - window.offset), true};
    }
  }
  return {record.base + offset, false};
}

// What all PEs together say of the cells of the range.
class Cells {
 public:
  explicit Cells(const Raw& raw) {
    for (const Record* record : raw.pages) {
      if (record == nullptr || record->n_cells == 0) continue;
      // What PEs of another program say is of other cells.
      const Record& first = records_.empty() ? *record : *records_.front();
      const bool same = record->n_cells == first.n_cells && record->pages_of_cell == first.pages_of_cell &&
                        record->page_bytes == first.page_bytes;
      if (same) records_.push_back(record);
    }
  }

  const std::vector<const Record*>& records() const { return records_; }
  std::uint64_t bytes() const {
    return records_.empty() ? 0 : std::uint64_t{records_.front()->pages_of_cell} * records_.front()->page_bytes;
  }

  /// Those that moved.
  template <class Use>
  void each(Use&& use) const {
    const std::uint32_t n = records_.empty() ? 0 : records_.front()->n_cells;
    for (std::uint32_t cell = 0; cell < n; ++cell) {
      if (moved(cell)) use(cell, place_of(*records_.front(), cell * bytes()));
    }
  }

 private:
  bool moved(std::uint32_t cell) const {
    return std::any_of(records_.begin(), records_.end(), [&](const Record* record) {
      const dsm::Cell& one = dsm::cells_of(record)[cell];
      return one.fetched.load(kRelaxed) != 0 || one.sent.load(kRelaxed) != 0;
    });
  }

  std::vector<const Record*> records_;
};

// Cells that follow each other in the program, or that are of one variable, put together.
class Moves {
 public:
  Moves(const Raw& raw, const std::vector<std::string>& names) : cells_(raw), names_(names) {}

  std::vector<MovedPages> take() {
    std::size_t variables = 0;
    cells_.each([&](std::uint32_t cell, const InProgram& place) {
      const std::size_t number = place.variable ? variables++ : names_.size();
      add(cell, place.address, number < names_.size() ? names_[number] : "");
    });
    for (Piece& piece : pieces_) {
      const auto most = std::max_element(piece.fetched.begin(), piece.fetched.end());
      piece.pages.most = cells_.records()[static_cast<std::size_t>(most - piece.fetched.begin())]->pe;
      piece.pages.most_fetched = *most;
    }
    const auto moves = [](const Piece& piece) { return piece.pages.fetched + piece.pages.sent; };
    std::stable_sort(pieces_.begin(), pieces_.end(),
                     [&](const Piece& a, const Piece& b) { return moves(a) > moves(b); });
    std::vector<MovedPages> found;
    for (Piece& piece : pieces_) {
      if (found.size() < kMostMoved) found.push_back(std::move(piece.pages));
    }
    return found;
  }

 private:
  struct Piece {
    MovedPages pages;
    std::vector<std::uint64_t> fetched;  // of each record
  };

  Piece& piece_at(std::uint64_t address, const std::string& name) {
    if (!name.empty()) {
      const auto [at, is_new] = by_name_.try_emplace(name, pieces_.size());
      if (!is_new) return pieces_[at->second];
    } else if (!pieces_.empty() && pieces_.back().pages.name.empty() &&
               pieces_.back().pages.address + pieces_.back().pages.bytes == address) {
      return pieces_.back();
    }
    Piece& made = pieces_.emplace_back();
    made.pages.name = name;
    made.pages.address = address;
    made.fetched.assign(cells_.records().size(), 0);
    return made;
  }

  void add(std::uint32_t cell, std::uint64_t address, const std::string& name) {
    Piece& piece = piece_at(address, name);
    piece.pages.bytes += cells_.bytes();
    for (std::size_t k = 0; k < cells_.records().size(); ++k) {
      const dsm::Cell& one = dsm::cells_of(cells_.records()[k])[cell];
      const std::uint32_t fetched = one.fetched.load(kRelaxed);
      piece.fetched[k] += fetched;
      piece.pages.fetched += fetched;
      piece.pages.sent += one.sent.load(kRelaxed);
    }
  }

  Cells cells_;
  const std::vector<std::string>& names_;
  std::vector<Piece> pieces_;
  std::map<std::string, std::size_t> by_name_;
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
  name_moved(raw, {}, profile);
}

MovedStatics moved_statics(const Raw& raw) {
  const Cells cells(raw);
  MovedStatics found;
  if (cells.records().empty()) return found;
  const Record& first = *cells.records().front();
  found.program = first.program;
  found.piece = cells.bytes();
  cells.each([&](std::uint32_t /*cell*/, const InProgram& place) {
    if (place.variable) found.addresses.push_back(place.address - first.bias);
  });
  return found;
}

void name_moved(const Raw& raw, const std::vector<std::string>& names, Profile* profile) {
  profile->shared.moved = Moves(raw, names).take();
}

}  // namespace weft::report
