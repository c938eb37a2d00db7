// What the environment says about a process manager. The library looks there before main, where it must not do more.
#pragma once

namespace weft::pmi {

using Lookup = const char* (*)(const char* name);

struct Environment {
  bool pmix = false;       // a PMIx server is named
  bool pmi1 = false;       // a descriptor is named on which PMI-1 is spoken
  bool pmi1_port = false;  // a manager is named that wants to be called over TCP, which nothing here does
  int pmi1_fd = -1;
  int pmi1_rank = -1;
  int pmi1_size = 0;
  int pmix_size = 0;  // as the launchers tell it; 0: not told
  /// The first PE of this node, if what the launchers tell is true and each node has PEs that follow one another. Only
  /// a guess, that is dropped where the evidence is another.
  int first_here = 0;
  /// In the first of several tasks that srun has started without a manager: how many they are. Else 0.
  int tasks_alone = 0;

  /// Whether this process may be one of several.
  bool several() const noexcept { return (pmix && pmix_size != 1) || ((pmi1 || pmi1_port) && pmi1_size != 1); }
  /// How many there may be on one node.
  int most_pes() const noexcept;
};

Environment read_environment(Lookup lookup) noexcept;
Environment read_environment() noexcept;

}  // namespace weft::pmi
