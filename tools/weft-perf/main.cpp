// weft-perf: what puts, gets and atomic operations between two PEs cost, and up to which size a put is better copied.
#include <shmem.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "measure.hpp"
#include "network.hpp"
#include "store.hpp"
#include "transport/tuning.hpp"

namespace {

using namespace weft;

constexpr int kWrongUse = 2;  // as oshrun's
constexpr std::size_t kLargest = std::size_t{1} << 20;

struct Wishes {
  bool tune = false;
  int pe = -1;  // -1: the first on another node, or the last
};

// Only PE 0 speaks.
int complain(const std::string& text, int exit_code) {
  (void)std::fflush(stdout);
  if (shmem_my_pe() == 0) (void)std::fprintf(stderr, "weft-perf: %s\n", text.c_str());
  return exit_code;
}

int partner(const std::byte* there) {
  for (int pe = 1; pe < shmem_n_pes(); ++pe) {
    if (shmem_ptr(there, pe) == nullptr) return pe;
  }
  return shmem_n_pes() - 1;
}

std::string host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

void report(const perf::Buffers& buffers, long* counter, int pe) {
  (void)std::printf("%10s %12s %12s %12s %12s\n", "bytes", "put us", "get us", "puts MB/s", "gets MB/s");
  for (std::size_t bytes = 8; bytes <= buffers.bytes; bytes *= bytes < 4096 ? 8 : 4) {
    const perf::Row row = perf::measure_row(buffers, pe, bytes);
    (void)std::printf("%10zu %12.2f %12.2f %12.1f %12.1f\n", row.bytes, row.put, row.get, row.put_stream,
                      row.get_stream);
  }
  const perf::Atomics atomics = perf::measure_atomics(counter, pe);
  (void)std::printf("of 64 bits: fetch-add %.2f us, compare-swap %.2f us, add %.2f us\n", atomics.fetch_add,
                    atomics.compare_swap, atomics.add);
  (void)std::puts("put and add: until done in the other's memory; puts and gets: 16 at a time; medians");
}

int tune(const perf::Buffers& buffers, int pe, transport::Transport* network) {
  if (network == nullptr) {
    return complain(
        "--tune measures the network, and this job has one node; start it on two, as in oshrun -n 2 --hosts A,B "
        "weft-perf --tune",
        1);
  }
  const base::Result<base::Options> options = base::read_options();
  char path[transport::kTuningPathRoom];
  if (!options || !transport::tuning_path(*options, path, sizeof path)) {
    return complain("no place for the result: neither WEFT_NET_FILE nor XDG_CONFIG_HOME nor HOME is set", 1);
  }
  const std::vector<perf::Sample> samples = perf::measure_samples(*network, buffers, pe);
  if (samples.empty()) return complain("the buffers of puts cannot be changed: no memory?", 1);
  (void)std::printf("%10s %12s %12s\n", "bytes", "copied us", "direct us");
  for (const perf::Sample& sample : samples) {
    (void)std::printf("%10zu %12.2f %12.2f\n", sample.bytes, sample.copied, sample.direct);
  }
  const std::size_t found = perf::crossover(samples);
  if (const std::string why = perf::store(path, network->name(), found); !why.empty()) return complain(why, 1);
  (void)std::printf(
      "%s: puts of up to %zu bytes are copied from now on; it was %zu. Written to %s on %s; other hosts read "
      "a file of their own.\n",
      network->name(), found, network->copy_bytes(), path, host().c_str());
  return 0;
}

// All PEs come here; PE 0 works, and the others wait in the barrier behind it.
int measure(const Wishes& wishes, std::byte* there, long* counter, char* hosts) {
  const int me = shmem_my_pe();
  const int pe = wishes.pe >= 0 ? wishes.pe : partner(there);
  constexpr std::size_t kHostRoom = 256;
  (void)std::snprintf(hosts, kHostRoom, "%s", host().c_str());
  shmem_barrier_all();
  int code = 0;
  if (me == 0) {
    std::vector<std::byte> here(kLargest, std::byte{1});
    const perf::Buffers buffers{there, here.data(), kLargest};
    char other[kHostRoom] = {};
    shmem_getmem(other, hosts, sizeof other - 1, pe);
    transport::Transport* network = shmem_ptr(there, pe) == nullptr ? perf::network_in_use() : nullptr;
    (void)std::printf("PE 0 on %s and PE %d on %s, by %s\n", hosts, pe, other,
                      network != nullptr ? network->name() : "shared memory");
    if (wishes.tune) {
      code = tune(buffers, pe, network);
    } else {
      report(buffers, counter, pe);
    }
  }
  shmem_barrier_all();
  return code;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Measures puts, gets and atomic operations between two PEs.\n"
      "Start it by oshrun: oshrun -n 2 --hosts A,B weft-perf",
      "weft-perf");
  Wishes wishes;
  app.set_version_flag("-V,--version", "weft-perf " WEFT_VERSION);
  app.add_flag("-t,--tune", wishes.tune,
               "measure up to which size a put to another node is better copied, and store it for later jobs");
  app.add_option("-p,--pe", wishes.pe, "PE 0 measures against this PE; default: the first on another node, or the last")
      ->type_name("PE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) return shmem_my_pe() == 0 ? app.exit(problem) : 0;  // --help
    return complain(std::string(problem.what()) + "; see weft-perf --help", kWrongUse);
  }
  if (shmem_n_pes() < 2) {
    return complain("this job has one PE, and it takes two to measure; start it as in oshrun -n 2 weft-perf",
                    kWrongUse);
  }
  if (wishes.pe >= shmem_n_pes() || wishes.pe == 0 || wishes.pe < -1) {
    return complain(
        "--pe " + std::to_string(wishes.pe) + ": name one of the PEs 1 to " + std::to_string(shmem_n_pes() - 1),
        kWrongUse);
  }
  auto* there = static_cast<std::byte*>(shmem_malloc(kLargest));
  auto* counter = static_cast<long*>(shmem_calloc(1, sizeof(long)));
  auto* hosts = static_cast<char*>(shmem_calloc(1, 256));
  if (there == nullptr || counter == nullptr || hosts == nullptr) {
    return complain("the symmetric heap is too small; raise SHMEM_SYMMETRIC_SIZE to 2M", 1);
  }
  return measure(wishes, there, counter, hosts);
}

}  // namespace

int main(int argc, char** argv) {
  shmem_init();
  int code = 1;
  try {
    code = run(argc, argv);
  } catch (const std::exception& problem) {  // CLI11's own mistakes, and no memory
    code = complain(problem.what(), 1);
  }
  shmem_finalize();
  return code;
}
