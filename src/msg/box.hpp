// A box: what one PE sends to another one of its node goes through it, in a block of the receiver's own area.
//
// It is a ring of cache lines. An entry begins a line with its envelope, and its data follows; with up to 32 bytes both
// are in one line. The first word of an entry is the number of the message, written last. The reader knows the number
// that comes next (messages of a pair are numbered), so it finds an entry by one look at one word, and what is older is
// not it. Only a line in the middle of an old entry may hold any bytes there: the writer knows which lines these are,
// and clears such a line before it publishes the entry in front of it.
//
// The writer reads how far the reader is when it believes the box to be full. One line always stays free: the one
// behind the newest entry, which the writer may have to clear.
//
// With a reader that keeps up a round is a short one: few lines go to and fro between the two, and stay in the caches
// next to them. The writer turns by an entry that says how many lines are to be passed over. While the reader has not
// read it, the writer passes over that line in the next round, and so has all lines of the box.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "msg/envelope.hpp"

namespace weft::msg {

inline constexpr std::size_t kLine = 64;
inline constexpr std::size_t kInLine = kLine - sizeof(Envelope);

/// The beginning of a box. The lines follow.
struct alignas(kLine) BoxHead {
  std::atomic<std::uint64_t> taken;  // lines that the reader has done with, of all there ever were
};
static_assert(sizeof(BoxHead) == kLine && std::is_standard_layout_v<BoxHead>);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

/// What begins an entry, field by field as Envelope: bytes that are written in parts and read at once wait for each
/// other in the processor. The rest of the line is data.
struct alignas(kLine) Line {
  std::atomic<std::uint32_t> sequence;
  std::uint32_t context;
  std::int32_t source;
  std::int32_t tag;
  std::uint64_t bytes;
  std::uint32_t ticket;
  std::uint32_t what;
  std::uint64_t in_line[kInLine / sizeof(std::uint64_t)];

  /// All of the envelope but its number.
  void write(const Envelope& envelope) noexcept {
    context = envelope.context;
    source = envelope.source;
    tag = envelope.tag;
    bytes = envelope.bytes;
    ticket = envelope.ticket;
    what = envelope.what;
  }
  Kind kind() const noexcept { return Envelope::kind_in(what); }
  Envelope read(std::uint32_t number) const noexcept { return {number, context, source, tag, bytes, ticket, what}; }
  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this) + sizeof(Envelope); }
  const std::byte* data() const noexcept { return reinterpret_cast<const std::byte*>(this) + sizeof(Envelope); }
};
static_assert(sizeof(Line) == kLine && std::is_standard_layout_v<Line> && offsetof(Line, context) == 4);
static_assert(offsetof(Line, bytes) == offsetof(Envelope, bytes) && offsetof(Line, in_line) == sizeof(Envelope));

constexpr std::uint32_t lines_of(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>((sizeof(Envelope) + bytes + kLine - 1) / kLine);
}
constexpr std::size_t box_bytes(std::uint32_t lines) noexcept { return sizeof(BoxHead) + lines * sizeof(Line); }

/// Boxes have at most so many lines; a power of two.
inline constexpr std::uint32_t kMostLines = 1024;

/// Where a short round ends: two of the largest messages. So many lines, of both directions, and the messages
/// themselves fit the first cache of a processor.
inline constexpr std::uint32_t kTurn = 136;
/// Smaller boxes have long rounds only.
constexpr std::uint32_t turn_of(std::uint32_t lines) noexcept { return lines < 256 ? lines - 1 : kTurn; }

/// So many lines are on their way while one is read.
inline constexpr std::uint32_t kAhead = 3;

/// Before the box is shown. Numbers go round, so the lines have that of a message that the reader has had.
inline void clear_box(BoxHead* box, std::uint32_t lines, std::uint32_t gone) noexcept {
  std::memset(static_cast<void*>(box), 0, box_bytes(lines));
  Line* const line = reinterpret_cast<Line*>(box + 1);
  for (std::uint32_t k = 0; k < lines; ++k) {
    // Relaxed: it is shown by a release behind this.
    line[k].sequence.store(gone, std::memory_order_relaxed);
  }
}

