// Some PEs do not come to main: they serve those that do, before it, until they are told to leave. Run with "forget",
// nobody tells them.
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "exercise.hpp"
#include "toy.hpp"

using toy::need;

int main(int argc, char** argv) {
  const bool forget = argc > 1 && std::strcmp(argv[1], "forget") == 0;
  need(toy::begin(), "the toy does not begin");
  const int running = toy::n_pes() - toy::n_servers();
  need(toy::me() < running, "a PE that serves runs main");
  std::vector<int> pes(static_cast<std::size_t>(running));
  std::iota(pes.begin(), pes.end(), 0);
  for (std::uint64_t question = 0; question < 50; ++question) {
    for (int server = running; server < toy::n_pes(); ++server) {
      need(toy::ask(server, question) == toy::answer_of(server, question), "an answer is not the one to the question");
    }
  }
  // All that run main have come here.
  const std::uint64_t one = 1;
  std::uint64_t all = 0;
  toy::sum(pes, &one, &all, 1);
  need(all == static_cast<std::uint64_t>(running), "a sum is not right");
  if (forget) {
    return 0;
  }
  for (int server = running; toy::me() == 0 && server < toy::n_pes(); ++server) {
    toy::dismiss(server);
  }
  toy::end();
  std::printf("PE %d is done\n", toy::me());
  return 0;
}
