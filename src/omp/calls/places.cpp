// omp_get_place*, and what threads tell of their affinity.
#include <unistd.h>
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "omp/sync/fatal.hpp"
#include "omp/team/places.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {
namespace {

template <class Number>
void give_processors(int number, Number* ids) noexcept {
  if (const cpu_set_t* const set = place(number); set != nullptr) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, set)) {
        *ids++ = cpu;
      }
    }
  }
}

template <class Number>
void give_partition(Number* numbers) noexcept {
  const Position& at = self().at;
  for (unsigned k = 0; number_of_places() != 0 && k < at.places; ++k) {
    *numbers++ = static_cast<Number>(at.first_place) + static_cast<Number>(k);
  }
}

int place_of_thread() noexcept {
  Thread& me = self();
  return number_of_places() == 0 ? -1 : std::max(me.at.place, 0);
}

// Fortran's strings have no end but their length, which follows all arguments.
struct Text {
  char* words;
  Text(const char* from, std::size_t length) noexcept : words(static_cast<char*>(need_memory(length + 1))) {
    while (length > 0 && from[length - 1] == ' ') {
      --length;
    }
    std::memcpy(words, from, length);
    words[length] = '\0';
  }
  ~Text() { std::free(words); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
};

void pad(char* to, std::size_t room, const char* from) noexcept {
  const std::size_t length = std::min(room, std::strlen(from));
  std::memcpy(to, from, length);  // NOLINT(bugprone-not-null-terminated-result): Fortran's have none
  std::memset(to + length, ' ', room - length);
}

void display(const char* format) noexcept {
  const Thread& me = self();
  char few[512];
  const std::size_t length = write_affinity(me, format, few, sizeof few);
  char* text = few;
  if (length + 1 >= sizeof few) {
    text = static_cast<char*>(need_memory(length + 2));
    (void)write_affinity(me, format, text, length + 1);
  }
  text[length] = '\n';
  (void)!::write(2, text, length + 1);  // a whole line
  if (text != few) {
    std::free(text);
  }
}

}  // namespace
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {

int omp_get_num_places(void) { return weft::omp::number_of_places(); }
int omp_get_num_places_(void) { return weft::omp::number_of_places(); }
int omp_get_place_num(void) { return weft::omp::place_of_thread(); }
int omp_get_place_num_(void) { return weft::omp::place_of_thread(); }
int omp_get_place_num_procs(int number) {
  const cpu_set_t* const set = weft::omp::place(number);
  return set != nullptr ? CPU_COUNT(set) : 0;
}
int omp_get_place_num_procs_(const int32_t* number) { return omp_get_place_num_procs(*number); }
int omp_get_place_num_procs_8_(const int64_t* number) {
  return *number < 0 || *number > INT_MAX ? 0 : omp_get_place_num_procs(static_cast<int>(*number));
}
void omp_get_place_proc_ids(int number, int* ids) { weft::omp::give_processors(number, ids); }
void omp_get_place_proc_ids_(const int32_t* number, int32_t* ids) { weft::omp::give_processors(*number, ids); }
void omp_get_place_proc_ids_8_(const int64_t* number, int64_t* ids) {
  if (*number >= 0 && *number <= INT_MAX) {
    weft::omp::give_processors(static_cast<int>(*number), ids);
  }
}
int omp_get_partition_num_places(void) {
  return weft::omp::number_of_places() == 0 ? 0 : static_cast<int>(weft::omp::self().at.places);
}
int omp_get_partition_num_places_(void) { return omp_get_partition_num_places(); }
void omp_get_partition_place_nums(int* numbers) { weft::omp::give_partition(numbers); }
void omp_get_partition_place_nums_(int32_t* numbers) { weft::omp::give_partition(numbers); }
void omp_get_partition_place_nums_8_(int64_t* numbers) { weft::omp::give_partition(numbers); }

void omp_set_affinity_format(const char* format) { weft::omp::set_affinity_format(format, std::strlen(format)); }
void omp_set_affinity_format_(const char* format, size_t length) {
  const weft::omp::Text text(format, length);
  omp_set_affinity_format(text.words);
}
size_t omp_get_affinity_format(char* to, size_t room) {
  const char* const format = weft::omp::affinity_format();
  const size_t length = std::strlen(format);
  if (room > 0) {
    const size_t n = std::min(length, room - 1);
    std::memcpy(to, format, n);
    to[n] = '\0';
  }
  return length;
}
int32_t omp_get_affinity_format_(char* to, size_t room) {
  weft::omp::pad(to, room, weft::omp::affinity_format());
  return static_cast<int32_t>(std::min<size_t>(std::strlen(weft::omp::affinity_format()), INT32_MAX));
}
void omp_display_affinity(const char* format) { weft::omp::display(format); }
void omp_display_affinity_(const char* format, size_t length) {
  const weft::omp::Text text(format, length);
  weft::omp::display(text.words);
}
size_t omp_capture_affinity(char* to, size_t room, const char* format) {
  return weft::omp::write_affinity(weft::omp::self(), format, to, room);
}
int32_t omp_capture_affinity_(char* to, const char* format, size_t room, size_t length) {
  const weft::omp::Text text(format, length);
  const size_t needed = weft::omp::write_affinity(weft::omp::self(), text.words, nullptr, 0);
  auto* const all = static_cast<char*>(weft::omp::need_memory(needed + 1));
  (void)weft::omp::write_affinity(weft::omp::self(), text.words, all, needed + 1);
  weft::omp::pad(to, room, all);
  std::free(all);
  return static_cast<int32_t>(std::min<size_t>(needed, INT32_MAX));
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