class BoxWriter {
 public:
  /// The block is cleared by clear_box(). Lines are a power of two.
  void open(BoxHead* box, std::uint32_t lines) noexcept { open(box, lines, turn_of(lines)); }
  /// Short rounds are of up to `turn` lines, and the longest entry fits behind these.
  void open(BoxHead* box, std::uint32_t lines, std::uint32_t turn) noexcept {
    head_ = box;
    lines_ = reinterpret_cast<Line*>(box + 1);
    mask_ = lines - 1;
    end_ = turn_ = turn;
    next_ = taken_ = turned_ = 0;
    passed_ = 0;
    inner_ = {};
  }
  bool is_open() const noexcept { return head_ != nullptr; }
  void close() noexcept { head_ = nullptr; }

  /// It has believed the box to be full since it was last asked: time to look how the reader is.
  bool has_looked() noexcept {
    const bool looked = looked_;
    looked_ = false;
    return looked;
  }

  bool looks_full() const noexcept { return looked_; }

  /// A place for an entry of so many lines, which is the message of this number; null: the box is full. What it gives
  /// is published next.
  Line* reserve(std::uint32_t lines, std::uint32_t sequence) noexcept {
    const std::uint32_t at = static_cast<std::uint32_t>(next_) & mask_;
    if (at + lines > end_) [[unlikely]] {
      return reserve_at_end(lines, sequence);
    }
    return has_room(lines) ? lines_ + at : nullptr;
  }
  /// What was reserved is filled.
  void publish(Line* entry, std::uint32_t lines, std::uint32_t sequence) noexcept {
    const auto at = static_cast<std::uint32_t>(entry - lines_);
    clear_inner((at + lines) & mask_, sequence - 1);
    if (lines > 1) {
      mark_inner(at + 1, at + lines);
    }
    unmark(at);
    next_ += lines;
    // Release: the reader that sees the number sees the entry, and the line behind it without old bytes.
    entry->sequence.store(sequence, std::memory_order_release);
  }

 private:
  std::uint32_t size() const noexcept { return mask_ + 1; }
  // One more: the line behind the entry. What was passed over at a turn is free while the reader has not come there.
  bool fits(std::uint64_t lines) const noexcept {
    return next_ + lines + 1 - taken_ <= std::uint64_t{size()} + passed_;
  }
  void look() noexcept {
    // Acquire: the reader has done with what these lines held before we write there.
    const std::uint64_t taken = head_->taken.load(std::memory_order_acquire);
    // What nobody has written cannot have been taken: a damaged word makes no room.
    taken_ = taken > next_ || taken < taken_ ? taken_ : taken;
    passed_ = taken_ > turned_ ? 0 : passed_;
  }
  bool has_room(std::uint64_t lines) noexcept {
    if (fits(lines)) [[likely]] {
      return true;
    }
    looked_ = true;
    look();
    return fits(lines);
  }
  // At what may be the end of a round.
  Line* reserve_at_end(std::uint32_t lines, std::uint32_t sequence) noexcept {
    const std::uint32_t at = static_cast<std::uint32_t>(next_) & mask_;
    look();
    const auto turned = static_cast<std::uint32_t>(turned_) & mask_;
    if (passed_ != 0 && at < turned) {
      pass(turned + 1 - at, sequence);
      end_ = size() - 1;
      return reserve(lines, sequence);
    }
    if (at + lines > size()) {
      if (!has_room(size() - at + lines)) {
        return nullptr;
      }
      pass(size() - at, sequence);
      end_ = turn_;
      return lines_;
    }
    if (taken_ == next_ && at + lines > turn_ && at + lines < size()) {
      turned_ = next_;
      passed_ = size() - at - 1;
      pass(size() - at, sequence);
      end_ = at - 1;
      return lines_;
    }
    if (!has_room(lines)) {
      return nullptr;
    }
    end_ = at + lines <= turn_ || at + lines == size() ? turn_ : size() - 1;
    return lines_ + at;
  }
  // The next entry is so many lines further on. Those that are passed over stay what they are: nobody looks at them
  // before they begin an entry again. As that may be when numbers have gone round, all of them hold old data then.
  void pass(std::uint32_t lines, std::uint32_t sequence) noexcept {
    const std::uint32_t at = static_cast<std::uint32_t>(next_) & mask_;
    Envelope skip;
    skip.bytes = lines;
    skip.what = Envelope::what_of(Kind::kSkip, 0);
    lines_[at].write(skip);
    clear_inner((at + lines) & mask_, sequence - 1);
    publish(lines_ + at, 1, sequence);
    next_ += lines - 1;
    mark_inner(at + 1, at + lines);
  }
  // `gone` is the number of a message that the reader has had: no number, not 0 either, is one that never comes.
  void clear_inner(std::uint32_t line, std::uint32_t gone) noexcept {
    if ((inner_[line / 64] >> (line % 64) & 1) != 0) {
      // Relaxed: the entry in front of it is published behind this.
      lines_[line].sequence.store(gone, std::memory_order_relaxed);
      unmark(line);
    }
  }
  void unmark(std::uint32_t line) noexcept { inner_[line / 64] &= ~(std::uint64_t{1} << (line % 64)); }
  void mark_inner(std::uint32_t first, std::uint32_t end) noexcept {
    while (first < end) {
      const std::uint32_t bits = std::min(end - first, 64 - first % 64);
      inner_[first / 64] |= ~std::uint64_t{0} >> (64 - bits) << (first % 64);
      first += bits;
    }
  }

