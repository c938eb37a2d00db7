// What PEs have recorded of their shared pages, made up by tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "report/load.hpp"

namespace weft::report {

/// One PE of a program of two, with a range of eight pages at 0x200000000000; the last two of them are a variable's of
/// the program. It shared memory for a second.
class RecordedPages {
 public:
  static constexpr std::uint32_t kCells = 8;
  static constexpr std::uint64_t kBase = 0x200000000000;
  static constexpr std::uint64_t kStatic = 0x404000;

  explicit RecordedPages(int pe, int n_pes = 2, std::uint32_t n_cells = kCells)
      : words_(dsm::record_bytes(n_pes, n_cells) / sizeof(Line) + 1) {
    auto* made = new (words_.data()) dsm::Record{};
    made->layout = dsm::Record::kLayout;
    made->n_counts = dsm::kCounts;
    made->pe = pe;
    made->n_pes = n_pes;
    made->pid = 100 + pe;
    made->by_pages = n_cells > 0 ? 1 : 0;
    made->page_bytes = 4096;
    made->n_cells = n_cells;
    made->pages_of_cell = 1;
    made->base = kBase;
    made->began = 5'000'000'000;
    made->latest = 6'000'000'000;
    made->ended = 6'000'000'000;
    made->n_windows = 1;
    made->windows[0] = {kStatic, 2 * 4096, 6 * 4096};
    (void)std::snprintf(made->host, sizeof made->host, "here");
    (void)std::snprintf(made->program, sizeof made->program, "/home/some one/heat");
    made->magic = dsm::Record::kMagic;
  }

  dsm::Record* operator->() { return record(); }
  dsm::Record* record() { return reinterpret_cast<dsm::Record*>(words_.data()); }
  void count(dsm::Count what, std::uint64_t by) { record()->counts[static_cast<std::size_t>(what)] += by; }
  /// A page came from its home, or changes of it went there.
  void fetch(int home, std::uint32_t page, std::uint32_t times) {
    dsm::peers_of(record())[home].fetched += times;
    dsm::cells_of(record())[page].fetched += times;
  }
  void send(int home, std::uint32_t page, std::uint32_t times, std::uint64_t bytes) {
    dsm::peers_of(record())[home].sent += times;
    dsm::peers_of(record())[home].sent_bytes += bytes;
    dsm::cells_of(record())[page].sent += times;
    count(dsm::Count::kSent, times);
    count(dsm::Count::kSentBytes, bytes);
  }

  /// The program got a block.
  void got(std::uint64_t offset, std::uint64_t bytes, std::uint64_t site) {
    record()->blocks[record()->n_blocks++] = {offset, bytes, site};
  }

  std::byte* at() { return reinterpret_cast<std::byte*>(words_.data()); }
  std::size_t size() { return dsm::record_bytes(record()->n_pes, record()->n_cells); }
  Bytes bytes() { return {at(), size(), "pages.weft"}; }
  void write(const std::string& folder) {
    std::ofstream(folder + "/pages." + std::to_string(record()->pe) + ".weft", std::ios::binary)
        .write(reinterpret_cast<const char*>(at()), static_cast<std::streamsize>(size()));
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> words_;
};

}  // namespace weft::report
