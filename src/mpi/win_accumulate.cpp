#include "mpi/win_accumulate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi/win_changing.hpp"
#include "mpi/win_elements.hpp"
#include "mpi/win_safe.hpp"
#include "mpi/win_target.hpp"
#include "win/elements.hpp"
#include "win/far.hpp"
#include "win/moves.hpp"

namespace weft::mpi {
namespace {

using win::Change;
using win::Touches;

// It changes nothing, so goes with all.
std::uint32_t op_noted(const Op& op) noexcept { return op.number == number_of(MPI_NO_OP) ? win::kAnyOp : op.number; }

int raise_op(Win& win, const Op& op, const Datatype& element) noexcept {
  return is_predefined(op.number)
             ? raise(&win, MPI_ERR_OP, "op: %s is not for elements of %s", name_of_predefined(op.number),
                     text_of(element).c_str())
             : raise(&win, MPI_ERR_OP, "op: is one of the program's own; windows have the predefined ones only");
}

int check_room(Win& win, const Memory& result, std::uint64_t bytes) noexcept {
  if (const int code = check_memory(win, result); code != MPI_SUCCESS) {
    return code;
  }
  const std::uint64_t room = type::Cursor(*result.datatype.type, result.count).bytes();
  return bytes <= room ? MPI_SUCCESS
                       : raise(&win, MPI_ERR_TRUNCATE, "result_count: there is room for %llu bytes, and %llu come",
                               static_cast<unsigned long long>(room), static_cast<unsigned long long>(bytes));
}

// Null: nothing goes in, or nobody wants what was there.
int change(const Memory* origin, const Memory* result, const Aim& aim, const Op& op, Win& win) noexcept {
  const bool changes = op.number != number_of(MPI_NO_OP);
  const Memory& one = changes || result == nullptr ? *origin : *result;
  if (const int code = check_ends(win, one, aim, &one == result ? Goes::kHere : Goes::kThere); code != MPI_SUCCESS) {
    return code;
  }
  if (result != nullptr && &one != result) {
    if (const int code = check_room(win, *result, type::Cursor(*one.datatype.type, one.count).bytes());
        code != MPI_SUCCESS) {
      return code;
    }
  }
  const std::uint64_t bytes = type::Cursor(*one.datatype.type, one.count).bytes();
  Target target;
  if (bytes == 0) {  // as for puts: of no elements neither kind nor operation is asked
    return find_target(win, aim, &target);
  }
  const Element element = element_of(aim.type);
  if (element.type == nullptr) {
    return raise(&win, MPI_ERR_TYPE, "target_datatype: %s has elements of several predefined datatypes, or none",
                 text_of(aim.type).c_str());
  }
  if (&one == origin && bytes % element.bytes != 0) {
    return raise(&win, MPI_ERR_TYPE, "target_datatype: %llu bytes are no whole elements of %s",
                 static_cast<unsigned long long>(bytes), text_of(*element.type).c_str());
  }
  Change how;
  if (!change_of(op, *element.type, &how)) {
    return raise_op(win, op, *element.type);
  }
  if (const int code = find_target(win, aim, &target); code != MPI_SUCCESS || target.member == nullptr) {
    return code;
  }
  const Row with(origin == nullptr ? nullptr : origin->at, origin == nullptr ? 0 : origin->count,
                 changes && origin != nullptr ? &origin->datatype : nullptr);
  const Row before(result == nullptr ? nullptr : result->at, result == nullptr ? 0 : result->count,
                   result == nullptr ? nullptr : &result->datatype);
  const reach::Moved moved = change_elements(win, target, aim, {element, with, before, how, op});
  if (moved.outcome == reach::Outcome::kDone) {
    note_access(win, target, aim, bytes, Touches::kChanges, op_noted(op), element.type->number);
  }
  return raise_moved(win, aim, moved);
}

// One element of a predefined datatype, which the processor changes. False: it is another.
bool change_one(const Target& target, const Datatype& type, const void* with, void* before,
                const Change& how) noexcept {
  const auto bytes = static_cast<std::size_t>(type.type->size());
  if (!win::by_processor(target.way, bytes) || !win::is_aligned(target.at, bytes) ||
      type.type->extent() != type.type->size()) {
    return false;
  }
  if (target.member->goes_by_lock()) [[unlikely]] {
    win::change_row(*target.member, target.at, bytes, 1, with, before, how);
    return true;
  }
  win::change_one(target.at, bytes, with, before, how);
  return true;
}

// The commonest: a sum of integers of 4 or 8 bytes that the processor makes, where nothing is out of the way. False: it
// is not that, and nothing was done.
inline bool add_close(const void* with, void* before, const Datatype& type, int rank, MPI_Aint disp, const Op& op,
                      Win& win) noexcept {
  if (op.number != number_of(MPI_SUM) || type.element != ElementClass::kInteger || !is_predefined(type.number) ||
      with == nullptr || before == nullptr || checks()) {
    return false;
  }
  Target target;
  const auto bytes = static_cast<std::size_t>(type.type->size());
  if ((bytes != 4 && bytes != 8) || !find_close(win.window, rank, disp, bytes, &target) ||
      target.way != win::Way::kMapped || target.member->goes_by_lock() || !win::is_aligned(target.at, bytes)) {
    return false;
  }
  constexpr Change kAdds{Change::Does::kCombine, true, nullptr};
  bytes == 4 ? win::detail::change_at<std::uint32_t>(target.at, with, before, kAdds)
             : win::detail::change_at<std::uint64_t>(target.at, with, before, kAdds);
  return true;
}

bool can_be_compared(const Datatype& type) noexcept {
  return type.element == ElementClass::kInteger || type.element == ElementClass::kLogical ||
         type.element == ElementClass::kByte || type.element == ElementClass::kAddress ||
         type.number == number_of(MPI_CHAR);  // record 0065: it is an integer too
}

int check_one(Win& win, const Datatype& type) noexcept {
  return type.permanent() && type.type->size() > 0
             ? MPI_SUCCESS
             : raise(&win, MPI_ERR_TYPE, "datatype: %s is not predefined", text_of(type).c_str());
}

}  // namespace

// NOLINTBEGIN(readability-function-size): the standard's own arguments.
int accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, const Op& op,
               Win& win) noexcept {
  const Memory origin{origin_addr, origin_count, origin_datatype};
  return change(&origin, nullptr, {target_rank, target_disp, target_count, target_datatype}, op, win);
}

