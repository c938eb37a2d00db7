// What oshrun tells its agents before anything runs: the whole job, the same for all, so that each passes it on to the
// agents below it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/command/arguments.hpp"
#include "launch/hosts/hosts.hpp"
#include "launch/tree/branches.hpp"
#include "launch/tree/frames.hpp"

namespace weft::launch::hosts {

// Words of the room below that the whole of this one uses.
using tree::Frame;
using tree::FrameKind;
using tree::kAllNodes;
using tree::Packer;
using tree::Unpacker;

struct ErrandPart {
  int n_pes = 0;
  std::vector<std::string> words;             // the program, as the user wrote it, and its arguments
  std::string work_dir = {};                  // of this part; empty: the job's
  std::string path = {};                      // where the program is looked for; empty: PATH
  std::vector<std::string> environment = {};  // NAME=VALUE, of this part's PEs
};

struct Errand {
  std::vector<std::string> ssh;  // the command that takes a host and what to run there
  std::string agent;             // the path of weft-agent, the same everywhere
  int fanout = 16;               // agents that one process starts itself
  std::uint64_t silence = 0;     // ns without a word after which a neighbour counts as lost; 0: never
  std::uint64_t token = 0;       // names the job
  std::array<std::uint64_t, 2> key{};
  std::vector<Share> shares;  // of each node
  std::vector<ErrandPart> parts;
  std::vector<std::string> environment;  // NAME=VALUE
  std::string directory;                 // where oshrun was started
  std::string work_dir;                  // --wdir
  std::string output_dir;                // --output-dir
  bool by_mpiexec = false;               // the user has called oshrun by a name for MPI
  command::InputTo input = command::InputTo::kPe0;
  std::string bind_to = "none";
  std::string map_by;
  bool report_bindings = false;

  int n_pes() const;
  int n_nodes() const { return static_cast<int>(shares.size()); }
};

std::string pack(const Errand& errand);
/// False: these bytes are no errand.
bool unpack(std::string_view bytes, Errand& errand);

/// What the first agent of a branch is told: its nodes, and the errand as pack() made it.
std::string errand_for(const tree::Branch& nodes, std::string_view packed);
/// False: these bytes are no such thing.
bool unpack_for(std::string_view bytes, tree::Branch& nodes, Errand& errand);

/// What of our environment PEs on other hosts get: Weft's own variables, those of the network below it, and where
/// programs and libraries are found. The rest there is that host's own.
std::vector<std::string> environment_to_pass();

/// Words of a command that a user wrote in one text, with blanks between them.
std::vector<std::string> split_words(std::string_view text);

}  // namespace weft::launch::hosts
