// Keeps the lines of one PE whole.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace weft::launch::streams {

/// Takes what one PE writes as it comes and passes on whole lines; the end of a line that has begun is awaited.
/// `Pass` is called with pieces that belong together: nothing of another PE may come between them.
class LineKeeper {
 public:
  /// A line longer than this is passed on in parts.
  static constexpr std::size_t kLongest = 64 * 1024;

  template <class Pass>
  void add(std::string_view bytes, Pass&& pass) {
    const void* last = bytes.empty() ? nullptr : ::memrchr(bytes.data(), '\n', bytes.size());
    if (last != nullptr) {
      const std::size_t whole = static_cast<std::size_t>(static_cast<const char*>(last) - bytes.data()) + 1;
      flush(pass);
      pass(bytes.substr(0, whole));
      bytes.remove_prefix(whole);
    }
    begun_.append(bytes);
    if (begun_.size() > kLongest) flush(pass);
  }

  /// Passes on a line that has not ended: its PE is gone, or has been quiet for a while (a prompt).
  template <class Pass>
  void flush(Pass&& pass) {
    if (begun_.empty()) return;
    pass(std::string_view(begun_));
    begun_.clear();
  }

  bool holds_some() const { return !begun_.empty(); }

 private:
  std::string begun_;
};

}  // namespace weft::launch::streams
