#include "mpi/win_changing.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi/win_rows.hpp"
#include "win/far.hpp"
#include "win/far_wire.hpp"
#include "win/moves.hpp"

namespace weft::mpi {
namespace {

using win::Change;

constexpr std::size_t kChunk = kMostElements;  // bytes of a row at a time; elements have 32 at most
constexpr std::size_t kPieces = 64;
static_assert(kMostOfOneRow <= kChunk);
// And where it takes no room here: under one lock, and where nobody waits.
constexpr std::size_t kLocked = std::size_t{64} << 10;
constexpr std::size_t kAlone = std::size_t{1} << 30;

class Changing {
 public:
  Changing(Win& win, const Target& target, const Aim& aim, const Wanted& wanted) noexcept
      : win_(win),
        op_(wanted.op),
        target_(target),
        there_(*aim.type.type, aim.count),
        bytes_(wanted.origin.is_there() ? wanted.origin.bytes() : there_.bytes()),
        element_(wanted.element),
        origin_(wanted.origin),
        result_(wanted.result),
        change_(wanted.change),
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
    const std::size_t step = (is_whole ? win::kMostOfQuestion : kMostOfOneRow) / element_.bytes * element_.bytes;
    for (std::uint64_t position = 0; position < bytes_; position += step) {
      change_far(position, static_cast<std::size_t>(std::min<std::uint64_t>(step, bytes_ - position)));
    }
    return {};
  }

  void change_far(std::uint64_t position, std::size_t bytes) noexcept {
    const std::byte* with = origin_.is_there() ? origin_.read(position, bytes, with_.data()) : nullptr;
    std::byte* const into = result_.is_there() ? result_.to_write(position, before_.data()) : nullptr;
    std::byte* before = into;
    gather_rows(there_, target_.at, element_, position, bytes, [&](const RowsThere& rows) noexcept {
      send_far(rows, with, before);
      with = with == nullptr ? nullptr : with + rows.bytes;
      before = before == nullptr ? nullptr : before + rows.bytes;
    });
    if (into != nullptr) {
      result_.has_written(position, bytes, into);
    }
  }

  // One row may be longer than several, and is sent from where it lies: it has to stay there. What was gathered here
  // goes as several do, of which a copy is sent.
  void send_far(const RowsThere& rows, const std::byte* with, std::byte* before) noexcept {
    const std::size_t count = rows.bytes / element_.bytes;
    const bool stays = with == nullptr || origin_.is_whole();
    win::FarChange change{rows.of[0].address,
                          count,
                          rows.bytes,
                          count * element_.in_memory,
                          op_.number,
                          element_.type->number,
                          with,
                          before,
                          order()};
    rows.count == 1 && stays ? win::change_far(*target_.member, win_.window.me(), change, win_.window.under_way())
                             : win::change_rows_far(*target_.member, win_.window.me(), change, element_.in_memory,
                                                    rows.of.data(), rows.count, win_.window.under_way());
  }

  // What is under way are changes, as who reads waits for the answer.
  win::Order order() const noexcept {
    const bool changes = change_.does != Change::Does::kNothing;
    if ((result_.is_there() && win_.reads_behind_changes) || (changes && win_.changes_behind_changes)) {
      return win::Order::kBehind;
    }
    return win_.reads_behind_changes ? win::Order::kFirst : win::Order::kNone;
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

}  // namespace

reach::Moved change_elements(Win& win, const Target& target, const Aim& aim, const Wanted& wanted) noexcept {
  return Changing(win, target, aim, wanted).run();
}

}  // namespace weft::mpi
