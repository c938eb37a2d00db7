// The number of its PE in front of each line.
#pragma once

#include <string>
#include <string_view>

namespace weft::launch::streams {

/// Tags what goes to one output. A line may come in several pieces (a prompt, then its answer): only the first gets the
/// tag, and when another PE comes between, the line is ended and the rest begins a new one.
class Tags {
 public:
  /// The piece of that PE as it is to be written. Valid until the next call.
  std::string_view tagged(int pe, std::string_view piece) {
    text_.clear();
    if (open_ >= 0 && open_ != pe) text_ += '\n';
    bool inside = open_ == pe;
    const std::string tag = "[" + std::to_string(pe) + "] ";
    while (!piece.empty()) {
      if (!inside) text_ += tag;
      const std::size_t end = piece.find('\n');
      const std::size_t length = end == std::string_view::npos ? piece.size() : end + 1;
      text_ += piece.substr(0, length);
      inside = end == std::string_view::npos;
      piece.remove_prefix(length);
    }
    open_ = inside ? pe : -1;
    return text_;
  }
  /// Something else has been written and has ended the line, if one was open.
  void interrupted() { open_ = -1; }
  bool is_open_for(int pe) const { return open_ == pe; }

 private:
  std::string text_;
  int open_ = -1;  // the PE whose line has no end yet
};

}  // namespace weft::launch::streams
