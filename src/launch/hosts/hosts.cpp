#include "launch/hosts/hosts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <unordered_map>

#include "boot/job.hpp"

namespace weft::launch::hosts {
namespace {

using base::Error;
using base::Result;

int length(std::string_view text) { return static_cast<int>(std::min<std::size_t>(text.size(), 200)); }

constexpr std::string_view kBlanks = " \t\r";
// In one word: a slip of the finger in brackets shall not take all memory.
constexpr int kMostHosts = 1 << 16;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A word that begins with a dash would be an option of ssh.
Result<void> check_name(std::string_view name) {
  if (name.empty()) return Error::make("a host has no name");
  const bool fine = name[0] != '-' && std::none_of(name.begin(), name.end(), [](unsigned char c) {
                      return c <= ' ' || c == 127 || std::strchr("'\"\\$`;&|<>(){}[]*?!", c) != nullptr;
                    });
  if (!fine) return Error::make("'%.*s' is no name of a host", length(name), name.data());
  return {};
}

Result<int> read_slots(std::string_view host, std::string_view text) {
  int slots = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
  if (error != std::errc{} || stop != text.data() + text.size() || slots < 1 || slots > boot::kMaxPes) {
    return Error::make("host %.*s: its number of PEs is '%.*s'; give one from 1 to %d, or none", length(host),
                       host.data(), length(text), text.data(), boot::kMaxPes);
  }
  return slots;
}

// "[::1]" as "::1", and "me@[::1]" as "me@::1", as ssh has it.
std::string without_brackets(std::string_view name) {
  const std::size_t at = name.find('@');
  const std::size_t open = at == std::string_view::npos ? 0 : at + 1;
  if (name.size() < open + 3 || name[open] != '[' || name.back() != ']') return std::string(name);
  return std::string(name.substr(0, open)).append(name.substr(open + 1, name.size() - open - 2));
}

// "name" or "name:4". An IPv6 address stands in brackets where a number follows, as it does elsewhere.
Result<Host> read_host(std::string_view text) {
  Host host;
  const std::size_t colon = text.rfind(':');
  const bool is_address =
      std::count(text.begin(), text.end(), ':') > 1 && text.back() != ']' && (colon == 0 || text[colon - 1] != ']');
  std::string_view name = text;
  if (colon != std::string_view::npos && !is_address && text.back() != ']') {
    name = text.substr(0, colon);
    const Result<int> slots = read_slots(name, text.substr(colon + 1));
    if (!slots) return slots.error();
    host.slots = *slots;
  }
  host.name = without_brackets(name);
  if (const Result<void> fine = check_name(host.name); !fine) return fine.error();
  return host;
}

// Of a host, or of several in one: each bracket is closed before the next is opened.
Result<void> check_brackets(std::string_view text) {
  bool inside = false;
  bool paired = true;
  for (const char c : text) {
    if (c != '[' && c != ']') continue;
    paired = paired && (c == '[') != inside;
    inside = c == '[';
  }
  if (paired && !inside) return {};
  return Error::make("'%.*s': its brackets are not in pairs; write node[1-3], or [::1]:4 for an address with a number",
                     length(text), text.data());
}

// The comma that ends the first host of a list; those in brackets are of one. npos: it is the last.
std::size_t end_of_host(std::string_view text) {
  bool inside = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    inside = text[k] == '[' || (inside && text[k] != ']');
    if (text[k] == ',' && !inside) return k;
  }
  return std::string_view::npos;
}

struct Numbers {
  int first = 0;
  int last = 0;
  int digits = 0;  // that each is written with at least: "08-11"
};

// "3" or "08-11".
bool read_numbers(std::string_view text, Numbers* numbers) {
  const auto read = [](std::string_view digits, int* value) {
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *value);
    return !digits.empty() && digits[0] != '-' && error == std::errc{} && stop == digits.data() + digits.size();
  };
  const std::size_t dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  numbers->digits = static_cast<int>(std::min<std::size_t>(first.size(), 16));
  return first.size() <= 16 && read(first, &numbers->first) &&
         read(dash == std::string_view::npos ? first : text.substr(dash + 1), &numbers->last) &&
         numbers->first <= numbers->last;
}