  BoxHead* head_ = nullptr;
  Line* lines_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t turn_ = 0;
  std::uint32_t end_ = 0;     // of this round: what goes further is looked at closely
  std::uint32_t passed_ = 0;  // lines left out at the last early turn, until the reader is known to be behind it
  std::uint64_t next_ = 0;    // line, of all there ever were
  std::uint64_t taken_ = 0;   // as last read
  std::uint64_t turned_ = 0;  // where the last early turn was
  bool looked_ = false;
  std::array<std::uint64_t, kMostLines / 64> inner_{};  // lines that hold data where an entry may begin
};

class BoxReader {
 public:
  void open(BoxHead* box, std::uint32_t lines) noexcept {
    head_ = box;
    lines_ = reinterpret_cast<Line*>(box + 1);
    mask_ = lines - 1;
    next_ = 0;
  }
  bool is_open() const noexcept { return head_ != nullptr; }
  void close() noexcept { head_ = nullptr; }
  BoxHead* box() const noexcept { return head_; }

  /// The entry of the message of this number; null: it is not there yet.
  const Line* look(std::uint32_t sequence) const noexcept {
    const Line* const line = lines_ + (static_cast<std::uint32_t>(next_) & mask_);
    // Acquire: the entry was written before its number.
    return line->sequence.load(std::memory_order_acquire) == sequence ? line : nullptr;
  }
  /// To have a line sent takes longer than to read it, so lines that have been written are asked for ahead. Only while
  /// one finds what is there already: a line that is yet to be written would be taken away from the writer.
  void look_ahead() const noexcept {
    __builtin_prefetch(lines_ + (static_cast<std::uint32_t>(next_ + kAhead) & mask_));
  }
  /// Lines from here to the end of the ring: no entry that begins here has more, or passes over more.
  std::uint32_t to_end() const noexcept { return mask_ + 1 - (static_cast<std::uint32_t>(next_) & mask_); }
  /// The entry is read. At most to_end().
  void take(std::uint32_t lines) noexcept {
    next_ += lines;
    // Release: it was read before the writer may write there.
    head_->taken.store(next_, std::memory_order_release);
  }
  /// Lines that have gone through it.
  std::uint64_t passed() const noexcept { return next_; }

 private:
  BoxHead* head_ = nullptr;
  Line* lines_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace weft::msg
