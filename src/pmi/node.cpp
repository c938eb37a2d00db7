#include "pmi/node.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/lines.hpp"
#include "boot/node_files.hpp"
#include "os/mapping.hpp"
#include "pmi/arrays.hpp"
#include "pmi/grouping.hpp"

namespace weft::pmi {
namespace {

// Kept in the store. The control file and the one with the heaps, of the node that the PE leads.
struct FilesOfNode {
  FileOf control;
  FileOf heap;
  FileOf data;
};

// Who leads the PE's node; of the node that it leads itself, the runs that its PEs are. Small, as all PEs have one and
// as most nodes are one run.
struct HeadOfNode {
  static constexpr int kRuns = 2;
  std::int32_t leader = -1;
  std::int32_t n_runs = 0;  // in all parts too
  boot::Run runs[kRuns];
};
constexpr const char* kHead = "node";

// Of the runs behind those in the head.
struct PartOfNode {
  static constexpr int kRuns = kMostValue / sizeof(boot::Run);
  boot::Run runs[kRuns];
};
static_assert(sizeof(HeadOfNode) <= kMostValue);

struct KeyOfPart {
  char text[24];
};
KeyOfPart key_of_part(int part) noexcept {
  KeyOfPart key{};
  (void)std::snprintf(key.text, sizeof key.text, "node%d", part);
  return key;
}

// What a node's first PE knows of the whole job.
struct Everybody {
  int n = 0;
  Place* places = nullptr;
  int nodes = 0;
  std::uint64_t heap_bytes = UINT64_MAX;  // the same on all nodes, so as much as the one with the least memory can have
  std::uint64_t job_key[2] = {};
};

base::Result<void> ask_for_node(Manager& manager, int first, Grouping& grouping) noexcept {
  const auto head = get<HeadOfNode>(manager, first, kHead);
  if (!head) {
    return head.error();
  }
  if (head->leader != first) {
    return base::Error::make(
        "the PEs do not agree on who shares a machine: PE %d is with PE %d, which does not find it; may some of them "
        "not look at others' files in /proc (programs with file capabilities, or that forbid dumps)?",
        first, head->leader);
  }
  PartOfNode part;
  const std::int32_t n_runs = std::clamp(head->n_runs, 1, boot::kMaxPes);
  for (std::int32_t k = 0; k < n_runs; ++k) {
    const std::int32_t behind = k - HeadOfNode::kRuns;
    if (behind >= 0 && behind % PartOfNode::kRuns == 0) {
      const auto got = get<PartOfNode>(manager, first, key_of_part(behind / PartOfNode::kRuns).text);
      if (!got) {
        return got.error();
      }
      part = *got;
    }
    if (const auto added = grouping.add(behind < 0 ? head->runs[k] : part.runs[behind % PartOfNode::kRuns]); !added) {
      return added;
    }
  }
  return {};
}

base::Result<Everybody> ask_for_everybody(Manager& manager, const base::Options& options,
                                          const Identity& own) noexcept {
  Everybody all;
  all.n = manager.size();
  all.places = make_array<Place>(all.n);
  if (all.places == nullptr) {
    return no_memory(all.n);
  }
  Grouping grouping(all.places, all.n);
  for (int first = grouping.next_first(); first < all.n; first = grouping.next_first()) {
    const auto identity = get<Identity>(manager, first, "id");
    if (!identity) {
      return identity.error();
    }
    if (const auto agreed = agree(own, *identity, first); !agreed) {
      return agreed.error();
    }
    grouping.begin_node();
    if (const auto told = ask_for_node(manager, first, grouping); !told) {
      return told.error();
    }
    const HeapWish& wish = identity->heap;
    const base::MemoryBound bound{wish.memory_bytes, wish.is_container != 0, os::kPage};
    const auto bytes = base::heap_bytes_per_pe(options, grouping.size(), bound);
    if (!bytes) {
      return bytes.error();
    }
    all.heap_bytes = std::min(all.heap_bytes, *bytes);
    if (first == 0) {
      std::copy_n(identity->job_key, 2, all.job_key);
    }
  }
  all.nodes = grouping.nodes();
  // One node may get its reserved huge pages and another not.
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  if (options.pages() == base::HugePages::kHugetlb) {
    all.heap_bytes = os::round_up(all.heap_bytes, kHugePage);
  }
  return all;
}

// Processors that the PEs of a node may use: all that any of them is allowed, within the quota of their container.
int count_cpus(const Neighbours& here) noexcept {
  int count = 0;
  for (const std::uint8_t byte : here.cpus) {
    count += __builtin_popcount(byte);
  }
  count = here.cpu_quota > 0 ? std::min(count, static_cast<int>(here.cpu_quota)) : count;
  return std::max(count, 1);
}

void add(Neighbours& here, int pe, const Identity& identity) noexcept {
  here.pes[here.n++] = pe;
  for (std::size_t k = 0; k < sizeof here.cpus; ++k) {
    here.cpus[k] = static_cast<std::uint8_t>(here.cpus[k] | identity.cpus[k]);
  }
  here.cpu_quota = std::max(here.cpu_quota, identity.cpu_quota);
}

// Whether the PE, which has a name here, is of this job and of this machine.
base::Result<bool> is_neighbour(Manager& manager, const Identity& own, int pe, Identity* identity) noexcept {
  const auto other = get<Identity>(manager, pe, "id");
  if (!other) {
    return other.error();
  }
  if (const auto agreed = agree(own, *other, pe); !agreed) {
    return agreed.error();
  }
  const auto proven = may_share(own, *other) ? prove(other->token_file, other->token)
                                             : base::Error::make("it is on another machine, or has no name");
  if (!proven) {
    base::debug("PE %d does not share this node: %s", pe, proven.error().text());
  }
  *identity = *other;
  return static_cast<bool>(proven);
}

void fill_places(boot::JobHeader* job, const Everybody& all) noexcept {
  if (all.nodes == 1) {
    return;  // no cards
  }
  for (int pe = 0; pe < all.n; ++pe) {
    boot::PeerCard& card = *boot::peer_card(job, pe);
    card.node = static_cast<std::uint32_t>(all.places[pe].node);
    card.local = static_cast<std::uint32_t>(all.places[pe].local);
  }
}

}  // namespace

base::Result<int> find_leader(Manager& manager, const Identity& own, const Named& named) noexcept {
  for (int k = 0; k < named.n && named.pes[k] < manager.rank(); ++k) {
    Identity other;
    const auto is_here = is_neighbour(manager, own, named.pes[k], &other);
    if (!is_here) {
      return is_here.error();
    }
    if (*is_here) {
      return named.pes[k];
    }
  }
  return manager.rank();
}

base::Result<Neighbours> tell_neighbours(Manager& manager, const Identity& own, const Named& named) noexcept {
  Neighbours here;
  here.pes = make_array<std::int32_t>(named.n + 1);
  if (here.pes == nullptr) {
    return no_memory(named.n);
  }
  add(here, manager.rank(), own);
  for (int k = 0; k < named.n; ++k) {
    const int pe = named.pes[k];
    if (pe <= here.pes[here.n - 1] || pe >= manager.size()) {
      continue;
    }
    Identity other;
    const auto is_here = is_neighbour(manager, own, pe, &other);
    if (!is_here) {
      return is_here.error();
    }
    if (*is_here) {
      add(here, pe, other);
    }
  }
  boot::Run* const runs = make_array<boot::Run>(here.n);
  if (runs == nullptr) {
    return no_memory(here.n);
  }
  const int n_runs = boot::make_runs(here.pes, here.n, runs);
  HeadOfNode head;
  head.leader = manager.rank();
  head.n_runs = n_runs;
  std::copy_n(runs, std::min(HeadOfNode::kRuns, n_runs), head.runs);
  auto told = put(manager, kHead, head);
  for (int k = 0, begin = HeadOfNode::kRuns; told && begin < n_runs; ++k, begin += PartOfNode::kRuns) {
    PartOfNode part;
    std::copy_n(runs + begin, std::min(PartOfNode::kRuns, n_runs - begin), part.runs);
    told = put(manager, key_of_part(k).text, part);
  }
  if (!told) {
    return told.error();
  }
  drop_array(runs, here.n);
  drop_array(std::exchange(here.pes, nullptr), named.n + 1);
  return here;
}

base::Result<void> tell_leader(Manager& manager, int leader) noexcept {
  HeadOfNode head;
  head.leader = leader;
  return put(manager, kHead, head);
}

base::Result<boot::Attachment> make_node(Manager& manager, const base::Options& options, const Identity& own,
                                         const Neighbours& here) noexcept {
  const auto all = ask_for_everybody(manager, options, own);
  if (!all) {
    return all.error();
  }
  const int node = all->places[manager.rank()].node;
  const auto files = boot::make_node_files({.n_pes = here.n,
                                            .cpus = count_cpus(here),
                                            .heap_bytes = all->heap_bytes,
                                            .pages = options.pages(),
                                            .job_pes = all->n,
                                            .n_nodes = all->nodes,
                                            .node = node});
  if (!files) {
    return files.error();
  }
  if (files->pages_note.text()[0] != '\0') {
    base::say(nullptr, "WEFT_HUGE_PAGES=hugetlb: %s", files->pages_note.text());
  }
  files->header->launcher_pid = 0;  // nobody that watches the PEs
  std::copy_n(all->job_key, 2, files->header->key);
  fill_places(files->header, *all);
  for (const int fd : {files->control_fd, files->data_fd, files->heap_fd}) {
    (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  const auto control = describe_file(files->control_fd);
  const auto heaps = describe_file(files->heap_fd);
  const auto data = describe_file(files->data_fd);
  if (!control || !heaps || !data) {
    return !control ? control.error() : !heaps ? heaps.error() : data.error();
  }
  if (const auto told = put(manager, "files", FilesOfNode{*control, *heaps, *data}); !told) {
    return told.error();
  }
  drop_array(all->places, all->n);
  return boot::Attachment{files->header, nullptr, manager.rank(), 0, files->data_fd, files->heap_fd};
}

base::Result<boot::Attachment> open_node(Manager& manager, int leader) noexcept {
  const auto files = get<FilesOfNode>(manager, leader, "files");
  if (!files) {
    return files.error();
  }
  const auto control = open_file(files->control);
  if (!control) {
    return control.error();
  }
  const auto heap = open_file(files->heap);
  if (!heap) {
    return heap.error();
  }
  // One file, as a rule.
  const auto data = files->data.inode == files->heap.inode ? heap : open_file(files->data);
  if (!data) {
    return data.error();
  }
  struct stat status {};
  (void)::fstat(*control, &status);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  const auto mapped = bytes >= sizeof(boot::JobHeader)
                          ? os::map_shared(bytes, *control)
                          : base::Error::make("PE %d's control file has %zu bytes only", leader, bytes);
  (void)::close(*control);
  if (!mapped) {
    return mapped.error();
  }
  auto* job = reinterpret_cast<boot::JobHeader*>(*mapped);
  if (!boot::is_whole(*job, bytes) || static_cast<int>(job->job_pes) != manager.size()) {
    return base::Error::make(
        "PE %d's control file is damaged: %zu bytes for %u PEs here of %u; the launcher started %d", leader, bytes,
        job->n_pes, job->job_pes, manager.size());
  }
  return boot::Attachment{job, nullptr, manager.rank(), 0, *data, *heap};
}

}  // namespace weft::pmi
