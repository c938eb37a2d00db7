// C++: objects in clauses, exceptions that stay inside, reductions of a class's own.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(c)                                  \
  do {                                            \
    if (!(c)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #c); \
      std::exit(1);                               \
    }                                             \
  } while (0)

struct Sum {
  std::vector<long> parts;
  void add(const Sum& other) { parts.insert(parts.end(), other.parts.begin(), other.parts.end()); }
};
#pragma omp declare reduction(join:Sum : omp_out.add(omp_in)) initializer(omp_priv = Sum{})

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 4;
  omp_set_num_threads(threads);
  for (int k = 0; k < 20; ++k) {
    Sum all;
#pragma omp parallel for reduction(join : all) schedule(dynamic, 5)
    for (long i = 0; i < 100; ++i) all.parts.push_back(i);
    long sum = 0;
    for (const long each : all.parts) sum += each;
    CHECK(sum == 4950 && all.parts.size() == 100);

    std::string text(100, 'a');
    int caught = 0;
#pragma omp parallel firstprivate(text) reduction(+ : caught)
    {
      text += std::to_string(omp_get_thread_num());
      try {
        throw text;
      } catch (const std::string& thrown) {
        caught += thrown.size() > 100 ? 1 : 0;
      }
    }
    CHECK(caught == threads);

    // A task's argument that has to be copied and destroyed.
    std::size_t length = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 50; ++i) {
      std::string own(static_cast<std::size_t>(i) + 50, 'b');
#pragma omp task firstprivate(own) shared(length)
      {
#pragma omp atomic
        length += own.size();
      }
    }
    CHECK(length == 50U * 50U + 1225U);
    std::vector<int> values(1000, 1);
    long total = 0;
#pragma omp parallel for reduction(+ : total)
    for (auto at = values.begin(); at < values.end(); ++at) total += *at;
    CHECK(total == 1000);
  }
  std::puts("all is right");
  return 0;
}
