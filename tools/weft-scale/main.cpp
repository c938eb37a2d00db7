// weft-scale: what a job of many nodes would take to start, to meet and to notice that one has died, on machines that
// are made up, by the code that oshrun, weft-agent and the library have.
#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>

#include "boot/enter.hpp"
#include "boot/job.hpp"
#include "calls.hpp"
#include "job.hpp"
#include "world.hpp"

namespace {

using namespace weft;
using scale::kMs;
using scale::kSecond;

constexpr int kWrongUse = 2;  // as oshrun's

struct Wishes {
  scale::Shape shape;
  double gbits = 10;
  double latency_us = 50;
  double ssh_ms = 300;
  double fork_us = 500;
  double silence_s = 30;
  std::size_t bytes = 8;
};

double ms(scale::Ns time) { return static_cast<double>(time) / kMs; }
double mib(double bytes) { return bytes / (1 << 20); }

void say(const char* what, scale::Ns time, const scale::Traffic& traffic) {
  (void)std::printf("%-34s %12.2f ms %12llu messages %12.2f MiB\n", what, ms(time),
                    static_cast<unsigned long long>(traffic.messages), mib(static_cast<double>(traffic.bytes)));
}

// What a process keeps for each PE and node of the job.
void say_memory(const scale::Job& job, const scale::Network& network) {
  const auto pes = static_cast<double>(job.shape.n_pes());
  const double cards = pes * sizeof(boot::PeerCard);
  const double errand = static_cast<double>(job.errand_bytes());
  (void)std::printf("\nmemory of a node: cards of all PEs %.2f MiB, once for its PEs; its agent's errand %.2f KiB\n",
                    mib(cards), errand / 1024);
  (void)std::printf("memory of oshrun: records of all PEs %.2f MiB\n", mib(pes * sizeof(boot::PeRecord)));
  (void)std::printf("of a node go up: cards %zu bytes of %zu, first records %zu of %zu\n", job.largest_cards(),
                    static_cast<std::size_t>(job.shape.pes) * sizeof(boot::PeerCard), job.largest_records(),
                    static_cast<std::size_t>(job.shape.pes) * sizeof(boot::PeRecord));
  (void)std::printf("on their way at a time, at most: %.2f MiB\n", mib(static_cast<double>(network.most_on_the_way())));
}

int simulate(const Wishes& wishes) {
  const scale::Shape& shape = wishes.shape;
  const scale::Rates rates{wishes.gbits / 8, static_cast<scale::Ns>(wishes.latency_us * 1000)};
  scale::Costs costs;
  costs.ssh = static_cast<scale::Ns>(wishes.ssh_ms * kMs);
  costs.fork = static_cast<scale::Ns>(wishes.fork_us * 1000);
  (void)std::printf("%d nodes of %d PEs: %d; %g Gbit/s, %g us, %d agents below each\n\n", shape.nodes, shape.pes,
                    shape.n_pes(), wishes.gbits, wishes.latency_us, shape.fanout);
  scale::Events events;
  scale::Network network(events, shape.nodes + 1, rates);
  scale::Job job(events, network, shape, costs);

  const scale::Job::Started started = job.start();
  say("start, until all have all cards", started.cards, network.take_traffic());
  (void)std::printf("  agents run %.2f ms, all are ready %.2f ms, PEs are started %.2f ms\n", ms(started.agents),
                    ms(started.ready), ms(started.pes));
  const scale::Traffic& out = network.sent_by(job.launcher());
  const scale::Traffic& in = network.heard_by(job.launcher());
  (void)std::printf("  oshrun sends %.2f MiB, hears %.2f MiB in %llu messages\n", mib(static_cast<double>(out.bytes)),
                    mib(static_cast<double>(in.bytes)), static_cast<unsigned long long>(in.messages));
  if (!job.cards_are_right()) {
    (void)std::fprintf(stderr, "weft-scale: the nodes do not have the cards that were given\n");
    return 1;
  }
  constexpr int kQuiet = 10;  // s
  job.idle(kQuiet * kSecond);
  (void)network.take_traffic();
  job.idle(kQuiet * kSecond);
  say("10 s in which nothing happens", kQuiet * kSecond, network.take_traffic());

  // A network of its own: the tree has said what it has to say.
  scale::Events calls;
  scale::Network between(calls, shape.nodes, rates);
  const scale::Ns meeting = scale::barrier(calls, between, shape.nodes, shape.pes);
  say("barrier, between nodes", meeting, between.take_traffic());
  const scale::Ns collected = scale::fcollect(calls, between, shape.nodes, shape.pes, wishes.bytes);
  say(("fcollect of " + std::to_string(wishes.bytes) + " bytes").c_str(), collected, between.take_traffic());
  const scale::Alltoall alltoall = scale::alltoall(rates, shape.nodes, shape.pes, wishes.bytes);
  (void)std::printf("%-34s %12.2f ms %12.4g messages %12.2f MiB (reckoned)\n",
                    ("alltoall of " + std::to_string(wishes.bytes) + " bytes").c_str(), alltoall.ns / kMs,
                    alltoall.messages, mib(alltoall.bytes));

  (void)network.take_traffic();
  const int dies = 0;  // the way to the most others
  const scale::Job::Death death = job.switch_off(dies);
  say("death of node 0, until noticed", death.noticed, network.take_traffic());
  (void)std::printf("  all others told to end %.2f ms, the %d below it have left %.2f ms\n", ms(death.told),
                    death.below, ms(death.left));
  say_memory(job, network);
  return 0;
}

int complain(const std::string& text) {
  (void)std::fprintf(stderr, "weft-scale: %s\n", text.c_str());
  return kWrongUse;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Shows what a job of many nodes takes to start, to meet and to notice that one has died.\n"
      "Machines and network are made up; who tells whom what is oshrun's, weft-agent's and the library's code.",
      "weft-scale");
  Wishes wishes;
  scale::Shape& shape = wishes.shape;
  app.set_version_flag("-V,--version", "weft-scale " WEFT_VERSION);
  app.add_option("-N,--nodes", shape.nodes, "how many nodes")->capture_default_str()->check(CLI::Range(2, 65536));
  app.add_option("-p,--ppn", shape.pes, "PEs of each")->capture_default_str()->check(CLI::Range(1, boot::kMaxPes));
  app.add_option("--fanout", shape.fanout, "agents that one process starts itself")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--gbits", wishes.gbits, "what a machine sends and hears, in Gbit/s")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 10'000.0));
  app.add_option("--latency", wishes.latency_us, "from one machine to another, in us")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--ssh", wishes.ssh_ms, "until an agent runs that ssh starts, in ms")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--fork", wishes.fork_us, "what an agent takes to start one PE, in us")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--link-timeout", wishes.silence_s, "silence after which a neighbour is lost, in s")
      ->capture_default_str()
      ->check(CLI::Range(2.0, 3600.0));
  app.add_option("--bytes", wishes.bytes, "what each PE gives to collectives")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem);  // --help
    return complain(std::string(problem.what()) + "; see weft-scale --help");
  }
  if (shape.n_pes() > boot::kMostJobPes) {
    return complain(std::to_string(shape.nodes) + " nodes of " + std::to_string(shape.pes) +
                    " PEs: a job has at most " + std::to_string(boot::kMostJobPes) + " PEs; give fewer");
  }
  shape.silence = static_cast<scale::Ns>(wishes.silence_s * kSecond);
  return simulate(wishes);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& problem) {
    (void)std::fprintf(stderr, "weft-scale: %s\n", problem.what());
    return 1;
  }
}
