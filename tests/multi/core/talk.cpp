// All that the toy does, in a program without symmetric memory or another front end.
#include <cstdio>

#include "exercise.hpp"
#include "toy.hpp"

namespace {
int g_initialised = 42;
}

int main() {
  // The job is there again after its end.
  for (int start = 0; start < 2; ++start) {
    toy::need(toy::begin(), "the toy does not begin");
    for (int round = 0; round < 3; ++round) {
      toy::exercise(10 * start + round);
    }
    toy::need(!toy::symmetric_memory(), "there is symmetric memory that nobody asked for");
    toy::need(toy::yields_to_others(), "PEs of other hosts on this processor would wait for who waits for them");
    toy::need(!toy::in_a_file_of_the_job(&g_initialised) && g_initialised == 42, "static data was moved");
    toy::end();
  }
  std::printf("PE %d of %d is done\n", toy::me(), toy::n_pes());
  return 0;
}
