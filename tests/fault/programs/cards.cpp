// A PE of a job of several nodes that has no network: it exchanges cards and tells whom it found. Arguments: rounds,
// and a PE that never comes to the last one.
#include "boot/cards.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "boot/enter.hpp"

namespace {

// The PEs of a node have one table: nobody may fill its card for the next round while others still read. What a program
// would do in shmem_finalize; the word is one that a PE without static data does not use.
void wait_for_readers(weft::boot::JobHeader* job, int local, int round) {
  const auto done = static_cast<std::uint64_t>(round);
  weft::boot::pe_record(job, local)->program_base.store(done, std::memory_order_release);
  for (int other = 0; other < static_cast<int>(job->n_pes); ++other) {
    while (weft::boot::pe_record(job, other)->program_base.load(std::memory_order_acquire) < done) (void)::usleep(1000);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace weft;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  const int missing = argc > 2 ? std::atoi(argv[2]) : -1;
  const std::string instead = argc > 3 ? argv[3] : "leaves";
  const base::Result<boot::Attachment> attached = boot::enter_job();
  if (!attached) {
    (void)std::fprintf(stderr, "%s\n", attached.error().text());
    return 1;
  }
  boot::JobHeader* job = attached->job;
  for (int round = 1; round <= rounds; ++round) {
    if (round == rounds && attached->me == missing) {
      if (instead == "exits") {
        boot::pe_record(job, attached->local)->presence.exit_asked = boot::exit_request(attached->me, 9);
        job->exit_request = boot::exit_request(attached->me, 9);
        (void)::kill(job->launcher_pid, SIGCHLD);
      }
      if (instead == "strays") job->exit_request = boot::kExitAsked | 9;
      if (instead != "leaves") (void)::sleep(1000);
      return 0;
    }
    boot::PeerCard mine{};
    mine.program = static_cast<std::uint64_t>(1000 * round + attached->me);
    if (const base::Result<void> done = boot::exchange_cards(job, attached->me, mine); !done) {
      (void)std::fprintf(stderr, "%s\n", done.error().text());
      return 1;
    }
    std::string found;
    for (int pe = 0; pe < static_cast<int>(job->job_pes); ++pe) {
      const boot::PeerCard& card = *boot::peer_card(job, pe);
      found += " " + std::to_string(card.program) + "@" + std::to_string(card.node) + "." + std::to_string(card.local);
    }
    (void)std::printf("%d: PE %d, here %d of %u, node %u of %u, key %d:%s\n", round, attached->me, attached->local,
                      job->n_pes, job->node, job->n_nodes, (job->key[0] | job->key[1]) != 0 ? 1 : 0, found.c_str());
    (void)std::fflush(stdout);
    if (round < rounds) wait_for_readers(job, attached->local, round);
  }
  return 0;
}
