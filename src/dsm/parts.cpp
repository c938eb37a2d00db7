#include "dsm/parts.hpp"

#include <sys/mman.h>

#include <new>

#include "base/lines.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

constinit Part* g_parts = nullptr;                        // by the number on the node
constinit Notices* g_notices = nullptr;                   // of PEs of other nodes, by the number in the job
constinit std::atomic<std::uint16_t>* g_homes = nullptr;  // where PE 0 is not here
constinit PageMaker g_page_maker{};

std::uint64_t homes_bytes() noexcept { return std::uint64_t{g.pages} * sizeof(std::uint16_t); }
std::uint64_t notices_bytes() noexcept { return static_cast<std::uint64_t>(g.n_pes) * sizeof(Notices); }

template <class T>
T* map(std::uint64_t bytes) noexcept {
  void* const got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : static_cast<T*>(got);
}

}  // namespace

const Part* part_of(int pe) noexcept {
  const int number = job::g_node.here(pe);
  return number < 0 ? nullptr : &g_parts[number];
}

Notices* notices_of(int pe) noexcept {
  const Part* const part = part_of(pe);
  return part != nullptr ? part->notices : &g_notices[pe];
}

std::atomic<std::uint16_t>* known_homes() noexcept { return g_homes; }

PageMaker& page_maker() noexcept { return g_page_maker; }

base::Result<void> find_parts() noexcept {
  const job::Node& node = job::node();
  g_parts = new (std::nothrow) Part[static_cast<std::size_t>(node.n_local)];
  if (node.n_local < node.n_pes) {
    g_notices = map<Notices>(notices_bytes());
  }
  if (g_parts == nullptr || (node.n_local < node.n_pes && g_notices == nullptr)) {
    return base::Error::make("no memory for what %d PEs announce", node.n_pes);
  }
  for (int number = 0; number < node.n_local; ++number) {
    // Checked when they were shown (start.cpp).
    const std::uint64_t part = job::shared_pe(node.job, number).pages.load(std::memory_order_acquire) - 1;
    g_parts[number].contents = node.own.at(number, part + g.layout.contents);
    g_parts[number].notices = reinterpret_cast<Notices*>(node.own.at(number, part + g.layout.notices));
    g_parts[number].room = node.own.at(number, part + g.layout.room);
    g_parts[number].marks = Marks(node.own.at(number, part + g.layout.marks), g.pages);
    g_parts[number].places = Places(node.own.at(number, part + g.layout.places));
    if (node.pe_of(number) == 0) {
      g_homes = reinterpret_cast<std::atomic<std::uint16_t>*>(node.own.at(number, part + g.layout.homes));
    }
  }
  if (g_homes == nullptr) {
    g_homes = map<std::atomic<std::uint16_t>>(homes_bytes());
  }
  if (node.n_local > 1) {
    if (const auto opened = g_page_maker.open(g_parts[node.local].contents, g.bytes); !opened) {
      base::debug("%s", opened.error().text());
    }
  }
  return g_homes == nullptr ? base::Error::make("no memory for the homes of %u pages", g.pages) : base::Result<void>();
}

void forget_parts() noexcept {
  g_page_maker.close();
  if (g_homes != nullptr && g.arena == nullptr) {
    ::munmap(g_homes, homes_bytes());
  }
  if (g_notices != nullptr) {
    ::munmap(g_notices, notices_bytes());
  }
  delete[] g_parts;
  g_parts = nullptr;
  g_notices = nullptr;
  g_homes = nullptr;
}

}  // namespace weft::dsm
