#include "win/far_changes.hpp"

#include <cstring>

#include "base/lines.hpp"
#include "lock/elsewhere.hpp"
#include "win/far.hpp"
#include "win/window.hpp"

namespace weft::win {
namespace {

// What was there before a change, on its way into an answer.
alignas(64) constinit std::byte g_before[kMostOfQuestion]{};

constinit FindElement g_find_element = nullptr;
constinit ChangeElements g_change_elements = nullptr;

// Of a question about several rows. Under the mutex, as the above.
struct Row {
  std::byte* at = nullptr;
  std::size_t count = 0;
  bool is_by_processor = false;
};
constinit Row g_rows[kMostRows]{};
// Of kChangeMany: what a row's elements are, and what goes in.
struct Kind {
  std::uint32_t op = 0;
  std::uint32_t number = 0;  // the elements'
  FarElement element;
};
constexpr std::size_t kMostRuns = kMostOfRows / (sizeof(FarRun) + sizeof(FarRow)) + 1;
constinit Kind g_kinds[kMostRuns]{};
struct Goes {
  const std::byte* with = nullptr;
  const Kind* kind = nullptr;
};
constinit Goes g_goes[kMostRows]{};

// If there is such an operation, and `count` elements of it at most `most` bytes in a question.
FarElement element_of(const Question& question, std::uint64_t most, int pe) noexcept {
  FarElement element;
  if (!g_find_element(question.op, question.element, &element) || question.count == 0 ||
      question.count > most / element.packed) {
    fail_of(pe, "a change that there is not");
  }
  const bool is_of_nothing = question.has_data == 0 && question.asks != Asks::kSwap;
  if (is_of_nothing && element.change.does != Change::Does::kNothing) {
    fail_of(pe, "a change by no data");
  }
  return element;
}

// If it lies in this process's part.
Row row_of(Window& window, const FarElement& element, std::uint64_t address, std::uint64_t count, int pe) noexcept {
  Spot spot;
  if (!window.find_own(address, (count - 1) * element.extent + element.reach, &spot)) {
    fail_of(pe, "a change beyond the window");
  }
  const bool is_by_processor =
      element.is_plain && by_processor(spot.way, element.packed) && is_aligned(spot.at, element.packed);
  return {spot.at, static_cast<std::size_t>(count), is_by_processor};
}

constexpr lock::Mode kAlone = lock::Mode::kExclusive;

// The lock of elements, where a change needs it: by a place in its queue, so that those of the node who change elements
// all the time let in who comes from elsewhere.
class Elements {
 public:
  /// Who has a place already has been let in, and leaves in any case.
  Elements(Line& line, bool is_needed, int pe, Place* place) noexcept
      : lock_(is_needed || *place ? &line.elements : nullptr) {
    if (lock_ != nullptr && !*place) {
      const lock::Turn turn = lock::queue_from_elsewhere(*lock_, line.elsewhere, kAlone, pe);
      may_change_ = turn.is_inside;
      *place = turn.position;
    }
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  ~Elements() {
    if (lock_ != nullptr && may_change_) {
      lock::leave(*lock_, kAlone);
    }
  }
  /// False: it is not its turn yet.
  bool may_change() const noexcept { return may_change_; }

 private:
  lock::SharedLock* lock_;
  bool may_change_ = true;
};

void change(Window& window, const Kind& kind, const Row& row, const std::byte* with, std::byte* before) noexcept {
  const FarElement& element = kind.element;
  if (row.is_by_processor) {
    change_row(window.member(window.me()), row.at, element.packed, row.count, with, before, element.change);
  } else {
    g_change_elements(kind.op, kind.number, row.at, row.count, with, before);
  }
}

void swap(const FarElement& element, const Row& row, const std::byte* data) noexcept {
  if (row.is_by_processor) {
    swap_one(row.at, element.packed, data, data + element.packed, g_before);
    return;
  }
  std::memcpy(g_before, row.at, element.packed);
  if (std::memcmp(g_before, data, element.packed) == 0) {
    std::memcpy(row.at, data + element.packed, element.packed);
  }
}

// The results of these two: as change_for().
bool change_one_row(Window& window, const Question& question, const Asked& asked, Place* place,
                    Before* before) noexcept {
  const FarElement element = element_of(question, kMostOfQuestion, asked.pe);
  const std::size_t bytes = static_cast<std::size_t>(question.count) * element.packed;
  const bool swaps = question.asks == Asks::kSwap;
  const std::uint64_t expected = swaps ? 2 * element.packed : question.has_data != 0 ? bytes : 0;
  if (asked.bytes != expected || (swaps && question.count != 1)) {
    fail_of(asked.pe, "a change beyond the window");
  }
  const Row row = row_of(window, element, question.address, question.count, asked.pe);
  const Elements elements(window.own_line(), !row.is_by_processor, asked.pe, place);
  if (!elements.may_change()) {
    return false;
  }
  std::byte* const room = question.wants_before != 0 || swaps ? g_before : nullptr;
  swaps ? swap(element, row, asked.data)
        : change(window, {question.op, question.element, element}, row, asked.data, room);
  *before = {room, room == nullptr ? 0 : bytes};
  return true;
}

// All of them are found before one is changed: it is all or nothing, and under one lock.
bool change_rows(Window& window, const Question& question, const Asked& asked, Place* place, Before* before) noexcept {
  const FarElement element = element_of(question, kMostOfRows, asked.pe);
  const std::uint64_t n_rows = question.address;
  const std::size_t bytes = static_cast<std::size_t>(question.count) * element.packed;
  if (n_rows == 0 || n_rows > kMostRows ||
      asked.bytes != n_rows * sizeof(FarRow) + (question.has_data != 0 ? bytes : 0)) {
    fail_of(asked.pe, "rows that there are not");
  }
  std::uint64_t left = question.count;
  bool is_by_hand = false;
  for (std::uint64_t k = 0; k < n_rows; ++k) {
    FarRow told;
    std::memcpy(&told, asked.data + k * sizeof told, sizeof told);
    if (told.count == 0 || told.count > left) {
      fail_of(asked.pe, "rows of another number of elements");
    }
    left -= told.count;
    g_rows[k] = row_of(window, element, told.address, told.count, asked.pe);
    is_by_hand = !g_rows[k].is_by_processor || is_by_hand;
  }
  if (left != 0) {
    fail_of(asked.pe, "rows of another number of elements");
  }
  const Elements elements(window.own_line(), is_by_hand, asked.pe, place);
  if (!elements.may_change()) {
    return false;
  }
  const std::byte* with = question.has_data != 0 ? asked.data + n_rows * sizeof(FarRow) : nullptr;
  std::byte* const room = question.wants_before != 0 ? g_before : nullptr;
  std::size_t done = 0;
  const Kind kind{question.op, question.element, element};
  // In their order, as they may be of the same elements.
  for (std::uint64_t k = 0; k < n_rows; ++k) {
    change(window, kind, g_rows[k], with == nullptr ? nullptr : with + done, room == nullptr ? nullptr : room + done);
    done += g_rows[k].count * element.packed;
  }
  *before = {room, room == nullptr ? 0 : bytes};
  return true;
}

// What is left of a question's data.
class Rest {
 public:
  explicit Rest(const Asked& asked) noexcept : at_(asked.data), left_(asked.bytes), pe_(asked.pe) {}
  std::uint64_t left() const noexcept { return left_; }
  const std::byte* take(std::size_t bytes) noexcept {
    if (bytes > left_) {
      fail_of(pe_, "rows that there are not");
    }
    const std::byte* const taken = at_;
    at_ += bytes;
    left_ -= bytes;
    return taken;
  }
  template <class What>
  What take() noexcept {
    What what;
    std::memcpy(&what, take(sizeof what), sizeof what);
    return what;
  }

