// Result<T>: a value or the sentence that says why there is none.
//
// The place that saw the cause builds the sentence; everybody above only passes it on.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace weft::base {

/// One line for a person: what was wrong, with the value, and what to do.
class Error {
 public:
  static constexpr int kMaxText = 480;

  [[gnu::format(printf, 1, 2)]] static Error make(const char* format, ...) noexcept {
    Error error;
    va_list args;
    va_start(args, format);
    (void)std::vsnprintf(error.text_, sizeof error.text_, format, args);
    va_end(args);
    // Messages repeat what somebody wrote, who shall neither make two lines of one nor command the terminal.
    for (char& c : error.text_) {
      if ((c > '\0' && c < ' ') || c == '\x7f') c = '?';
    }
    return error;
  }
  const char* text() const noexcept { return text_; }

 private:
  char text_[kMaxText] = {};
};

/// T must be default constructible: the library is built without exceptions and keeps this type trivial to read.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) noexcept : value_(std::move(value)), ok_(true) {}
  Result(const Error& error) noexcept : error_(error) {}

  explicit operator bool() const noexcept { return ok_; }
  T& operator*() noexcept { return value_; }
  const T& operator*() const noexcept { return value_; }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }
  const Error& error() const noexcept { return error_; }

 private:
  T value_{};
  Error error_{};
  bool ok_ = false;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() noexcept : ok_(true) {}
  Result(const Error& error) noexcept : error_(error) {}

  explicit operator bool() const noexcept { return ok_; }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_{};
  bool ok_ = false;
};

}  // namespace weft::base
