#include "mpi/win_accumulate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi/win_elements.hpp"
#include "mpi/win_safe.hpp"
#include "mpi/win_target.hpp"
#include "win/elements.hpp"
#include "win/far.hpp"
#include "win/far_wire.hpp"
#include "win/moves.hpp"

namespace weft::mpi {
namespace {

using win::Change;
using win::Touches;

// It changes nothing, so goes with all.
std::uint32_t op_noted(const Op& op) noexcept { return op.number == number_of(MPI_NO_OP) ? win::kAnyOp : op.number; }

constexpr std::size_t kChunk = kMostElements;  // bytes of a row at a time; elements have 32 at most
constexpr std::size_t kPieces = 64;
// And where it takes no room here: under one lock, and where nobody waits.
constexpr std::size_t kLocked = std::size_t{64} << 10;
constexpr std::size_t kAlone = std::size_t{1} << 30;

int raise_op(Win& win, const Op& op, const Datatype& element) noexcept {
  return is_predefined(op.number)
             ? raise(&win, MPI_ERR_OP, "op: %s is not for elements of %s", name_of_predefined(op.number),
                     text_of(element).c_str())
             : raise(&win, MPI_ERR_OP, "op: is one of the program's own; windows have the predefined ones only");
}

// One side of a call in this process; its row in pieces of a chunk.
class Row {
 public:
  // Null: there is none.
  Row(const void* at, MPI_Count count, const Datatype* type) noexcept
      : at_(at),
        cursor_(*(type == nullptr ? find<Datatype>(MPI_BYTE) : type)->type, type == nullptr ? 0 : count),
        is_there_(type != nullptr),
        whole_(cursor_.in_one_piece()) {}

  bool is_there() const noexcept { return is_there_; }
  std::uint64_t bytes() const noexcept { return cursor_.bytes(); }
  /// It lies in a row, or is not there.
  bool is_whole() const noexcept { return whole_ || !is_there_; }
  /// A part of the row, to be read: where it lies or in the room.
  const std::byte* read(std::uint64_t position, std::size_t bytes, std::byte* room) const noexcept {
    if (whole_) {
      return cursor_.first(at_) + position;
    }
    cursor_.pack(at_, position, room, bytes);
    return room;
  }
  /// A part of it, to be written: behind that has_written().
  std::byte* to_write(std::uint64_t position, std::byte* room) const noexcept {
    return whole_ ? cursor_.first(at_) + position : room;
  }
  void has_written(std::uint64_t position, std::size_t bytes, const std::byte* room) const noexcept {
    if (!whole_) {
      cursor_.unpack(const_cast<void*>(at_), position, room, bytes);
    }
  }

 private:
  const void* at_;
  type::Cursor cursor_;
  bool is_there_;
  bool whole_;
};

class Changing {
 public:
  /// As many bytes as the origin has, or, where nothing goes in, the target.
  Changing(Win& win, const Target& target, const Aim& aim, const Element& element, const Row& origin, const Row& result,
           const Change& change, const Op& op) noexcept
      : win_(win),
        op_(op),
        target_(target),
        there_(*aim.type.type, aim.count),
        bytes_(origin.is_there() ? origin.bytes() : type::Cursor(*aim.type.type, aim.count).bytes()),
        element_(element),
        origin_(origin),
        result_(result),
        change_(change),
        is_alone_(win.window.is_alone_at(*target.member)) {}

  reach::Moved run() noexcept {
    if (target_.way == win::Way::kNetwork) {
      return run_far();
    }
    const bool by_processor = win::by_processor(target_.way, element_.bytes) && element_.is_plain();
    const std::size_t step = by_processor ? step_here() : granularity();
    reach::Moved moved;
    for (std::uint64_t position = 0; position < bytes_ && moved.outcome == reach::Outcome::kDone; position += step) {
      const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(step, bytes_ - position));
      by_processor ? change_here(position, bytes) : (void)(moved = change_under_lock(position, bytes));
    }
    return moved;
  }

 private:
  // Under one lock.
  std::size_t granularity() const noexcept {
    const std::uint64_t wanted = win_.granularity == 0 ? kChunk : std::min<std::uint64_t>(win_.granularity, kChunk);
    const std::uint64_t elements = (wanted + element_.bytes - 1) / element_.bytes;
    return std::min<std::uint64_t>(elements, kChunk / element_.bytes) * element_.bytes;
  }

  // All at once where no part of it needs room here.
  std::size_t step_here() const noexcept {
    const bool is_whole = origin_.is_whole() && result_.is_whole();
    const std::size_t most = is_alone_                                                 ? kAlone
                             : target_.member->goes_by_lock() && win_.granularity == 0 ? kLocked
                                                                                       : kChunk;
    return (is_whole ? most : kChunk) / element_.bytes * element_.bytes;
  }

  void change_row(std::byte* at, std::size_t count, const std::byte* with, std::byte* before) noexcept {
    const bool is_aligned = win::is_aligned(at, element_.bytes) && win::is_aligned(with, element_.bytes);
    if (is_alone_ && is_aligned) {
      win::change_alone(at, element_.bytes, count, with, before, change_);
    } else {
      win::change_row(*target_.member, at, element_.bytes, count, with, before, change_);
    }
  }