// Names as Slurm writes them, "node[1-3,07]-ib", as single ones behind one another; others stay. An IPv6 address in
// brackets has a colon there.
Result<std::vector<std::string>> expand(std::string_view text, int brackets = 0) {
  constexpr int kMostBrackets = 4;
  constexpr std::size_t kMostName = 1024;  // a whole line of a file, without what is in its brackets
  const std::size_t open = text.find('[');
  const std::size_t close = open == std::string_view::npos ? open : text.find(']', open);
  if (close == std::string_view::npos || text.substr(open, close - open).find(':') != std::string_view::npos) {
    return std::vector<std::string>{std::string(text)};
  }
  if (brackets == kMostBrackets || text.size() - (close - open) > kMostName) {
    return Error::make("'%.*s' is too long for a name of hosts", length(text), text.data());
  }
  const Result<std::vector<std::string>> ends = expand(text.substr(close + 1), brackets + 1);
  if (!ends) return ends.error();
  std::vector<std::string> names;
  std::string_view inside = text.substr(open + 1, close - open - 1);
  for (bool more = true; more;) {
    const std::size_t comma = inside.find(',');
    more = comma != std::string_view::npos;
    Numbers numbers;
    if (!read_numbers(trimmed(inside.substr(0, comma)), &numbers)) {
      return Error::make("'%.*s': brackets hold numbers, as in node[1-3,7]", length(text), text.data());
    }
    inside.remove_prefix(more ? comma + 1 : 0);
    const long long all = static_cast<long long>(names.size()) +
                          (1LL + numbers.last - numbers.first) * static_cast<long long>(ends->size());
    if (all > kMostHosts) {
      return Error::make("'%.*s' is more than %d hosts, which is the most", length(text), text.data(), kMostHosts);
    }
    for (int number = numbers.first; number <= numbers.last; ++number) {
      char digits[24];
      (void)std::snprintf(digits, sizeof digits, "%0*d", numbers.digits, number);
      for (const std::string& end : *ends) names.push_back(std::string(text.substr(0, open)) + digits + end);
    }
  }
  return names;
}

// A host that is named again is found among tens of thousands.
class HostList {
 public:
  void add(Host host) {
    const auto [place, is_new] = places_.try_emplace(host.name, hosts_.size());
    if (is_new) return hosts_.push_back(std::move(host));
    Host& same = hosts_[place->second];
    // Far more than a host runs, and the sum of two is a number.
    same.slots = std::min(std::max(same.slots, 1) + std::max(host.slots, 1), 2 * boot::kMaxPes);
  }
  std::vector<Host> take() { return std::move(hosts_); }

 private:
  std::vector<Host> hosts_;
  std::unordered_map<std::string, std::size_t> places_;
};

Result<Host> read_line(std::string_view line) {
  const std::size_t blank = line.find_first_of(kBlanks);
  Result<Host> host = read_host(line.substr(0, blank));
  if (!host) return host;
  std::string_view rest = blank == std::string_view::npos ? std::string_view{} : trimmed(line.substr(blank));
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(kBlanks);
    const std::string_view word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : trimmed(rest.substr(end));
    constexpr std::string_view kSlots = "slots=";
    // Open MPI's largest number of PEs with --oversubscribe: a bound that we do not need.
    if (word.substr(0, 10) == "max_slots=" || word.substr(0, 10) == "max-slots=") continue;
    if (word.substr(0, kSlots.size()) != kSlots) {
      return Error::make("'%.*s' after the host's name; write: %s slots=4, or %s:4", length(word), word.data(),
                         host->name.c_str(), host->name.c_str());
    }
    const Result<int> slots = read_slots(host->name, word.substr(kSlots.size()));
    if (!slots) return slots.error();
    host->slots = *slots;
  }
  return host;
}

// The hosts of a word or of a line, which may be several names in one.
Result<void> add_each(HostList& hosts, std::string_view text, Result<Host> (*read)(std::string_view)) {
  if (const Result<void> fine = check_brackets(text); !fine) return fine.error();
  const Result<std::vector<std::string>> names = expand(text);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    Result<Host> host = read(name);
    if (!host) return host.error();
    hosts.add(std::move(*host));
  }
  return {};
}

int full(const Host& host) { return std::max(host.slots, 1); }

// The PEs of each host, which has room for so many; together they have room for all.
std::vector<std::vector<int>> deal_in_turn(int n_pes, const std::vector<int>& room) {
  std::vector<std::vector<int>> dealt(room.size());
  for (int pe = 0; pe < n_pes;) {
    for (std::size_t k = 0; k < room.size() && pe < n_pes; ++k) {
      if (static_cast<int>(dealt[k].size()) < room[k]) dealt[k].push_back(pe++);
    }
  }
  return dealt;
}

