// What all harnesses use. A harness is a function of bytes, LLVMFuzzerTestOneInput; it ends the process when a promise
// of the code below it is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace weft::fuzz {

inline void must(bool holds, const char* promise) {
  if (holds) return;
  (void)std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}

/// A message for people: there, one line, and nothing in it that a terminal takes for a command.
inline void must_be_a_line(std::string_view text) {
  must(!text.empty(), "a message says something");
  for (const char c : text) must(static_cast<unsigned char>(c) >= ' ' && c != 127, "a message is one line");
}

/// The bytes, taken one thing after another; zeros when there are no more.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  template <class T>
  T take() {
    T value{};
    const std::string_view from = rest_.substr(0, sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), from.size());
    rest_.remove_prefix(from.size());
    return value;
  }
  /// One of the numbers 0 to n - 1.
  int below(int n) { return take<std::uint8_t>() % n; }
  std::string_view line() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(line.size() < rest_.size() ? line.size() + 1 : rest_.size());
    return line;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace weft::fuzz
