#include "report/words.hpp"

#include <cmath>
#include <cstdio>

namespace weft::report {
namespace {

// Three digits that count.
std::string with_unit(double value, const char* unit) {
  char text[48];
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  (void)std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
  return text;
}

}  // namespace

std::string number(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string bytes(std::uint64_t value) {
  if (value < 1024) return std::to_string(value) + " B";
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double scaled = static_cast<double>(value) / 1024;
  std::size_t unit = 0;
  while (scaled >= 999.5 && unit + 1 < std::size(kUnits)) {
    scaled /= 1024;
    ++unit;
  }
  return with_unit(scaled, kUnits[unit]);
}

std::string seconds(double value) {
  if (value <= 0) return "0";
  if (value < 0.9995e-6) return with_unit(value * 1e9, "ns");
  if (value < 0.9995e-3) return with_unit(value * 1e6, "us");
  if (value < 0.9995) return with_unit(value * 1e3, "ms");
  return with_unit(value, "s");
}

std::string percent(double part, double whole) {
  const double share = whole > 0 ? 100 * part / whole : 0;
  if (share > 0 && share < 0.5) return "<1 %";
  return std::to_string(std::lround(share)) + " %";
}

std::string count_of(std::uint64_t count, const char* one) {
  return number(count) + " " + one + (count == 1 ? "" : "s");
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string left(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string tail(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : ".." + text.substr(text.size() - width + 2);
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace weft::report
