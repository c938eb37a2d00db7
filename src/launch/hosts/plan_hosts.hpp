// From the command line of a job on several hosts to what its agents are told.
#pragma once

#include <vector>

#include "base/options.hpp"
#include "base/result.hpp"
#include "launch/command/arguments.hpp"
#include "launch/hosts/errand.hpp"
#include "launch/hosts/hosts.hpp"

namespace weft::launch::hosts {

/// The hosts of --hosts or --hostfile.
base::Result<std::vector<Host>> hosts_of(const command::Arguments& arguments);

/// Where parts of the command line have hosts of their own (--host): who runs where. A part without runs here.
base::Result<std::vector<Share>> shares_of_parts(const command::Arguments& arguments);

/// With a new key. To be called when our environment is as the PEs are to see it.
base::Result<Errand> errand_of(const command::Arguments& arguments, const base::Options& options,
                               std::vector<Share> shares);

}  // namespace weft::launch::hosts
