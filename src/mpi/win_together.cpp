#include "mpi/win_together.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "mpi/ops.hpp"
#include "mpi/win_changing.hpp"
#include "mpi/win_elements.hpp"
#include "mpi/win_rows.hpp"
#include "win/far.hpp"

namespace weft::mpi {
namespace {

// The call's own, and where the elements of the target are.
struct Together {
  Win& win;
  const Target& target;
  type::Cursor there;
  Element element;
  std::uint32_t op;

  win::FarChange change(const RowsThere& rows) const noexcept {
    win::FarChange made;
    made.count = rows.bytes / element.bytes;
    made.bytes = rows.bytes;
    made.op = op;
    made.element = element.type->number;
    made.order = win::Order::kNone;  // MPI orders no puts and gets
    return made;
  }
  std::size_t step() const noexcept { return kMostOfOneRow / element.bytes * element.bytes; }
};

void put_together(const Together& all, const Row& row) noexcept {
  alignas(64) std::array<std::byte, kMostOfOneRow> room;
  const std::size_t step = all.step();
  for (std::uint64_t position = 0; position < row.bytes(); position += step) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(step, row.bytes() - position));
    const std::byte* with = row.read(position, bytes, room.data());
    gather_rows(all.there, all.target.at, all.element, position, bytes, [&](const RowsThere& rows) noexcept {
      win::FarChange change = all.change(rows);
      change.with = with;
      win::change_rows_far(*all.target.member, all.win.window.me(), change, all.element.in_memory, rows.of.data(),
                           rows.count, all.win.window.under_way());
      with += rows.bytes;
    });
  }
}

// Until the next flush, as it is read to where it belongs.
void get_into_one_piece(const Together& all, const Row& row, std::uint64_t bytes) noexcept {
  const std::size_t step = all.step();
  for (std::uint64_t position = 0; position < bytes; position += step) {
    std::byte* into = row.to_write(position, nullptr);
    gather_rows(all.there, all.target.at, all.element, position,
                static_cast<std::size_t>(std::min<std::uint64_t>(step, bytes - position)),
                [&](const RowsThere& rows) noexcept {
                  win::FarChange change = all.change(rows);
                  change.before = into;
                  win::read_rows_far(*all.target.member, all.win.window.me(), change, rows.of.data(), rows.count,
                                     all.win.window.under_way().unanswered.begin());
                  into += rows.bytes;
                });
  }
}

// What comes has to be put to its pieces here: so many parts of it are under way at a time.
constexpr std::size_t kPartsAtATime = 8;

void get_into_pieces(const Together& all, const Row& row, std::uint64_t bytes) noexcept {
  struct Part {
    std::atomic<std::uint32_t> left = 0;
    std::uint64_t position = 0;
    std::size_t bytes = 0;
    alignas(64) std::array<std::byte, kMostOfOneRow> room;
  };
  std::array<Part, kPartsAtATime> parts;
  const auto finish = [&](Part& part) noexcept {
    if (part.bytes != 0) {
      win::await_rows(part.left);
      row.has_written(part.position, part.bytes, part.room.data());
      part.bytes = 0;
    }
  };
  const std::size_t step = all.step();
  std::size_t next = 0;
  for (std::uint64_t position = 0; position < bytes; position += step) {
    Part& part = parts[next++ % kPartsAtATime];
    finish(part);
    part.position = position;
    part.bytes = static_cast<std::size_t>(std::min<std::uint64_t>(step, bytes - position));
    std::byte* into = part.room.data();
    gather_rows(all.there, all.target.at, all.element, position, part.bytes, [&](const RowsThere& rows) noexcept {
      win::FarChange change = all.change(rows);
      change.before = into;
      // Relaxed: a number, which its answer makes less.
      part.left.fetch_add(1, std::memory_order_relaxed);
      win::read_rows_far(*all.target.member, all.win.window.me(), change, rows.of.data(), rows.count, part.left);
      into += rows.bytes;
    });
  }
  for (std::size_t k = 0; k < kPartsAtATime; ++k) {
    finish(parts[next++ % kPartsAtATime]);
  }
}

}  // namespace

bool move_together(Win& win, const Target& target, const Memory& origin, const Aim& aim, std::uint64_t bytes,
                   bool puts) noexcept {
  const Element element = element_of(aim.type);
  if (element.type == nullptr || bytes % element.bytes != 0) {
    return false;
  }
  const Together all{win, target, type::Cursor(*aim.type.type, aim.count), element,
                     number_of(puts ? MPI_REPLACE : MPI_NO_OP)};
  const Row row(origin.at, origin.count, &origin.datatype);
  if (puts) {
    put_together(all, row);
  } else {
    row.is_whole() ? get_into_one_piece(all, row, bytes) : get_into_pieces(all, row, bytes);
  }
  return true;
}

}  // namespace weft::mpi
