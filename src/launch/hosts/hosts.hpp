// Which hosts a job runs on, and which of its PEs each gets. Words in, plain data out: nothing is asked of a host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weft::launch::hosts {

struct Host {
  std::string name;  // as ssh is to be given it: host, user@host or an alias of ssh's
  int slots = 0;     // 0: nothing was said
};

/// "a,b:4,c". A host that is named again gets as many slots more, one where no number is given.
base::Result<std::vector<Host>> read_host_list(std::string_view text);

/// A file of one host a line, as Open MPI ("host slots=4") or MPICH ("host:4") has it; # begins a comment. `file` is
/// its name, for messages.
base::Result<std::vector<Host>> read_host_file(std::string_view text, const std::string& file);
base::Result<std::vector<Host>> load_host_file(const std::string& file);

/// The PEs that run on one host, in rising order: what is n-th there has the number n on that node.
struct Share {
  std::string host;
  std::vector<int> pes;
  int n_pes() const { return static_cast<int>(pes.size()); }
};

struct Dealing {
  int per_host = 0;      // > 0: so many at most to each
  bool in_turn = false;  // PE after PE to the next host that has room
};

/// Deals `n_pes` PEs out: the first host gets the first ones, and so on, each as many as it may have. That is what
/// `how` says, else where hosts have slots as many as they have, one for a host that does not say; where none has, they
/// get them evenly. Hosts that get none are left out.
base::Result<std::vector<Share>> deal_out(int n_pes, const std::vector<Host>& hosts, const Dealing& how);

/// Whether a host of this name is the one we run on, as far as its name shows.
bool is_this_host(std::string_view name);

}  // namespace weft::launch::hosts
