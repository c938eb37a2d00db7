#include "omp/program/mapping.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/lines.hpp"
#include "dsm/advice.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "job/node.hpp"
#include "omp/arrays/plan.hpp"
#include "omp/program/wishes.hpp"

namespace weft::omp::program {
namespace {

using arrays::Known;
using arrays::Planned;
using arrays::Wish;

constexpr const char* kName = "OpenMP";

// What all know of the arrays that are mapped.
struct Mapped {
  std::uintptr_t at;
  dsm::Homed homed;
  const char* by;  // the directive that the program has come to, the same address in all processes
};
constinit std::vector<Mapped>* g_mapped = nullptr;
// Of process 0.
constinit std::vector<Known>* g_known = nullptr;

// In shared memory, for the others.
struct Told {
  const char* by;
  std::size_t count;
  Planned arrays[1];  // as many as they are
};

// What a mapping became: whole pages. Only where that is not what it said.
void tell(const Wish& wish, const Planned& planned) noexcept {
  const dsm::Homed homed{planned.at % dsm::kPageBytes, planned.bytes, planned.pieces};
  const std::uint64_t pages = homed.page_of(planned.bytes - 1) + 1;
  std::vector<std::uint64_t> of_each(static_cast<std::size_t>(planned.pieces.pes));
  for (std::uint64_t k = 0; k < pages;) {
    const std::uint64_t next = std::min(homed.next_page(k), pages);
    of_each[static_cast<std::size_t>(homed(k) - planned.pieces.from)] += next - k;
    k = next;
  }
  const auto [least, most] = std::minmax_element(of_each.begin(), of_each.end());
  const bool is_fine = planned.pieces.pes > 1 && planned.pieces.piece < dsm::kPageBytes;
  const std::string text = arrays::text_of(wish.mapping);
  if (is_fine) {
    base::say(
        kName,
        "%s: %.100s: its pieces have %llu bytes, and a page has %zu: each of its %llu pages is at home at the process "
        "that has its middle, %llu to %llu pages at each of %d processes",
        wish.where.c_str(), text.c_str(), static_cast<unsigned long long>(planned.pieces.piece), dsm::kPageBytes,
        static_cast<unsigned long long>(pages), static_cast<unsigned long long>(*least),
        static_cast<unsigned long long>(*most), planned.pieces.pes);
  } else {
    base::debug("%s: %.100s: %llu to %llu of its %llu pages at each of %d processes", wish.where.c_str(), text.c_str(),
                static_cast<unsigned long long>(*least), static_cast<unsigned long long>(*most),
                static_cast<unsigned long long>(pages), planned.pieces.pes);
  }
}

// All that is wished; null: nothing is.
Told* plan_for_all(const std::vector<Wish>& wishes) noexcept {
  const auto made = arrays::plan(wishes, *g_known, job::node().n_pes);
  if (!made) {
    base::fail(kName, "%s", made.error().text());
  }
  if (made->arrays.empty()) {
    return nullptr;
  }
  const std::size_t count = made->arrays.size();
  auto* const told = static_cast<Told*>(dsm::allocate(sizeof(Told) + count * sizeof(Planned), alignof(Told)));
  if (told == nullptr) {
    base::fail(kName, "no shared memory is left for %zu mappings; raise WEFT_SHARED_SIZE", count);
  }
  told->by = nullptr;
  told->count = count;
  std::copy(made->arrays.begin(), made->arrays.end(), told->arrays);
  // Memory may have been given back and mapped again at the same address.
  std::erase_if(*g_known, [&](const Known& each) {
    return std::any_of(made->known.begin(), made->known.end(), [&](const Known& now) { return now.at == each.at; });
  });
  g_known->insert(g_known->end(), made->known.begin(), made->known.end());
  return told;
}

void remember(const Planned& planned, const char* by) noexcept {
  const std::uintptr_t end = planned.at + planned.bytes;
  // What lay there before may have been given back.
  std::erase_if(*g_mapped,
                [&](const Mapped& each) { return each.at < end && planned.at < each.at + each.homed.bytes; });
  g_mapped->push_back({planned.at, {planned.at % dsm::kPageBytes, planned.bytes, planned.pieces}, by});
}

// In all processes.
void carry_out(const Told& told) noexcept {
  for (std::size_t k = 0; k < told.count; ++k) {
    // Before it is mapped: what is told may be in the way.
    const Planned planned = told.arrays[k];
    dsm::map_pieces(reinterpret_cast<void*>(planned.at), planned.bytes, planned.pieces);
    remember(planned, told.by);
  }
}

std::vector<Wish> all_wishes(const char* option) noexcept {
  auto wishes = option != nullptr ? wishes_of_option(option) : base::Result<std::vector<Wish>>(std::vector<Wish>());
  if (!wishes) {
    base::fail(kName, "%s", wishes.error().text());
  }
  const auto directives = wishes_of_program();
  if (!directives) {
    base::fail(kName, "%s", directives.error().text());
  }
  // The option wins.
  const std::size_t by_option = wishes->size();
  for (const Wish& each : *directives) {
    const auto end = wishes->begin() + static_cast<std::ptrdiff_t>(by_option);
    if (std::none_of(wishes->begin(), end, [&](const Wish& other) { return other.array.at == each.array.at; })) {
      wishes->push_back(each);
    }
  }
  return *wishes;
}

// An array that a directive maps when the program comes to it; the line that says why it cannot be.
void check_memory(const Wish& wish) noexcept {
  const auto* const at = reinterpret_cast<const void*>(wish.array.at);
  const auto fail = [&wish](const char* why) {
    base::fail(kName, "%s: %.60s %s", wish.where.c_str(), wish.mapping.array.name.c_str(), why);
  };
  if (!dsm::lies_in_range(at, wish.array.bytes)) {
    fail("does not lie in memory that the processes share, or has fewer elements than the directive says");
  }
  if (dsm::is_pinned(at, wish.array.bytes)) {
    fail("lies on a stack, which stays with its process; allocate it, or make it static");
  }
  if (dsm::holds(at, 1) && dsm::room_of_rest(at) < wish.array.bytes) {
    fail("has fewer elements than the directive says");
  }
}

// Procedures may come to the same directive again and again; and what was mapped at the start stays so.
bool is_mapped_already(const weft_omp_mapping& directive, std::uint64_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(directive.array.at);
  return std::any_of(g_mapped->begin(), g_mapped->end(), [&](const Mapped& each) {
    return each.at == at && (each.by == nullptr || (each.by == directive.text && each.homed.bytes == bytes));
  });
}

}  // namespace

void map_arrays(const char* option) noexcept {
  // They stay as long as the process.
  g_mapped = new std::vector<Mapped>();
  g_known = new std::vector<Known>();
  Told* mine = nullptr;
  if (job::node().me == 0) {
    const std::vector<Wish> wishes = all_wishes(option);
    mine = plan_for_all(wishes);
    for (std::size_t k = 0; k < wishes.size() && !dsm::has_one_memory(); ++k) {
      tell(wishes[k], mine->arrays[k]);
    }
  }
  const auto* const told = static_cast<const Told*>(dsm::from(0, mine));
  if (told == nullptr) {
    return;
  }
  carry_out(*told);
  if (mine != nullptr) {
    (void)dsm::release_block(mine);
  }
}

void map_array(const weft_omp_mapping& directive, bool alone, RunInOthers* run_in_others) noexcept {
  const auto wish = wish_of(directive);
  if (!wish) {
    base::fail(kName, "%s", wish.error().text());
  }
  if (is_mapped_already(directive, wish->array.bytes)) {
    return;
  }
  if (!alone) {
    base::fail(
        kName,
        "%s: mapping of %.60s: it stands in a parallel region, or in a thread of the program's own; put it where "
        "main has one thread",
        wish->where.c_str(), wish->mapping.array.name.c_str());
  }
  check_memory(*wish);
  Told* const told = plan_for_all({*wish});
  told->by = directive.text;
  tell(*wish, told->arrays[0]);
  run_in_others([](void* all) { carry_out(*static_cast<const Told*>(all)); }, told,
                [](void* all) noexcept { carry_out(*static_cast<const Told*>(all)); });
  (void)dsm::release_block(told);
}

int home_of(std::uintptr_t at, std::uintptr_t* from, std::uintptr_t* to, std::uintptr_t* array) noexcept {
  const auto found = std::find_if(g_mapped->begin(), g_mapped->end(),
                                  [at](const Mapped& each) { return at - each.at < each.homed.bytes; });
  if (found == g_mapped->end()) {
    return -1;
  }
  const std::uint64_t page = found->homed.page_of(at - found->at);
  const std::uintptr_t first_page = found->at - found->homed.lead;
  *array = found->at;
  *from = std::max(found->at, first_page + page * dsm::kPageBytes);
  *to = std::min(found->at + found->homed.bytes, first_page + found->homed.next_page(page) * dsm::kPageBytes);
  return found->homed(page);
}

}  // namespace weft::omp::program
