// Which memory moved: cells of the range (dsm/record.hpp) put together by what they are of.
#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "report/pages.hpp"

namespace weft::report {
namespace {

using dsm::Record;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::size_t kMostMoved = 100;

// A block that the program got, within the range.
struct Block {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t site = 0;
};

// Where the program has a cell, and what that is a part of.
struct InProgram {
  std::uint64_t address = 0;
  bool variable = false;
  const Block* block = nullptr;
};

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
    for (const Record* record : records_) take_blocks(*record);
    std::stable_sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) { return a.begin < b.begin; });
  }

  const std::vector<const Record*>& records() const { return records_; }
  std::uint64_t bytes() const {
    return records_.empty() ? 0 : std::uint64_t{records_.front()->pages_of_cell} * records_.front()->page_bytes;
  }
  std::uint64_t base() const { return records_.front()->base; }

  /// Those that moved.
  template <class Use>
  void each(Use&& use) const {
    const std::uint32_t n = records_.empty() ? 0 : records_.front()->n_cells;
    for (std::uint32_t cell = 0; cell < n; ++cell) {
      if (moved(cell)) use(cell, place_of(cell * bytes()));
    }
  }

 private:
  void take_blocks(const Record& record) {
    const std::uint64_t range = record.n_cells * bytes();
    for (std::uint32_t k = 0; k < std::min<std::uint32_t>(record.n_blocks, dsm::kMostRecordedBlocks); ++k) {
      const dsm::RecordedBlock& block = record.blocks[k];
      if (block.offset >= range || block.bytes == 0) continue;
      blocks_.push_back({block.offset, block.offset + std::min(block.bytes, range - block.offset), block.site});
    }
  }

  bool moved(std::uint32_t cell) const {
    return std::any_of(records_.begin(), records_.end(), [&](const Record* record) {
      const dsm::Cell& one = dsm::cells_of(record)[cell];
      return one.fetched.load(kRelaxed) != 0 || one.sent.load(kRelaxed) != 0;
    });
  }

  InProgram place_of(std::uint64_t offset) const {
    const Record& record = *records_.front();
    const std::uint32_t windows = std::min<std::uint32_t>(record.n_windows.load(kRelaxed), dsm::kMostRecordedWindows);
    for (std::uint32_t k = 0; k < windows; ++k) {
      const dsm::RecordedWindow& window = record.windows[k];
      if (offset >= window.offset && offset - window.offset < window.bytes) {
        return {window.at + (offset - window.offset), true, nullptr};
      }
    }
    return {record.base + offset, false, block_of(offset)};
  }

  // That has most of the cell. A few are looked at: those that one PE tells of do not overlap, and others only where
  // blocks were given back and got anew.
  const Block* block_of(std::uint64_t offset) const {
    constexpr int kMostLookedAt = 16;
    const std::uint64_t end = offset + bytes();
    auto at = std::partition_point(blocks_.begin(), blocks_.end(), [&](const Block& each) { return each.begin < end; });
    const Block* best = nullptr;
    std::uint64_t most = 0;
    for (int k = 0; k < kMostLookedAt && at != blocks_.begin(); ++k) {
      --at;
      const std::uint64_t from = std::max(offset, at->begin);
      const std::uint64_t to = std::min(end, at->end);
      if (to > from && to - from > most) {
        most = to - from;
        best = &*at;
      }
    }
    return best;
  }

  std::vector<const Record*> records_;
  std::vector<Block> blocks_;
};

MovedMemory memory_of(const Cells& cells) {
  MovedMemory found;
  if (cells.records().empty()) return found;
  const Record& first = *cells.records().front();
  found.program = first.program;
  found.piece = cells.bytes();
  std::set<std::uint64_t> sites;
  cells.each([&](std::uint32_t /*cell*/, const InProgram& place) {
    if (place.variable) {
      found.statics.push_back(place.address - first.bias);
    } else if (place.block != nullptr && place.block->site != 0) {
      sites.insert(place.block->site);
    }
  });
  found.sites.assign(sites.begin(), sites.end());
  return found;
}

// Cells of one name, of one block, or that follow each other, put together.
class Moves {
 public:
  Moves(const Raw& raw, const MovedNames& names) : cells_(raw) {
    const std::map<std::uint64_t, std::string> sites = names_of_sites(names);
    std::size_t variables = 0;
    cells_.each([&](std::uint32_t cell, const InProgram& place) {
      std::string name;
      if (place.variable) {
        name = variables < names.statics.size() ? names.statics[variables] : "";
        ++variables;
      } else if (place.block != nullptr) {
        const auto site = sites.find(place.block->site);
        name = site != sites.end() ? site->second : "";
      }
      add(cell, piece_at(place, name));
    });
  }

  std::vector<MovedPages> take() {
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
    bool grows = false;                  // by what follows it
    std::vector<std::uint64_t> fetched;  // of each record
  };

  std::map<std::uint64_t, std::string> names_of_sites(const MovedNames& names) const {
    std::map<std::uint64_t, std::string> found;
    if (names.sites.empty()) return found;
    const std::vector<std::uint64_t> sites = memory_of(cells_).sites;
    for (std::size_t k = 0; k < std::min(names.sites.size(), sites.size()); ++k) found[sites[k]] = names.sites[k];
    return found;
  }

  Piece& piece_at(const InProgram& place, const std::string& name) {
    const bool grows = name.empty() && place.block == nullptr;
    if (grows && !pieces_.empty() && pieces_.back().grows &&
        pieces_.back().pages.address + pieces_.back().pages.bytes == place.address) {
      return pieces_.back();
    }
    if (!name.empty()) {
      const auto [at, is_new] = by_name_.try_emplace(name, pieces_.size());
      if (!is_new) return pieces_[at->second];
    } else if (place.block != nullptr) {
      const auto [at, is_new] = by_block_.try_emplace(place.block->begin, pieces_.size());
      if (!is_new) return pieces_[at->second];
    }
    Piece& made = pieces_.emplace_back();
    made.grows = grows;
    made.pages.name = name;
    made.pages.address = place.block != nullptr ? cells_.base() + place.block->begin : place.address;
    made.fetched.assign(cells_.records().size(), 0);
    return made;
  }

  void add(std::uint32_t cell, Piece& piece) {
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
  std::vector<Piece> pieces_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::uint64_t, std::size_t> by_block_;
};

}  // namespace

MovedMemory moved_memory(const Raw& raw) { return memory_of(Cells(raw)); }

void name_moved(const Raw& raw, const MovedNames& names, Profile* profile) {
  profile->shared.moved = Moves(raw, names).take();
}

}  // namespace weft::report
