// Static variables of functions, which come into being when the first thread comes to them: once, whichever process's
// thread that is, and the others wait and see all of it. The program runs with one thread in each process, too.
#include <omp.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kValues = 5000;  // of several pages
constexpr int kMost = 64;

int made = 0, failed = 0, tried = 0, before = 0;
std::array<int, kMost> sums{};

void sleep_50_ms() { usleep(50'000); }

struct Slow {
  std::vector<int> values;
  int number;
  explicit Slow(int value) : values(kValues, 0), number(0) {
    sleep_50_ms();
    for (int& each : values) each = value;
#pragma omp atomic capture
    number = ++made;
  }
  int sum() const {
    int all = 0;
    for (const int each : values) all += each;
    return all;
  }
};

Slow& slow() {
  static Slow the_one(3);
  return the_one;
}

template <int k>
int& counted() {
  static int* const number = new int(k + omp_get_max_threads() * 0);
  return *number;
}

// The first two who try throw.
int third_time() {
  static const int value = [] {
    int now = 0;
#pragma omp atomic capture
    now = ++tried;
    usleep(10'000);
    if (now < 3) throw std::runtime_error("not yet");
    return now * 10;
  }();
  return value;
}

int inner() {
  static const int value = slow().sum() + 1;
  return value;
}

int by_thread() {
  static const int value = [] {
    int from_thread = 0;
    std::thread([&] { from_thread = 7; }).join();
    return from_thread;
  }();
  return value;
}

int early() {
  static const int value = ++before;
  return value;
}

template <class Body>
void all_have(int expected, Body body) {
  const int threads = omp_get_max_threads();
  sums.fill(-1);
#pragma omp parallel
  sums[static_cast<std::size_t>(omp_get_thread_num())] = body();
  for (int k = 0; k < threads; ++k) CHECK(sums[static_cast<std::size_t>(k)] == expected);
}

// Needs itself.
int circle() {
  static const int value = circle() + 1;
  return value;
}

// Thread 0 never comes to an end of it, and the others come behind it.
int entered = 0;
int stuck() {
  static const int value = [] {
#pragma omp atomic write
    entered = 1;
    for (;;) pause();
    return 1;
  }();
  return value;
}

void hang() {
#pragma omp parallel
  {
    for (int is = omp_get_thread_num() == 0 ? 1 : 0; is == 0; usleep(1000)) {
#pragma omp atomic read
      is = entered;
    }
    (void)stuck();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "hang") == 0) hang();
  if (argc > 1) {
#pragma omp parallel
    (void)circle();
    return 0;
  }
  CHECK(early() == 1);
#pragma omp parallel
  CHECK(omp_get_num_threads() <= kMost);
  all_have(3 * kValues, [] { return slow().sum(); });
  CHECK(made == 1 && slow().number == 1);
  // Once more: now the threads may find it made without a call.
  all_have(3 * kValues, [] { return slow().sum(); });
  all_have(1, [] { return early(); });
  all_have(3 * kValues + 1, [] { return inner(); });
  all_have(7, [] { return by_thread(); });
  all_have(30, [] {
    for (;;) {
      try {
        return third_time();
      } catch (const std::runtime_error&) {
#pragma omp atomic
        ++failed;
      }
    }
  });
  CHECK(failed == 2 && tried == 3);
  // What is made without a wait, at once by all, and written by them.
  all_have(0 + 1 + 2 + 3 + 4, [] { return counted<0>() + counted<1>() + counted<2>() + counted<3>() + counted<4>(); });
#pragma omp parallel
  {
#pragma omp atomic
    ++counted<5>();
  }
  CHECK(counted<5>() == 5 + omp_get_max_threads() || omp_get_max_threads() == 0);
  std::puts("all is right");
}
