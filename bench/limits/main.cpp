// limits [--repetitions N] [--ms T] small | blocks | amo | collectives | pingpong | barrier N | start N OSHRUN PROGRAM
#include <cstdio>
#include <cstdlib>
#include <string>

#include "limits/limits.hpp"

int main(int argc, char** argv) {
  struct plan plan {};
  const int at = read_plan(argc, argv, &plan);
  const std::string what = at < argc ? argv[at] : "";
  const int n = at + 1 < argc ? std::atoi(argv[at + 1]) : 0;
  using weft::bench::Kind;
  if (what == "small" && argc == at + 1) {
    weft::bench::measure_access(plan, Kind::kSmall);
  } else if (what == "blocks" && argc == at + 1) {
    weft::bench::measure_access(plan, Kind::kBlocks);
  } else if (what == "amo" && argc == at + 1) {
    weft::bench::measure_access(plan, Kind::kAtomics);
  } else if (what == "collectives" && argc == at + 1) {
    weft::bench::measure_collectives(plan);
  } else if (what == "pingpong" && argc == at + 1) {
    weft::bench::measure_ping_pong(plan);
  } else if (what == "barrier" && argc == at + 2 && n >= 2) {
    weft::bench::measure_barrier(plan, n);
  } else if (what == "start" && argc == at + 4 && n >= 1) {
    weft::bench::measure_start(plan, n, argv[at + 2], argv[at + 3]);
  } else {
    (void)std::fprintf(
        stderr,
        "usage: limits [--repetitions N] [--ms T] small | blocks | amo | collectives | pingpong | barrier N | "
        "start N OSHRUN PROGRAM\n");
    return 2;
  }
  return 0;
}