  void change_here(std::uint64_t position, std::size_t bytes) noexcept {
    const std::byte* with = origin_.is_there() ? origin_.read(position, bytes, with_.data()) : nullptr;
    std::byte* const into = result_.is_there() ? result_.to_write(position, before_.data()) : nullptr;
    std::byte* before = into;
    for (std::size_t done = 0; done < bytes;) {
      std::array<type::Piece, kPieces> pieces;
      const std::size_t count = there_.list(target_.at, position + done, bytes - done, pieces.data(), kPieces);
      for (std::size_t k = 0; k < count; ++k) {
        change_row(static_cast<std::byte*>(pieces[k].at), pieces[k].bytes / element_.bytes, with, before);
        with = with == nullptr ? nullptr : with + pieces[k].bytes;
        before = before == nullptr ? nullptr : before + pieces[k].bytes;
        done += pieces[k].bytes;
      }
    }
    if (into != nullptr) {
      result_.has_written(position, bytes, into);
    }
  }

  // Elements of the target to or from before_.
  template <bool puts>
  reach::Moved move(std::uint64_t position, std::size_t bytes) noexcept {
    for (std::size_t done = 0; done < bytes;) {
      std::array<type::Piece, kPieces> pieces;
      std::array<reach::Range, kPieces> theirs;
      const std::size_t count = there_.list(target_.at, position + done, bytes - done, pieces.data(), kPieces);
      std::size_t listed = 0;
      for (std::size_t k = 0; k < count; ++k) {
        theirs[k] = {reinterpret_cast<std::uintptr_t>(pieces[k].at), pieces[k].bytes};
        listed += pieces[k].bytes;
      }
      const reach::Piece ours{before_.data() + done, listed};
      const win::Move what{&ours, 1, theirs.data(), count};
      const reach::Moved moved =
          puts ? win::put(*target_.member, target_.way, what) : win::get(*target_.member, target_.way, what);
      if (moved.outcome != reach::Outcome::kDone) {
        return moved;
      }
      done += listed;
    }
    return {};
  }

  reach::Moved change_under_lock(std::uint64_t position, std::size_t bytes) noexcept {
    const std::byte* const with = origin_.is_there() ? origin_.read(position, bytes, with_.data()) : nullptr;
    const win::ElementsLock lock(*target_.member);
    const bool reads = result_.is_there() || change_.does == Change::Does::kCombine;
    if (reads) {
      if (const reach::Moved moved = move<false>(position, bytes); moved.outcome != reach::Outcome::kDone) {
        return moved;
      }
    }
    if (result_.is_there()) {
      std::byte* const into = result_.to_write(position, before_.data());
      if (into != before_.data()) {
        std::memcpy(into, before_.data(), bytes);
      }
      result_.has_written(position, bytes, before_.data());
    }
    if (with == nullptr || change_.does == Change::Does::kNothing) {
      return {};
    }
    if (change_.does == Change::Does::kReplace) {
      std::memcpy(before_.data(), with, bytes);
    } else {
      combine(element_, change_, with, before_.data(), bytes / element_.bytes);
    }
    return move<true>(position, bytes);
  }

  // Elements of a member of another node, whose processors change them: so many at a time as a question may have, or as
  // there is room for where they do not lie in a row.
  reach::Moved run_far() noexcept {
    const bool is_whole = origin_.is_whole() && result_.is_whole();
    const std::size_t step = (is_whole ? win::kMostOfQuestion : kChunk) / element_.bytes * element_.bytes;
    for (std::uint64_t position = 0; position < bytes_; position += step) {
      change_far(position, static_cast<std::size_t>(std::min<std::uint64_t>(step, bytes_ - position)));
      if (!origin_.is_whole()) {
        win::finish_far(win_.window.under_way());
      }
    }
    return {};
  }

  void change_far(std::uint64_t position, std::size_t bytes) noexcept {
    const std::byte* with = origin_.is_there() ? origin_.read(position, bytes, with_.data()) : nullptr;
    std::byte* const into = result_.is_there() ? result_.to_write(position, before_.data()) : nullptr;
    std::byte* before = into;
    for (std::size_t done = 0; done < bytes;) {
      std::array<type::Piece, kPieces> pieces;
      // One by one where there is something between them.
      const std::size_t listed = element_.is_plain() ? bytes - done : element_.bytes;
      const std::size_t count = there_.list(target_.at, position + done, listed, pieces.data(), kPieces);
      const std::size_t rows = element_.is_plain() ? count : 1;
      for (std::size_t k = 0; k < rows; ++k) {
        const std::size_t row = element_.is_plain() ? pieces[k].bytes : element_.bytes;
        win::change_far(*target_.member, win_.window.me(),
                        {reinterpret_cast<std::uintptr_t>(pieces[k].at), row / element_.bytes, row, op_.number,
                         element_.type->number, with, before, comes_behind_changes()},
                        win_.window.under_way());
        with = with == nullptr ? nullptr : with + row;
        before = before == nullptr ? nullptr : before + row;
        done += row;
      }
    }
    if (into != nullptr) {
      result_.has_written(position, bytes, into);
    }
  }

  // What is under way are changes, as who reads waits for the answer.
  bool comes_behind_changes() const noexcept {
    const bool changes = change_.does != Change::Does::kNothing;
    return (result_.is_there() && win_.reads_behind_changes) || (changes && win_.changes_behind_changes);
  }

  Win& win_;
  const Op& op_;
  const Target& target_;
  type::Cursor there_;
  std::uint64_t bytes_;
  const Element& element_;
  const Row& origin_;
  const Row& result_;
  const Change& change_;
  bool is_alone_;
  alignas(64) std::array<std::byte, kChunk> with_;
  alignas(64) std::array<std::byte, kChunk> before_;
};

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
  const reach::Moved moved = Changing(win, target, aim, element, with, before, how, op).run();
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
  return raise_moved(win, aim, Changing(win, target, aim, element_of(datatype), with, before, how, op).run());
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
                  {reinterpret_cast<std::uintptr_t>(target.at), 1, bytes, number_of(MPI_NO_OP), datatype.number,
                   origin_addr, result_addr, win.reads_behind_changes || win.changes_behind_changes},
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
