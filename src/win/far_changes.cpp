#include "win/far_changes.hpp"

#include <cstring>

#include "base/lines.hpp"
#include "win/far.hpp"
#include "win/window.hpp"

namespace weft::win {
namespace {

// What was there before a change, on its way into an answer.
alignas(64) constinit std::byte g_before[kMostOfQuestion]{};

constinit FindElement g_find_element = nullptr;
constinit ChangeElements g_change_elements = nullptr;

struct Row {
  FarElement element;
  std::byte* at = nullptr;
  std::size_t bytes = 0;  // as they are told
  Way way = Way::kMapped;
};

// What a question is about, if it lies in this process's part and is an operation that there is.
Row row_of(Window& window, const Question& question, std::uint64_t data, int pe) noexcept {
  Row row;
  if (!g_find_element(question.op, question.element, &row.element) || question.count == 0 ||
      question.count > kMostOfQuestion / row.element.packed) {
    fail_of(pe, "a change that there is not");
  }
  row.bytes = static_cast<std::size_t>(question.count) * row.element.packed;
  const std::uint64_t expected = question.asks == Asks::kSwap ? 2 * row.element.packed
                                 : question.has_data != 0     ? row.bytes
                                                              : 0;
  const std::uint64_t reach = (question.count - 1) * row.element.extent + row.element.reach;
  Spot spot;
  if (data != expected || (question.asks == Asks::kSwap && question.count != 1) ||
      !window.find_own(question.address, reach, &spot)) {
    fail_of(pe, "a change beyond the window");
  }
  row.at = spot.at;
  row.way = spot.way;
  return row;
}

bool is_by_processor(const Row& row) noexcept {
  return row.element.is_plain && by_processor(row.way, row.element.packed) && is_aligned(row.at, row.element.packed);
}

void by_processors(Window& window, const Question& question, const Row& row, const std::byte* data,
                   std::byte* before) noexcept {
  if (question.asks == Asks::kSwap) {
    swap_one(row.at, row.element.packed, data, data + row.element.packed, before);
  } else {
    change_row(window.member(window.me()), row.at, row.element.packed, static_cast<std::size_t>(question.count), data,
               before, row.element.change);
  }
}

// Under the elements' lock.
void by_hand(const Question& question, const Row& row, const std::byte* data, std::byte* before) noexcept {
  if (question.asks == Asks::kChange) {
    g_change_elements(question.op, question.element, row.at, static_cast<std::size_t>(question.count), data, before);
    return;
  }
  std::memcpy(g_before, row.at, row.element.packed);
  if (std::memcmp(g_before, data, row.element.packed) == 0) {
    std::memcpy(row.at, data + row.element.packed, row.element.packed);
  }
}

// The results of these two: as change_for().
bool change_one_row(Window& window, const Question& question, const Asked& asked, Before* before) noexcept {
  const Row row = row_of(window, question, asked.bytes, asked.pe);
  std::byte* const room = question.wants_before != 0 || question.asks == Asks::kSwap ? g_before : nullptr;
  if (is_by_processor(row)) {
    by_processors(window, question, row, asked.data, room);
  } else {
    lock::SharedLock& lock = window.own_line().elements;
    if (!lock::try_to_take(lock, lock::Mode::kExclusive, asked.pe)) {
      return false;
    }
    by_hand(question, row, asked.data, room);
    lock::leave(lock, lock::Mode::kExclusive);
  }
  *before = {room, room == nullptr ? 0 : row.bytes};
  return true;
}

// Of a question about several rows.
class Rows {
 public:
  Rows(Window& window, const Question& question, const Asked& asked) noexcept
      : window_(window), question_(question), asked_(asked) {
    FarElement element;
    if (!g_find_element(question.op, question.element, &element) || rows() == 0 || rows() > kMostRows ||
        question.count > kMostOfRows / element.packed ||
        asked.bytes != rows() * sizeof(FarRow) + (question.has_data != 0 ? question.count * element.packed : 0)) {
      fail_of(asked.pe, "rows that there are not");
    }
    packed_ = element.packed;
    std::uint64_t count = 0;
    for (std::uint64_t k = 0; k < rows(); ++k) {
      is_by_hand_ = !is_by_processor(row_for(question_of(k))) || is_by_hand_;
      count += question_of(k).count;
    }
    if (count != question.count) {
      fail_of(asked.pe, "rows of another number of elements");
    }
  }

  bool is_by_hand() const noexcept { return is_by_hand_; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(question_.count) * packed_; }
  /// In their order, as they may be of the same elements.
  void change(std::byte* before) const noexcept {
    const std::byte* with = question_.has_data != 0 ? asked_.data + rows() * sizeof(FarRow) : nullptr;
    for (std::uint64_t k = 0; k < rows(); ++k) {
      const Question one = question_of(k);
      const Row row = row_for(one);
      is_by_processor(row) ? by_processors(window_, one, row, with, before) : by_hand(one, row, with, before);
      with = with == nullptr ? nullptr : with + row.bytes;
      before = before == nullptr ? nullptr : before + row.bytes;
    }
  }

 private:
  std::uint64_t rows() const noexcept { return question_.address; }
  /// As if it had been asked for alone.
  Question question_of(std::uint64_t k) const noexcept {
    FarRow row;
    std::memcpy(&row, asked_.data + k * sizeof row, sizeof row);
    Question one = question_;
    one.asks = Asks::kChange;
    one.address = row.address;
    one.count = row.count;
    return one;
  }
  Row row_for(const Question& one) const noexcept {
    return row_of(window_, one, one.has_data != 0 ? one.count * packed_ : 0, asked_.pe);
  }

  Window& window_;
  const Question& question_;
  const Asked& asked_;
  std::size_t packed_ = 0;
  bool is_by_hand_ = false;
};

bool change_rows(Window& window, const Question& question, const Asked& asked, Before* before) noexcept {
  const Rows rows(window, question, asked);
  lock::SharedLock& lock = window.own_line().elements;
  if (rows.is_by_hand() && !lock::try_to_take(lock, lock::Mode::kExclusive, asked.pe)) {
    return false;
  }
  std::byte* const room = question.wants_before != 0 ? g_before : nullptr;
  rows.change(room);
  if (rows.is_by_hand()) {
    lock::leave(lock, lock::Mode::kExclusive);
  }
  *before = {room, room == nullptr ? 0 : rows.bytes()};
  return true;
}

}  // namespace

void fail_of(int pe, const char* what) noexcept {
  base::fail(nullptr, "PE %d has sent %s about a window; does it run another build of Weft?", pe, what);
}

void set_far_elements(FindElement find, ChangeElements change) noexcept {
  g_find_element = find;
  g_change_elements = change;
}

bool change_for(Window& window, const Question& question, const Asked& asked, Before* before) noexcept {
  return question.asks == Asks::kChangeRows ? change_rows(window, question, asked, before)
                                            : change_one_row(window, question, asked, before);
}

}  // namespace weft::win
