// Marks at a home: which of its pages others have fetched since it last looked. A bit for each page, and one for each
// word of those that may have some, and a word that says whether there are any.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace weft::dsm::protocol {

class Marks {
 public:
  /// Bytes for so many pages. All zero at first.
  static constexpr std::uint64_t bytes_for(std::uint32_t pages) noexcept {
    return 8 * (words_for(pages) + words_for(static_cast<std::uint32_t>(words_for(pages))) + 1);
  }
  Marks() = default;
  Marks(void* at, std::uint32_t pages) noexcept
      : words_(static_cast<std::atomic<std::uint64_t>*>(at)),
        tops_(words_ + words_for(pages)),
        any_(tops_ + words_for(static_cast<std::uint32_t>(words_for(pages)))),
        pages_(pages) {}

  /// Before the contents are read. seq_cst: either the home sees the mark, or who sets it reads what the home wrote.
  void set(std::uint32_t page) const noexcept {
    words_[page / 64].fetch_or(std::uint64_t{1} << page % 64, std::memory_order_seq_cst);
    tops_[page / 4096].fetch_or(std::uint64_t{1} << page / 64 % 64, std::memory_order_seq_cst);
    // seq_cst: who sees here that there are some does so before each() takes that back, in the one order of all that is
    // seq_cst; and each() reads the bits behind that, in that order too, so it finds those above.
    if (any_->load(std::memory_order_seq_cst) == 0) {
      any_->store(1, std::memory_order_seq_cst);
    }
  }

  /// Calls note(number of a word, its bits) for each word with marks, and leaves them; who is called takes them away
  /// with clear() when it has done what comes before that. What is set later is found the next time.
  template <class Note>
  void each(Note&& note) const noexcept {
    if (!any()) {
      return;
    }
    // seq_cst, as are the reads of bits below: see set().
    any_->store(0, std::memory_order_seq_cst);
    const std::uint64_t tops = words_for(static_cast<std::uint32_t>(words_for(pages_)));
    for (std::uint64_t top = 0; top < tops; ++top) {
      // seq_cst: the caller's fence stands before the store above, and so does not order this behind it. Mostly there
      // is nothing, so it is not exchanged at once.
      if (tops_[top].load(std::memory_order_seq_cst) == 0) {
        continue;
      }
      for (std::uint64_t left = tops_[top].exchange(0, std::memory_order_seq_cst); left != 0; left &= left - 1) {
        const auto word = static_cast<std::uint32_t>(top * 64 + static_cast<std::uint64_t>(std::countr_zero(left)));
        if (const std::uint64_t bits = words_[word].load(std::memory_order_seq_cst); bits != 0) {
          note(word, bits);
        }
      }
    }
  }
  void clear(std::uint32_t word, std::uint64_t bits) const noexcept {
    words_[word].fetch_and(~bits, std::memory_order_seq_cst);
  }
  // Relaxed: the caller's fence stands before.
  bool any() const noexcept { return any_->load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr std::uint64_t words_for(std::uint32_t bits) noexcept {
    return (static_cast<std::uint64_t>(bits) + 63) / 64;
  }

  std::atomic<std::uint64_t>* words_ = nullptr;
  std::atomic<std::uint64_t>* tops_ = nullptr;
  std::atomic<std::uint64_t>* any_ = nullptr;
  std::uint32_t pages_ = 0;
};

}  // namespace weft::dsm::protocol
