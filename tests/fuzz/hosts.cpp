// Files and lists of hosts, and how PEs are dealt out to them. The first byte says how many PEs, the second how they
// are dealt out.
#include "launch/hosts/hosts.hpp"

#include <algorithm>

#include "boot/job.hpp"
#include "fuzz.hpp"

namespace {

using weft::fuzz::must;
using weft::fuzz::must_be_a_line;
using weft::launch::hosts::Dealing;
using Hosts = weft::base::Result<std::vector<weft::launch::hosts::Host>>;

void deal(const std::vector<weft::launch::hosts::Host>& hosts, int n_pes, const Dealing& how) {
  must(!hosts.empty(), "a list that is taken has a host");
  for (const auto& host : hosts) {
    must(!host.name.empty() && host.name[0] != '-', "no host is an option of ssh");
    must(host.name.find_first_of(" \t\r\n'\"$`;&|[]") == std::string::npos, "no host is a command of a shell");
    must(host.slots >= 0, "no host has less than no PEs");
  }
  const auto shares = weft::launch::hosts::deal_out(n_pes, hosts, how);
  if (!shares) return must_be_a_line(shares.error().text());
  std::vector<int> dealt;
  for (const auto& share : *shares) {
    must(!share.pes.empty(), "no host is for nothing");
    must(std::is_sorted(share.pes.begin(), share.pes.end()), "PEs rise on each host");
    dealt.insert(dealt.end(), share.pes.begin(), share.pes.end());
  }
  must(how.in_turn || std::is_sorted(dealt.begin(), dealt.end()), "PEs follow one another");
  std::sort(dealt.begin(), dealt.end());
  must(static_cast<int>(dealt.size()) == n_pes, "all PEs are dealt out");
  for (int pe = 0; pe < n_pes; ++pe) must(dealt[static_cast<std::size_t>(pe)] == pe, "each PE is dealt out once");
}

void look_at(const Hosts& hosts, int n_pes, const Dealing& how) {
  if (hosts) {
    deal(*hosts, n_pes, how);
  } else {
    must_be_a_line(hosts.error().text());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::Bytes bytes(data, size);
  const int n_pes = 1 + bytes.below(200);
  const int dealing = bytes.below(18);
  const Dealing how{dealing % 9, dealing >= 9};
  look_at(weft::launch::hosts::read_host_file(bytes.rest(), "hosts.txt"), n_pes, how);
  look_at(weft::launch::hosts::read_host_list(bytes.line()), n_pes, how);
  return 0;
}
