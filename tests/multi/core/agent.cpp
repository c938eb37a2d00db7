// PEs are asked while they compute: no routine is called there, and the answers come nevertheless. And the thread that
// gives them is there while the front end is, and no longer.
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <thread>

#include "exercise.hpp"
#include "toy.hpp"

namespace {

constexpr int kQuestions = 20;

long threads() { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); }

using Count = std::atomic<int>;
Count& count_of(int pe, std::uint64_t at) { return *reinterpret_cast<Count*>(toy::at(pe, at)); }

int pes_here() {
  int here = 0;
  for (int pe = 0; pe < toy::n_pes(); ++pe) {
    here += toy::on_this_node(pe) ? 1 : 0;
  }
  return here;
}

// Nothing but loads until all others of this node have their answers.
void compute(Count& answered) {
  const int others = pes_here() - 1;
  while (answered.load(std::memory_order_acquire) < others) {
  }
  answered.store(0, std::memory_order_relaxed);
}

void ask_all(int pe, std::uint64_t at) {
  for (std::uint64_t k = 0; k < kQuestions; ++k) {
    toy::need(toy::ask(pe, k) == toy::answer_of(pe, k), "an answer is not the one to the question");
  }
  if (toy::on_this_node(pe)) {
    count_of(pe, at).fetch_add(1, std::memory_order_release);
  }
}

}  // namespace

int main() {
  std::thread([] {}).join();  // a sanitizer's own one comes with the first
  const long before = threads();
  for (int start = 0; start < 2; ++start) {
    toy::need(toy::begin(), "the toy does not begin");
    // A network may have threads of its own.
    const bool one_node = pes_here() == toy::n_pes();
    toy::need(!one_node || threads() == before + 1, "there is not one thread that serves others");
    const auto at = toy::allocate(sizeof(Count));
    toy::need(at.has_value(), "no room in the own area");
    count_of(toy::me(), *at).store(0, std::memory_order_relaxed);
    for (int pe = 0; pe < toy::n_pes(); ++pe) {
      toy::meet();
      if (pe == toy::me()) {
        compute(count_of(pe, *at));
      } else {
        ask_all(pe, *at);
      }
    }
    toy::meet();
    (void)toy::release(*at);
    toy::end();
    toy::need(!one_node || threads() == before, "a thread is left behind");
  }
  std::printf("PE %d is done\n", toy::me());
  return 0;
}
