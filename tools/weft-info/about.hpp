// What this Weft is: how it was built, what it moves data with, and what it can be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/option_table.hpp"

namespace weft::info {

/// How it was built. No dates and no paths: the same sources and the same tools make the same text.
struct Build {
  std::string compiler;
  std::string flags;
  std::string type;
  std::string sanitizers;  // "" in a normal build
  std::string fortran;     // the compiler that made the module shmem, "" where there was none
  std::string target;      // system and processor
  bool placement = false;  // built with hwloc
};

/// Something that a transport stands on.
struct Need {
  std::string name;
  bool required;
  bool usable;
  std::string why;
};

struct Transport {
  std::string name;
  std::string text;
  bool usable;
  std::string why;
  std::vector<Need> needs;
};

struct Choice {
  std::string name;
  std::string text;
  bool usable = true;
};

/// One environment variable.
struct Option {
  std::string interface;  // whose it is: "OpenSHMEM", or "Weft" where all front ends mind it
  std::string name;
  std::string older;  // "" where there is none
  std::string kind;
  std::string value;  // as it is here and now; of a flag "on" or "off"
  std::string fallback;
  std::string origin;  // "default", "environment" or "built in"
  std::string set_by;  // the variable that was set, the newer or the older one; "" for a default
  std::string text;
  std::vector<Choice> choices;  // empty: any value of its kind
};

/// What copies of about this size use, found out just now as a program does it.
struct Tried {
  std::size_t bytes;
  std::string routine;
};

/// Who starts programs besides oshrun.
struct Launchers {
  std::string seen;          // the process manager that this process's environment names; "" where there is none
  std::string pmix_problem;  // why programs cannot be started through PMIx; "" when they can
};

/// MPI, in a folder of its own.
struct Mpi {
  std::string folder;   // which has bin, lib and include; "" where there is none
  std::string problem;  // why its library cannot be used; "" when it can
};

/// What libfabric has for jobs of several nodes.
struct Offer {
  std::string name;
  std::string address;  // where a PE would listen; "" where that is not known
  bool usable;
  bool chosen;
  std::string why;  // it is passed over; "" when usable
  bool amo_cpu_coherent;
  std::uint64_t inject_bytes;
};

/// How a put to another node goes, by its size.
struct CopySize {
  std::size_t bytes;
  std::string by;       // "WEFT_NET_COPY", "weft-perf --tune" or "default"
  std::string file;     // that weft-perf --tune writes; "" where there is no place for one
  std::string problem;  // with the file; "" when there is none
};

struct Network {
  std::string use;      // "tcp": Weft's own connections, or "ofi": libfabric
  std::string library;  // such as "libfabric 1.17"; "" where Weft has none
  std::string problem;  // why jobs of several nodes would not start; "" when they would
  std::vector<Offer> offers;
  int left_out = 0;  // offers that there was no room for
  CopySize copy;     // with the chosen one
};

struct About {
  std::string version;
  std::string specification;
  Build build;
  std::vector<Transport> transports;
  Network network;
  Launchers launchers;
  Mpi mpi;
  std::vector<Option> options;  // those of collectives are the kind "algorithm"
  std::vector<Tried> copies;
  std::string options_problem;  // the first value that is not understood; "" when all are
};

/// What a table has, as it is here and now.
void add_options(const base::OptionTable& table, std::vector<Option>& options);

/// The network takes longest: libraries are loaded and everything they offer is opened.
About about(bool with_network);
std::vector<Tried> try_copies();
Network network();
Transport transport_of(const Network& network);

}  // namespace weft::info
