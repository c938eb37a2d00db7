#include "omp/environment/parse.hpp"

#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "omp/state/icv.hpp"
#include "omp/sync/fatal.hpp"

namespace weft::omp {

namespace {

bool invalid(const char* name) noexcept {
  complain("Invalid value for environment variable %s", name);
  return false;
}

bool digits(const char*& text, unsigned long& value) noexcept {
  skip_blanks(text);
  if (std::isdigit(static_cast<unsigned char>(*text)) == 0 && *text != '+') {
    return false;
  }
  errno = 0;
  char* end = nullptr;
  value = std::strtoul(text, &end, 10);
  if (errno != 0 || end == text) {
    return false;
  }
  text = end;
  skip_blanks(text);
  return true;
}

struct Choice {
  const char* word;
  unsigned value;
};

template <std::size_t N>
bool choose(const char*& text, const Choice (&choices)[N], unsigned& value) noexcept {
  for (const Choice& each : choices) {
    if (word(text, each.word)) {
      value = each.value;
      return true;
    }
  }
  return false;
}

const char* variable(const char* name) noexcept { return std::getenv(name); }

bool at_end(const char* text) noexcept {
  skip_blanks(text);
  return *text == '\0';
}

}  // namespace

void skip_blanks(const char*& text) noexcept {
  while (std::isspace(static_cast<unsigned char>(*text)) != 0) {
    ++text;
  }
}

bool word(const char*& text, const char* expected) noexcept {
  const char* at = text;
  skip_blanks(at);
  const std::size_t length = std::strlen(expected);
  if (::strncasecmp(at, expected, length) != 0 || std::isalnum(static_cast<unsigned char>(at[length])) != 0 ||
      at[length] == '_') {
    return false;
  }
  text = at + length;
  skip_blanks(text);
  return true;
}

bool read_bool(const char* name, bool& value) noexcept {
  const char* text = variable(name);
  if (text == nullptr) {
    return false;
  }
  unsigned found = 0;
  if (!choose(text, {{"true", 1}, {"false", 0}}, found) || !at_end(text)) {
    return invalid(name);
  }
  value = found != 0;
  return true;
}

bool read_number(const char* name, unsigned long& value, bool zero_allowed) noexcept {
  const char* text = variable(name);
  unsigned long found = 0;
  if (text == nullptr) {
    return false;
  }
  if (!digits(text, found) || *text != '\0' || (found == 0 && !zero_allowed) || found > LONG_MAX) {
    return invalid(name);
  }
  value = found;
  return true;
}

bool read_int(const char* name, int& value, bool zero_allowed) noexcept {
  unsigned long found = 0;
  if (!read_number(name, found, zero_allowed)) {
    return false;
  }
  if (found > INT_MAX) {
    return invalid(name);
  }
  value = static_cast<int>(found);
  return true;
}

bool read_numbers(const char* name, unsigned long& first, const unsigned long*& list, unsigned& length) noexcept {
  const char* text = variable(name);
  if (text == nullptr) {
    return false;
  }
  auto* const found = static_cast<unsigned long*>(need_memory((std::strlen(text) / 2 + 1) * sizeof(unsigned long)));
  unsigned n = 0;
  do {
    unsigned long one = 0;
    if (!digits(text, one) || one == 0 || one > LONG_MAX) {
      std::free(found);
      return invalid(name);
    }
    found[n++] = one;
  } while (*text == ',' && *++text != '\0');
  if (*text != '\0' || text[-1] == ',') {
    std::free(found);
    return invalid(name);
  }
  first = found[0];
  list = found;
  length = n;
  if (n == 1) {
    list = nullptr;
    length = 0;
    std::free(found);
  }
  return true;
}

bool read_bytes(const char* name, std::size_t& value, unsigned usual) noexcept {
  const char* text = variable(name);
  unsigned long found = 0;
  if (text == nullptr) {
    return false;
  }
  if (!digits(text, found)) {
    return invalid(name);
  }
  unsigned shift = usual;
  unsigned of_letter = 0;
  if (choose(text, {{"b", 0}, {"k", 10}, {"m", 20}, {"g", 30}}, of_letter)) {
    shift = of_letter;
  }
  if (!at_end(text) || (found << shift) >> shift != found) {
    return invalid(name);
  }
  value = found << shift;
  return true;
}

bool read_schedule(unsigned& schedule, int& chunk) noexcept {
  const char* text = variable("OMP_SCHEDULE");
  if (text == nullptr) {
    return false;
  }
  unsigned monotonic = 0;
  const bool modified = choose(text, {{"monotonic", 1}, {"nonmonotonic", 2}}, monotonic);
  if (modified) {
    if (*text != ':') {
      complain("Unknown value for environment variable OMP_SCHEDULE");
      return false;
    }
    ++text;
  }
  unsigned kind = 0;
  if (!choose(text, {{"static", kStatic}, {"dynamic", kDynamic}, {"guided", kGuided}, {"auto", kAuto}}, kind)) {
    complain("Unknown value for environment variable OMP_SCHEDULE");
    return false;
  }
  if (monotonic == 1 || (kind == kStatic && monotonic == 0)) {
    kind |= kMonotonic;
  }
  schedule = kind;
  const bool fixed = (kind & ~kMonotonic) == kStatic;
  if (at_end(text)) {
    chunk = fixed ? 0 : 1;
    return true;
  }
  // As libgomp has it: a negative number is one, and what is none leaves the kind.
  char* end = nullptr;
  errno = 0;
  const long size = *text == ',' ? std::strtol(text + 1, &end, 10) : 0;
  if (*text != ',' || end == text + 1 || errno != 0 || !at_end(end) || size != static_cast<int>(size)) {
    complain("Invalid value for chunk size in environment variable OMP_SCHEDULE");
    return false;
  }
  chunk = size == 0 && !fixed ? 1 : static_cast<int>(size);
  return true;
}

bool read_wait_policy(int& policy) noexcept {
  const char* text = variable("OMP_WAIT_POLICY");
  if (text == nullptr) {
    return false;
  }
  unsigned found = 0;
  if (!choose(text, {{"active", 1}, {"passive", 0}}, found) || !at_end(text)) {
    return invalid("OMP_WAIT_POLICY");
  }
  policy = static_cast<int>(found);
  return true;
}

bool read_spin_count(long long& count) noexcept {
  const char* text = variable("GOMP_SPINCOUNT");
  if (text == nullptr) {
    return false;
  }
  if (word(text, "infinite") || word(text, "infinity")) {
    if (!at_end(text)) {
      return invalid("GOMP_SPINCOUNT");
    }
    count = LLONG_MAX;
    return true;
  }
  unsigned long found = 0;
  if (!digits(text, found)) {
    return invalid("GOMP_SPINCOUNT");
  }
  unsigned long long factor = 1;
  switch (std::tolower(static_cast<unsigned char>(*text))) {
    case 'k': factor = 1000; break;
    case 'm': factor = 1'000'000; break;
    case 'g': factor = 1'000'000'000; break;
    case 't': factor = 1'000'000'000'000; break;
    default: break;
  }
  if (factor != 1) {
    ++text;
  }
  long long all = 0;
  if (!at_end(text) || __builtin_mul_overflow(found, factor, &all)) {
    return invalid("GOMP_SPINCOUNT");
  }
  count = all;
  return true;
}

bool read_binds(const char* name, unsigned char& first, const unsigned char*& list, unsigned& length) noexcept {
  const char* text = variable(name);
  if (text == nullptr) {
    return false;
  }
  auto* const found = static_cast<unsigned char*>(need_memory(std::strlen(text) + 1));
  unsigned n = 0;
  for (;;) {
    unsigned value = 0;
    if (!choose(text,
                {{"false", kBindFalse},
                 {"true", kBindTrue},
                 {"master", kBindPrimary},
                 {"primary", kBindPrimary},
                 {"close", kBindClose},
                 {"spread", kBindSpread}},
                value) ||
        (value <= kBindTrue && (n != 0 || *text == ','))) {
      std::free(found);
      return invalid(name);
    }
    found[n++] = static_cast<unsigned char>(value);
    if (*text != ',') {
      break;
    }
    ++text;
  }
  if (!at_end(text)) {
    std::free(found);
    return invalid(name);
  }
  first = found[0];
  list = n > 1 ? found : nullptr;
  length = n > 1 ? n : 0;
  if (n == 1) {
    std::free(found);
  }
  return true;
}

bool read_offload(unsigned& value) noexcept {
  const char* text = variable("OMP_TARGET_OFFLOAD");
  if (text == nullptr) {
    return false;
  }
  unsigned found = 0;
  if (!choose(text, {{"default", 0}, {"mandatory", 1}, {"disabled", 2}}, found) || !at_end(text)) {
    return invalid("OMP_TARGET_OFFLOAD");
  }
  value = found;
  return true;
}

bool read_allocator(unsigned long& value) noexcept {
  const char* text = variable("OMP_ALLOCATOR");
  if (text == nullptr) {
    return false;
  }
  unsigned found = 0;
  if (!choose(text,
              {{"omp_default_mem_alloc", 1},
               {"omp_large_cap_mem_alloc", 2},
               {"omp_const_mem_alloc", 3},
               {"omp_high_bw_mem_alloc", 4},
               {"omp_low_lat_mem_alloc", 5},
               {"omp_cgroup_mem_alloc", 6},
               {"omp_pteam_mem_alloc", 7},
               {"omp_thread_mem_alloc", 8}},
              found) ||
      !at_end(text)) {
    return invalid("OMP_ALLOCATOR");
  }
  value = found;
  return true;
}

}  // namespace weft::omp
