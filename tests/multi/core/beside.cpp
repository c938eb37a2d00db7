// Two front ends in one process, whichever begins first: one job, one PE, and each ends for itself. Run with "toy" or
// "shmem": who begins first.
#include <shmem.h>

#include <cstdio>
#include <cstring>

#include "exercise.hpp"
#include "toy.hpp"

namespace {

using toy::need;

long g_static = 7;

bool shmem_is_initialised() {
  int initialised = -1;
  shmem_query_initialized(&initialised);
  return initialised == 1;
}

// A network takes what any front end wants when it opens, and keeps it until it closes.
bool one_node() {
  for (int pe = 0; pe < toy::n_pes(); ++pe) {
    if (!toy::on_this_node(pe)) {
      return false;
    }
  }
  return true;
}

void use_shmem(long round) {
  auto* word = static_cast<long*>(shmem_malloc(sizeof(long)));
  need(word != nullptr, "no symmetric memory");
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_long_p(word, round + shmem_my_pe(), next);
  shmem_long_p(&g_static, 100 * round + shmem_my_pe(), next);
  shmem_barrier_all();
  const int before = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
  need(*word == round + before, "what was put in the heap is not there");
  need(*static_cast<volatile long*>(&g_static) == 100 * round + before, "what was put in static data is not there");
  shmem_barrier_all();
  shmem_free(word);
}

}  // namespace

int main(int argc, char** argv) {
  const bool toy_first = argc > 1 && std::strcmp(argv[1], "toy") == 0;
  for (int round = 1; round <= 2; ++round) {
    if (toy_first) {
      need(toy::begin(), "the toy does not begin");
      need(!shmem_is_initialised(), "OpenSHMEM seems to be initialised by another front end");
      need(!one_node() || !toy::symmetric_memory(), "symmetric memory is there before OpenSHMEM begins");
      toy::exercise(round);
    }
    shmem_init();
    need(shmem_is_initialised(), "OpenSHMEM is not initialised");
    use_shmem(round);
    if (!toy_first) {
      need(toy::begin(), "the toy does not begin beside OpenSHMEM");
    }
    need(toy::me() == shmem_my_pe() && toy::n_pes() == shmem_n_pes(), "the two are of different jobs");
    toy::exercise(10 + round);
    use_shmem(10 + round);
    if (toy_first) {
      shmem_finalize();
      need(!shmem_is_initialised(), "OpenSHMEM is initialised after its end");
      need(!one_node() || !toy::symmetric_memory(), "nobody needs symmetric memory any more");
      toy::exercise(20 + round);
      toy::end();
    } else {
      toy::end();
      need(toy::symmetric_memory(), "OpenSHMEM's memory went with another front end");
      use_shmem(20 + round);
      shmem_finalize();
    }
  }
  std::printf("PE %d is done\n", toy::me());
  return 0;
}