int get_accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype* origin_datatype, void* result_addr,
                   MPI_Count result_count, const Datatype& result_datatype, int target_rank, MPI_Aint target_disp,
                   MPI_Count target_count, const Datatype& target_datatype, const Op& op, Win& win) noexcept {
  const Memory result{result_addr, result_count, result_datatype};
  const Aim aim{target_rank, target_disp, target_count, target_datatype};
  if (op.number == number_of(MPI_NO_OP)) {
    return change(nullptr, &result, aim, op, win);
  }
  if (origin_datatype == nullptr) {
    return raise(&win, MPI_ERR_TYPE, "origin_datatype: is MPI_DATATYPE_NULL, which only goes with MPI_NO_OP");
  }
  const Memory origin{origin_addr, origin_count, *origin_datatype};
  return change(&origin, &result, aim, op, win);
}

int raccumulate(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
                MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, const Op& op, Win& win,
                MPI_Request* request) noexcept {
  const int code = accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                              target_datatype, op, win);
  if (code != MPI_SUCCESS) {
    return code;
  }
  complete_far(win, {target_rank, target_disp, target_count, target_datatype});
  return give_complete(request);
}

int rget_accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype* origin_datatype, void* result_addr,
                    MPI_Count result_count, const Datatype& result_datatype, int target_rank, MPI_Aint target_disp,
                    MPI_Count target_count, const Datatype& target_datatype, const Op& op, Win& win,
                    MPI_Request* request) noexcept {
  const int code = get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count,
                                  result_datatype, target_rank, target_disp, target_count, target_datatype, op, win);
  return code != MPI_SUCCESS ? code : give_complete(request);
}
// NOLINTEND(readability-function-size)

