#include "launch/hosts/plan_hosts.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

#include "boot/job.hpp"
#include "helper/helper.hpp"

namespace weft::launch::hosts {
namespace {

using base::Error;
using base::Result;

// No question that nobody could answer: agents have no terminal. And an end to the waiting for a host that is down.
constexpr const char* kSsh = "ssh -x -T -o BatchMode=yes -o ConnectTimeout=10";

}  // namespace

Result<std::vector<Host>> hosts_of(const command::Arguments& arguments) {
  if (!arguments.host_file.empty()) return load_host_file(arguments.host_file);
  Result<std::vector<Host>> hosts = read_host_list(arguments.hosts);
  if (!hosts) return Error::make("--hosts %.200s: %s", arguments.hosts.c_str(), hosts.error().text());
  return hosts;
}

namespace {

Result<std::vector<Host>> hosts_of_part(const command::Part& part) {
  if (part.hosts.empty()) return std::vector<Host>{{"localhost", 0}};
  Result<std::vector<Host>> hosts = read_host_list(part.hosts);
  if (!hosts) return Error::make("--host %.200s: %s", part.hosts.c_str(), hosts.error().text());
  return hosts;
}

// A host that is in several parts has PEs of them all.
Result<void> add_share(std::vector<Share>& shares, const Share& share, int first) {
  const auto same = [&](const Share& before) { return before.host == share.host; };
  auto found = std::find_if(shares.begin(), shares.end(), same);
  if (found == shares.end()) found = shares.insert(found, Share{share.host, {}});
  for (const int pe : share.pes) found->pes.push_back(first + pe);
  if (found->n_pes() <= boot::kMaxPes) return {};
  return Error::make("--host: %d PEs on %.200s: one host runs %d at most; name more hosts", found->n_pes(),
                     share.host.c_str(), boot::kMaxPes);
}

}  // namespace

Result<std::vector<Share>> shares_of_parts(const command::Arguments& arguments) {
  std::vector<Share> all;
  const std::vector<command::Part>& parts = arguments.parts;
  int first = 0;
  for (std::size_t k = 0; k < parts.size();) {
    int n_pes = 0;
    const command::Part& begin = parts[k];
    for (; k < parts.size() && parts[k].hosts == begin.hosts; ++k) n_pes += parts[k].n_pes;
    const Result<std::vector<Host>> hosts = hosts_of_part(begin);
    if (!hosts) return hosts.error();
    const Result<std::vector<Share>> shares = deal_out(n_pes, *hosts, {arguments.per_host, arguments.in_turn});
    if (!shares) return shares.error();
    for (const Share& share : *shares) {
      if (const Result<void> added = add_share(all, share, first); !added) return added.error();
    }
    first += n_pes;
  }
  return all;
}

Result<Errand> errand_of(const command::Arguments& arguments, const base::Options& options, std::vector<Share> shares) {
  Errand errand;
  const char* ssh = options.ssh.value != nullptr ? options.ssh.value : kSsh;
  errand.ssh = split_words(arguments.ssh.empty() ? ssh : arguments.ssh);
  if (errand.ssh.empty()) {
    return Error::make("%s: the command is empty; name one such as ssh", arguments.ssh.empty() ? "WEFT_SSH" : "--ssh");
  }
  errand.agent = helper::path_of("weft-agent");
  errand.fanout = arguments.fanout;
  errand.silence = arguments.silence;
  std::array<std::uint64_t, 3> random{};
  if (::getrandom(random.data(), sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
    return Error::make("cannot make the job's key (getrandom): %s", std::strerror(errno));
  }
  errand.key = {random[0], random[1]};
  errand.token = random[2];
  errand.shares = std::move(shares);
  for (const command::Part& part : arguments.parts) {
    ErrandPart& made = errand.parts.emplace_back();
    made.n_pes = part.n_pes;
    for (char** word = part.words; *word != nullptr; ++word) made.words.emplace_back(*word);
    made.work_dir = part.work_dir;
    made.path = part.path;
    made.environment = part.environment;
  }
  char here[PATH_MAX];
  if (::getcwd(here, sizeof here) == nullptr) {
    return Error::make("cannot tell the hosts where we are: %s", std::strerror(errno));
  }
  errand.directory = here;
  errand.work_dir = arguments.work_dir;
  const bool relative = !arguments.output_dir.empty() && arguments.output_dir[0] != '/';
  errand.output_dir = relative ? errand.directory + "/" + arguments.output_dir : arguments.output_dir;
  errand.environment = environment_to_pass();
  // --env may name any variable.
  for (const std::string& assignment : arguments.environment) errand.environment.push_back(assignment);
  errand.input = arguments.input;
  errand.bind_to = arguments.bind_to;
  errand.map_by = arguments.map_by;
  errand.report_bindings = arguments.report_bindings;
  errand.by_mpiexec = arguments.called.for_mpi();
  return errand;
}

}  // namespace weft::launch::hosts
