// For people: lines that fit a terminal.
#include <algorithm>
#include <cstdio>

#include "print.hpp"

namespace weft::info {
namespace {

constexpr std::size_t kWidth = 110;

// `text` after `begin`, in lines of kWidth; the next ones begin below the first one's text.
void print_wrapped(const std::string& begin, const std::string& text) {
  std::string line = begin;
  std::string rest = text;
  const std::string indent(begin.size(), ' ');
  while (line.size() + rest.size() > kWidth) {
    const std::size_t at = rest.rfind(' ', kWidth - line.size());
    if (at == std::string::npos) break;
    (void)std::printf("%s%s\n", line.c_str(), rest.substr(0, at).c_str());
    rest.erase(0, at + 1);
    line = indent;
  }
  (void)std::printf("%s%s\n", line.c_str(), rest.c_str());
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

void print_build(const Build& build) {
  const auto line = [](const char* what, const std::string& value) { print_wrapped("  " + padded(what, 14), value); };
  (void)std::puts("\nBuild:");
  line("compiler", build.compiler + " for " + build.target);
  line("flags", build.flags + " (" + build.type + ")");
  if (!build.sanitizers.empty()) line("sanitizers", build.sanitizers);
  line("Fortran",
       build.fortran.empty() ? "no module shmem: there was no compiler" : "module shmem by " + build.fortran);
  line("NUMA", build.placement ? "with hwloc" : "without hwloc: WEFT_NUMA=bind and interleave are left out");
}

void print_transports(const About& about) {
  (void)std::puts("\nTransports:");
  for (const Transport& transport : about.transports) {
    print_wrapped("  " + transport.name + ": " + (transport.usable ? "usable: " : "NOT USABLE: "),
                  transport.text + "; " + transport.why);
    for (const Need& need : transport.needs) {
      const char* state = need.usable ? "yes  " : need.required ? "MISSING  " : "no   ";
      print_wrapped("      " + padded(need.name, 26) + state, need.why);
    }
  }
}

// What is said of an offer but for its address.
std::string verdict(const Offer& offer) {
  if (!offer.usable) return "passed over: " + offer.why;
  if (!offer.chosen) return "could be used too";
  return std::string("chosen; its atomic operations ") +
         (offer.amo_cpu_coherent ? "may be mixed with the processors'"
                                 : "may not be mixed with the processors', so all of a job go through it") +
         "; puts of up to " + bytes_text(offer.inject_bytes) + " travel with the request";
}

// Offers that follow each other and differ in nothing but their addresses share a line.
void print_offers(const std::vector<Offer>& offers) {
  for (auto first = offers.begin(); first != offers.end();) {
    std::string addresses;
    auto next = first;
    for (; next != offers.end() && next->name == first->name && verdict(*next) == verdict(*first); ++next) {
      if (!next->address.empty()) addresses += (addresses.empty() ? "at " : ", ") + next->address;
    }
    print_wrapped("  " + padded(first->name, 16), addresses + (addresses.empty() ? "" : ": ") + verdict(*first));
    first = next;
  }
}

void print_network(const Network& network) {
  (void)std::puts("\nNetwork, for jobs of several nodes:");
  if (!network.problem.empty()) {
    print_wrapped("  NONE CAN BE USED: ", network.problem);
  } else {
    print_wrapped("  used: ",
                  network.use == "tcp"
                      ? "TCP, by connections of Weft's own: libfabric has nothing faster here, or WEFT_NET=tcp"
                      : "libfabric: it has something faster than TCP, or is asked for");
  }
  if (!network.library.empty()) {
    (void)std::printf("  %s offers, in the order in which it is tried%s:\n", network.library.c_str(),
                      network.use == "tcp" ? " with WEFT_NET=ofi" : "");
    print_offers(network.offers);
    if (network.left_out > 0) (void)std::printf("  and %d more\n", network.left_out);
  }
  const CopySize& copy = network.copy;
  print_wrapped("  ",
                "a put copies up to " + bytes_text(copy.bytes) + " (" + copy.by + ") and returns; beyond, it waits");
  if (!copy.problem.empty()) {
    print_wrapped("  ", copy.problem);
  } else if (copy.by == "default" && !copy.file.empty()) {
    print_wrapped("  ", "`weft-perf --tune`, run on two hosts, measures it and writes " + copy.file);
  }
  print_wrapped("  ",
                "WEFT_OFI_PROVIDER names a provider to use; FI_PROVIDER, which libfabric reads, hides all others");
}

void print_launchers(const Launchers& launchers) {
  const auto line = [](const char* what, const std::string& value) { print_wrapped("  " + padded(what, 14), value); };
  (void)std::puts("\nLaunchers:");
  line("oshrun", "usable");
  line("by PMI-1", "usable: srun --mpi=pmi2, mpiexec of MPICH");
  line("by PMIx", launchers.pmix_problem.empty() ? "usable: srun --mpi=pmix, mpirun of Open MPI"
                                                 : "NOT USABLE: " + launchers.pmix_problem);
  if (!launchers.seen.empty()) line("here", "started through " + launchers.seen);
}

void print_mpi(const Mpi& mpi) {
  const auto line = [](const char* what, const std::string& value) { print_wrapped("  " + padded(what, 14), value); };
  (void)std::puts("\nMPI, by the standard binary interface of MPI 5.0:");
  if (!mpi.problem.empty()) return line("library", "NOT USABLE: " + mpi.problem);
  line("library", mpi.folder + "/lib/libmpi_abi.so.1");
  line("commands", "mpiexec, mpirun, mpicc and mpicxx in " + mpi.folder + "/bin; oshrun and weft-mpicc do the same");
  line("functions", "`man weft-mpi` lists those that are there");
  line("options", "of messages WEFT_SINGLE_COPY and WEFT_MPI_UNEXPECTED; of collectives WEFT_COLL_..., as below");
}

// "WEFT_SPIN = 0 (environment; default auto)", "SHMEM_INFO: on (environment)"
void print_value(const Option& option) {
  const char* name = option.set_by.empty() ? option.name.c_str() : option.set_by.c_str();
  const char* origin = option.origin == "build" ? "set when Weft was built" : option.origin.c_str();
  const bool is_switch = option.kind == "flag" || option.kind == "debug" || option.kind == "text";
  const std::string fallback = option.origin == "environment" && !is_switch ? "; default " + option.fallback : "";
  (void)std::printf("  %s%s%s (%s%s)\n", name, is_switch ? ": " : " = ",
                    option.value.empty() ? "not set" : option.value.c_str(), origin, fallback.c_str());
}

void print_choices(const Option& option) {
  for (const Choice& choice : option.choices) {
    if (choice.text.empty()) continue;  // the option's own text says it
    print_wrapped("      " + padded(choice.name, 15), choice.text + (choice.usable ? "" : " (not on this processor)"));
  }
}

void print_copies(const About& about) {
  std::string text;
  for (const Tried& tried : about.copies) {
    text += (text.empty() ? "" : ", ") + bytes_text(tried.bytes) + " by " + tried.routine;
  }
  print_wrapped("      ", "tried here and now: " + text);
}

// Those of a front end beside OpenSHMEM come after the others, and under its name.
void print_options(const About& about) {
  (void)std::puts("\nOptions, all of them environment variables:");
  std::string interface;
  for (const Option& option : about.options) {
    if (option.kind == "algorithm") continue;
    const bool other = option.interface != "Weft" && option.interface != "OpenSHMEM";
    if (other && option.interface != interface) {
      interface = option.interface;
      (void)std::printf("\nOptions of %s:\n", interface.c_str());
    }
    print_value(option);
    print_wrapped("      ", option.text);
    print_choices(option);
    if (option.name == "WEFT_COPY") print_copies(about);
  }
}

}  // namespace

void print_algorithms(const About& about) {
  (void)std::puts("Algorithms of the collectives, also set by environment variables, the same on all PEs:");
  for (const Option& option : about.options) {
    if (option.kind != "algorithm") continue;
    print_value(option);
    print_choices(option);
  }
}

void print_about(const About& about) {
  (void)std::printf("Weft %s (%s)\n", about.version.c_str(), about.specification.c_str());
  print_build(about.build);
  print_transports(about);
  print_network(about.network);
  print_launchers(about.launchers);
  print_mpi(about.mpi);
  print_options(about);
  (void)std::puts("");
  print_algorithms(about);
}

void print_program(const Program& program) {
  // What stands in a program is shown, and not believed: it may have a terminal's control characters.
  const auto line = [](const char* what, std::string value) {
    std::replace_if(
        value.begin(), value.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
    print_wrapped("  " + padded(what, 15), value);
  };
  const auto lines = [&](const char* what, const std::vector<std::string>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) line(k == 0 ? what : "", values[k]);
  };
  const auto outcome = [&](const char* where, const Outcome& is) {
    line(where, std::string(outcome_text(is.is)) + (is.why.empty() ? "" : ": " + is.why) +
                    (is.remedy.empty() ? "" : "; " + is.remedy));
  };
  (void)std::printf("%s:\n", program.path.c_str());
  line("kind", program.kind);
  line("build-id", program.build_id.empty() ? "none" : program.build_id);
  lines("compilers", program.compilers);
  lines("written for", program.interfaces);
  if (const auto& atomics = program.atomics) {
    line("atomics", "found " + std::to_string(atomics->jumps + atomics->traps) + "; on several hosts: jumps " +
                        std::to_string(atomics->jumps) + ", traps " + std::to_string(atomics->traps) +
                        (atomics->problem.empty() ? "" : "; " + atomics->problem));
  }
  lines("regions in", program.regions);
  (void)std::puts("Several processes of it:");
  if (program.one_host.why == program.several_hosts.why) {
    outcome("on any hosts", program.one_host);
  } else {
    outcome("on one host", program.one_host);
    outcome("on several", program.several_hosts);
  }
}

bool works(const Check& check) {
  return std::none_of(check.findings.begin(), check.findings.end(),
                      [](const Finding& finding) { return finding.level == Level::kBad; });
}

void print_check(const Check& check) {
  std::size_t counts[4] = {};
  for (const Finding& finding : check.findings) {
    ++counts[static_cast<int>(finding.level)];
    print_wrapped(padded(level_text(finding.level), 6) + padded(std::string(finding.topic) + ":", 16),
                  finding.found + "; " + finding.why);
    if (!finding.remedy.empty()) (void)std::printf("%22smend: %s\n", "", finding.remedy.c_str());
  }
  (void)std::printf("\nA job of %s %s: %zu bad, %zu to be warned of, %zu to note, %zu ok.\n",
                    pes_text(check.n_pes).c_str(), works(check) ? "runs here" : "DOES NOT RUN here", counts[3],
                    counts[2], counts[1], counts[0]);
}

}  // namespace weft::info