int fetch_and_op(const void* origin_addr, void* result_addr, const Datatype& datatype, int target_rank,
                 MPI_Aint target_disp, const Op& op, Win& win) noexcept {
  if (add_close(origin_addr, result_addr, datatype, target_rank, target_disp, op, win)) [[likely]] {
    return MPI_SUCCESS;
  }
  const Aim aim{target_rank, target_disp, 1, datatype};
  if (const int code = check_one(win, datatype); code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  Change how;
  if (!change_of(op, datatype, &how)) [[unlikely]] {
    return raise_op(win, op, datatype);
  }
  const bool changes = how.does != Change::Does::kNothing;
  if (result_addr == nullptr || (changes && origin_addr == nullptr)) [[unlikely]] {
    return raise(&win, MPI_ERR_BUFFER, result_addr == nullptr ? "result_addr: is null" : "origin_addr: is null");
  }
  Target target;
  if (const int code = find_target(win, aim, &target); code != MPI_SUCCESS || target.member == nullptr) [[unlikely]] {
    return code;
  }
  note_access(win, target, aim, static_cast<std::uint64_t>(datatype.type->size()), Touches::kChanges, op_noted(op),
              datatype.number);
  if (change_one(target, datatype, changes ? origin_addr : nullptr, result_addr, how)) [[likely]] {
    return MPI_SUCCESS;
  }
  const Row with(origin_addr, 1, changes ? &datatype : nullptr);
  const Row before(result_addr, 1, &datatype);
  return raise_moved(win, aim, change_elements(win, target, aim, {element_of(datatype), with, before, how, op}));
}

int compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, const Datatype& datatype,
                     int target_rank, MPI_Aint target_disp, Win& win) noexcept {
  const Aim aim{target_rank, target_disp, 1, datatype};
  if (const int code = check_one(win, datatype); code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  if (!can_be_compared(datatype)) [[unlikely]] {
    return raise(&win, MPI_ERR_TYPE, "datatype: %s is no integer, logical or byte", text_of(datatype).c_str());
  }
  for (const auto& [at, name] : {std::pair<const void*, const char*>{origin_addr, "origin_addr"},
                                 {compare_addr, "compare_addr"},
                                 {result_addr, "result_addr"}}) {
    if (at == nullptr) [[unlikely]] {
      return raise(&win, MPI_ERR_BUFFER, "%s: is null", name);
    }
  }
  Target target;
  if (const int code = find_target(win, aim, &target); code != MPI_SUCCESS || target.member == nullptr) [[unlikely]] {
    return code;
  }
  const auto bytes = static_cast<std::size_t>(datatype.type->size());
  note_access(win, target, aim, bytes, Touches::kChanges, win::kAnyOp, datatype.number);
  if (win::by_processor(target.way, bytes) && win::is_aligned(target.at, bytes) && !target.member->goes_by_lock())
      [[likely]] {
    win::swap_one(target.at, bytes, compare_addr, origin_addr, result_addr);
    return MPI_SUCCESS;
  }
  if (target.way == win::Way::kNetwork) {
    win::swap_far(*target.member, win.window.me(),
                  {reinterpret_cast<std::uintptr_t>(target.at), 1, bytes, bytes, number_of(MPI_NO_OP), datatype.number,
                   origin_addr, result_addr,
                   win.reads_behind_changes || win.changes_behind_changes ? win::Order::kBehind : win::Order::kNone},
                  compare_addr, win.window.under_way());
    return MPI_SUCCESS;
  }
  std::array<std::byte, 32> before;
  const win::Spot spot{target.at, target.way, target.far};
  const win::ElementsLock lock(*target.member);
  reach::Moved moved = win::get_one(*target.member, spot, before.data(), bytes);
  if (moved.outcome == reach::Outcome::kDone) {
    const bool swaps = std::memcmp(before.data(), compare_addr, bytes) == 0;
    if (swaps) {
      moved = win::put_one(*target.member, spot, origin_addr, bytes);
    }
    std::memcpy(result_addr, before.data(), bytes);
  }
  return raise_moved(win, aim, moved);
}

}  // namespace weft::mpi