 private:
  const std::byte* at_;
  std::uint64_t left_;
  int pe_;
};

// As change_rows(), of several kinds.
bool change_many(Window& window, const Question& question, const Asked& asked, Place* place) noexcept {
  std::size_t n_rows = 0;
  std::size_t n_kinds = 0;
  bool is_by_hand = false;
  if (asked.bytes > kMostOfRows || question.has_data == 0 || question.wants_before != 0) {
    fail_of(asked.pe, "rows that there are not");
  }
  std::uint64_t n_elements = 0;  // of no more bytes than there are
  Rest rest(asked);
  while (rest.left() > 0) {
    const auto run = rest.take<FarRun>();
    if (n_kinds == kMostRuns || run.rows == 0 || run.rows > kMostRows - n_rows) {
      fail_of(asked.pe, "rows that there are not");
    }
    Kind& kind = g_kinds[n_kinds++];
    kind = {run.op, run.element, {}};
    if (!g_find_element(run.op, run.element, &kind.element)) {
      fail_of(asked.pe, "a change that there is not");
    }
    for (const std::size_t end = n_rows + run.rows; n_rows < end; ++n_rows) {
      const auto told = rest.take<FarRow>();
      if (told.count == 0 || told.count > rest.left() / kind.element.packed) {
        fail_of(asked.pe, "rows that there are not");
      }
      n_elements += told.count;
      g_goes[n_rows] = {rest.take(in_run(told.count * kind.element.packed)), &kind};
      g_rows[n_rows] = row_of(window, kind.element, told.address, told.count, asked.pe);
      is_by_hand = !g_rows[n_rows].is_by_processor || is_by_hand;
    }
  }
  if (n_rows == 0 || n_rows != question.address) {
    fail_of(asked.pe, "rows that there are not");
  }
  if (n_elements != question.count) {
    fail_of(asked.pe, "rows of another number of elements");
  }
  const Elements elements(window.own_line(), is_by_hand, asked.pe, place);
  if (!elements.may_change()) {
    return false;
  }
  for (std::size_t k = 0; k < n_rows; ++k) {
    change(window, *g_goes[k].kind, g_rows[k], g_goes[k].with, nullptr);
  }
  return true;
}

}  // namespace

void fail_of(int pe, const char* what) noexcept {
  base::fail(nullptr, "windows: PE %d has sent %s; does it run another build of Weft?", pe, what);
}

void set_far_elements(FindElement find, ChangeElements change) noexcept {
  g_find_element = find;
  g_change_elements = change;
}

bool change_for(Window& window, const Question& question, const Asked& asked, Place* place, Before* before) noexcept {
  Line& line = window.own_line();
  if (*place && !lock::let_in_from_elsewhere(line.elements, line.elsewhere, kAlone, **place)) {
    return false;
  }
  switch (question.asks) {
    case Asks::kChangeRows: return change_rows(window, question, asked, place, before);
    case Asks::kChangeMany: return change_many(window, question, asked, place);
    default: return change_one_row(window, question, asked, place, before);
  }
}

}  // namespace weft::win