std::vector<std::vector<int>> deal_blocks(int n_pes, const std::vector<int>& room) {
  std::vector<std::vector<int>> dealt(room.size());
  int pe = 0;
  for (std::size_t k = 0; k < room.size(); ++k) {
    for (int end = std::min(n_pes, pe + room[k]); pe < end; ++pe) dealt[k].push_back(pe);
  }
  return dealt;
}

std::vector<int> even_blocks(int n_pes, int n_hosts) {
  std::vector<int> sizes;
  sizes.reserve(static_cast<std::size_t>(n_hosts));
  for (int k = 0; k < n_hosts; ++k) sizes.push_back(n_pes / n_hosts + (k < n_pes % n_hosts ? 1 : 0));
  return sizes;
}

}  // namespace

Result<std::vector<Host>> read_host_list(std::string_view text) {
  HostList hosts;
  for (bool more = true; more;) {
    const std::size_t comma = end_of_host(text);
    more = comma != std::string_view::npos;
    const std::string_view word = trimmed(text.substr(0, comma));
    if (word.empty()) return Error::make("a host has no name; write a,b or a:4,b:4");
    const Result<void> added = add_each(hosts, word, read_host);
    if (!added) return added.error();
    text.remove_prefix(more ? comma + 1 : 0);
  }
  return hosts.take();
}

Result<std::vector<Host>> read_host_file(std::string_view text, const std::string& file) {
  HostList list;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, std::min(end, text.find('#'))));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    if (const Result<void> added = add_each(list, line, read_line); !added) {
      return Error::make("%.200s:%d: %s", file.c_str(), number, added.error().text());
    }
  }
  std::vector<Host> hosts = list.take();
  if (hosts.empty()) return Error::make("%.200s: the file names no host; write one on each line", file.c_str());
  return hosts;
}

Result<std::vector<Host>> load_host_file(const std::string& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  char buffer[4096];
  ssize_t got = fd < 0 ? -1 : 1;
  while (got > 0) {
    got = ::read(fd, buffer, sizeof buffer);
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
  const int error = errno;
  if (fd >= 0) (void)::close(fd);
  if (got < 0) return Error::make("%.200s: cannot read this file: %s", file.c_str(), std::strerror(error));
  return read_host_file(text, file);
}

Result<std::vector<Share>> deal_out(int n_pes, const std::vector<Host>& hosts, const Dealing& how) {
  const int n_hosts = static_cast<int>(hosts.size());
  const bool have_slots = std::any_of(hosts.begin(), hosts.end(), [](const Host& h) { return h.slots > 0; });
  const bool bounded = how.per_host > 0 || have_slots;
  const auto most = [&](const Host& host) {
    return std::min(how.per_host > 0 ? how.per_host : have_slots ? full(host) : n_pes, boot::kMaxPes);
  };
  long long room = 0;
  for (const Host& host : hosts) room += most(host);
  if (room < n_pes) {
    if (!bounded) {
      return Error::make("%d PEs do not fit on %d host%s: each runs %d at most; name more hosts", n_pes, n_hosts,
                         n_hosts == 1 ? "" : "s", boot::kMaxPes);
    }
    return Error::make("%d PEs do not fit on %d host%s with room for %lld; name more hosts, or more PEs for each%s",
                       n_pes, n_hosts, n_hosts == 1 ? "" : "s", room, how.per_host > 0 ? " (--ppn)" : " (host:N)");
  }
  std::vector<int> room_of;
  room_of.reserve(hosts.size());
  for (const Host& host : hosts) room_of.push_back(most(host));
  const std::vector<std::vector<int>> dealt = how.in_turn ? deal_in_turn(n_pes, room_of)
                                              : bounded   ? deal_blocks(n_pes, room_of)
                                                          : deal_blocks(n_pes, even_blocks(n_pes, n_hosts));
  std::vector<Share> shares;
  for (std::size_t k = 0; k < hosts.size() && !dealt[k].empty(); ++k) shares.push_back({hosts[k].name, dealt[k]});
  return shares;
}

bool is_this_host(std::string_view name) {
  if (name == "localhost" || name == "127.0.0.1" || name == "::1") return true;
  char here[HOST_NAME_MAX + 1] = {};
  if (::gethostname(here, sizeof here - 1) != 0) return false;
  const std::string_view own(here);
  // "node1" and "node1.cluster.org" are one host, but "node1.a" and "node1.b" are two.
  const bool one_is_short = name.find('.') == std::string_view::npos || own.find('.') == std::string_view::npos;
  return name == own || (one_is_short && name.substr(0, name.find('.')) == own.substr(0, own.find('.')));
}

}  // namespace weft::launch::hosts
