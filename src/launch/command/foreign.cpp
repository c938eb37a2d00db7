#include "launch/command/foreign.hpp"

#include <algorithm>
#include <iterator>

namespace weft::launch::command {
namespace {

constexpr std::string_view kComponents =
    "it sets components of Open MPI, which Weft has none of; leave it out (SHMEM_INFO=1 lists Weft's variables)";
constexpr std::string_view kSamePlace = "Weft lies in the same place on every host (see man oshrun); leave it out";
constexpr std::string_view kAllocation = "oshrun allocates nothing; give it to sbatch, salloc or srun, or leave it out";
constexpr std::string_view kFiles = "write --output-dir DIR for files of each PE, or redirect the output of oshrun";
constexpr std::string_view kDebugger = "write --debug, or --debug=0 for PE 0 only";
constexpr std::string_view kReach = "hosts are reached by ssh; write --ssh COMMAND for another way";
constexpr std::string_view kPerHost = "write -N 4 for four PEs on each host";
constexpr std::string_view kBinding = "write --bind-to core, socket or numa, and --map-by for the order";
constexpr std::string_view kNumbers =
    "PEs are numbered host after host, or by turns over the hosts with --map-by node; leave it out";
constexpr std::string_view kWhole =
    "PEs get the environment of oshrun, on other hosts a part (see man oshrun); write -x NAME=VALUE to set more";
constexpr std::string_view kParts = "write all programs on the command line: -n 1 ./a : -n 3 ./b";
constexpr std::string_view kAlone = "it is alone on the command line; write all options into the file";
constexpr std::string_view kVerbose = "write -v, which tells what is started where";
constexpr std::string_view kCopies = "oshrun copies nothing; the program must lie on every host";
constexpr std::string_view kEnds = "a job ends when a PE fails, and cannot go on without it; leave it out";

constexpr Foreign kWords[] = {
    // The number and the place of PEs.
    {"-c", {}, "write -n 4 for four PEs, and --bind-to for the processors they get"},
    {"--ntasks", "--np"},
    {"--machinefile", "--hostfile"},
    {"-f", "--hostfile"},
    {"--npernode", "--ppn"},
    {"--ntasks-per-node", "--ppn"},
    {"--pernode", {}, "write -N 1 for one PE on each host"},
    {"--npersocket", {}, kBinding},
    {"-w", "--hosts"},
    {"--nodelist", "--hosts"},
    {"--nodes", {}, kPerHost},
    {"--oversubscribe"},
    {"--overcommit"},
    {"--nooversubscribe", {}, "there may be more PEs than processors; write -n with fewer"},
    {"--nolocal", {}, "name the hosts that are meant: --hosts a,b"},
    {"--allow-run-as-root"},
    // Order and binding.
    {"--bynode", {}, "write --map-by node"},
    {"--byslot", {}, "leave it out: host after host is what --map-by slot means, too"},
    {"--bycore", {}, kBinding},
    {"--bind-to-core", {}, kBinding},
    {"--bind-to-socket", {}, kBinding},
    {"--bind-to-none", {}, "write --bind-to none, or leave it out"},
    {"--cpu-bind", {}, kBinding},
    {"--cpus-per-proc", {}, kBinding},
    {"--cpus-per-task", {}, kBinding},
    {"--cpus-per-rank", {}, kBinding},
    {"--cpu-set", {}, "start oshrun under taskset -c LIST: PEs run where it may"},
    {"--rank-by", {}, kNumbers},
    {"--ranking", {}, kNumbers},
    {"--rankfile", {}, kNumbers},
    {"-rf", {}, kNumbers},
    {"--distribution", {}, kNumbers},
    {"-m", {}, kNumbers},
    // The environment.
    {"--genv", "--env", {}, true},
    {"-env", "--part-env", {}, true},
    {"--genvall"},
    {"--envall"},
    {"--genvlist", {}, "write -x NAME for each of them"},
    {"--envlist", {}, "write -x NAME for each of them"},
    {"--genvnone", {}, kWhole},
    {"--envnone", {}, kWhole},
    {"--export", {}, kWhole},
    {"--wd", "--wdir"},
    {"--chdir", "--wdir"},
    {"-D", "--wdir"},
    // Input and output.
    {"--label", "--tag-output"},
    {"--prepend-rank", "--tag-output"},
    {"--unbuffered"},
    {"-u"},
    {"--quiet"},
    {"-q"},
    {"-s", {}, "write --stdin all, 0 or none"},
    {"--input", {}, "redirect the input of oshrun, and write --stdin all where every PE is to read it"},
    {"-i", {}, "redirect the input of oshrun, and write --stdin all where every PE is to read it"},
    {"--output-filename", {}, kFiles},
    {"--outfile-pattern", {}, kFiles},
    {"--errfile-pattern", {}, kFiles},
    {"--output", {}, kFiles},
    {"--error", {}, kFiles},
    {"-o", {}, kFiles},
    {"-e", {}, kFiles},
    {"--merge-stderr-to-stdout", {}, "write 2>&1 behind the command"},
    {"--stream-buffering"},
    {"--timestamp-output", {}, "pass the output through a program that adds the time, such as ts"},
    {"--xml", {}, "output is passed on as it is; leave it out"},
    // The end.
    {"--time", {}, "write --timeout 10m"},
    {"-t", {}, "write --timeout 10m"},
    {"--kill-on-bad-exit"},
    {"-K"},
    {"--wait", {}, kEnds},
    {"--enable-recovery", {}, kEnds},
    {"--continuous", {}, kEnds},
    {"--disable-auto-cleanup", {}, kEnds},
    // What tells more.
    {"--debugger", {}, kDebugger},
    {"--debug-daemons", {}, kVerbose},
    {"--tv", {}, kDebugger},
    {"--gdb", {}, kDebugger},
    {"--xterm", {}, "write --debug --debug-in terminals"},
    {"-d", {}, kVerbose},
    {"--display-map", {}, kVerbose},
    {"--display-allocation", {}, kVerbose},
    {"--display", {}, kVerbose},
    {"--show-progress", {}, kVerbose},
    {"--print-all-exitcodes", {}, kVerbose},
    {"--print-rank-map", {}, kVerbose},
    {"--info", {}, "write --version, or run weft-info"},
    // Their own machinery.
    {"--mca", {}, kComponents},
    {"--gmca", {}, kComponents},
    {"--pmca", {}, kComponents},
    {"--omca", {}, kComponents},
    {"--prtemca", {}, kComponents},
    {"--tune", {}, kComponents},
    {"-am", {}, kComponents},
    {"--personality", {}, kComponents},
    {"--prefix", {}, kSamePlace},
    {"--noprefix", {}, kSamePlace},
    {"--enable-orterun-prefix-by-default", {}, kSamePlace},
    {"--hetero", {}, "all hosts run the same Weft on the same kind of machine; leave it out"},
    {"--hetero-nodes", {}, "each host is looked at by itself; leave it out"},
    {"--preload-binary", {}, kCopies},
    {"--preload-files", {}, kCopies},
    {"--bcast", {}, kCopies},
    {"--app", {}, kAlone},
    {"--multi-prog", {}, kParts},
    {"--iface", {}, "write -x WEFT_NET_INTERFACE=eth0 for the network that PEs use"},
    {"--mpi", {}, "oshrun starts PEs by itself; leave it out"},
    {"--launcher", {}, kReach},
    {"--launcher-exec", {}, kReach},
    {"--bootstrap", {}, kReach},
    {"--bootstrap-exec", {}, kReach},
    {"--rmk", {}, kReach},
    {"--rsh-agent", {}, kReach},
    {"--usize", {}, "PEs start no further ones; leave it out"},
    {"--disable-hostname-propagation"},
    // What a resource manager gives.
    {"-p", {}, kAllocation},
    {"--partition", {}, kAllocation},
    {"-A", {}, kAllocation},
    {"--account", {}, kAllocation},
    {"-J", {}, kAllocation},
    {"--job-name", {}, kAllocation},
    {"--mem", {}, kAllocation},
    {"--mem-per-cpu", {}, kAllocation},
    {"--gres", {}, kAllocation},
    {"--gpus", {}, kAllocation},
    {"--exclusive", {}, kAllocation},
    {"--reservation", {}, kAllocation},
    {"--constraint", {}, kAllocation},
    {"-C", {}, kAllocation},
    {"--qos", {}, kAllocation},
};

// A letter has one dash and nothing else; longer words are written with one as often as with two.
bool is_same(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const std::size_t one = a.find_first_not_of('-');
  const std::size_t other = b.find_first_not_of('-');
  if (one == a.npos || other == b.npos || one > 2 || other > 2) return false;
  return a.size() - one > 1 && a.substr(one) == b.substr(other);
}

}  // namespace

const Foreign* find_foreign(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const Foreign& word) { return is_same(word.name, name); });
  return found == std::end(kWords) ? nullptr : found;
}

}  // namespace weft::launch::command
