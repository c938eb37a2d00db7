#include "pmi/node.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/lines.hpp"
#include "boot/node_files.hpp"
#include "os/mapping.hpp"
#include "pmi/grouping.hpp"

namespace weft::pmi {
namespace {

// Kept in the store. The control file and the one with the heaps, of the node that the PE leads.
struct FilesOfNode {
  FileOf control;
  FileOf heap;
  FileOf data;
};

// All that a node's first PE knows of the whole job.
struct Everybody {
  int n = 0;
  Identity* identities = nullptr;
  std::int32_t* leaders = nullptr;
  Place* places = nullptr;
  int nodes = 0;
};

base::Result<Everybody> ask_for_everybody(Manager& manager) noexcept {
  Everybody all;
  all.n = manager.size();
  all.identities = make_array<Identity>(all.n);
  all.leaders = make_array<std::int32_t>(all.n);
  all.places = make_array<Place>(all.n);
  if (all.identities == nullptr || all.leaders == nullptr || all.places == nullptr) {
    return no_memory(all.n);
  }
  for (int pe = 0; pe < all.n; ++pe) {
    const auto identity = get<Identity>(manager, pe, "id");
    if (!identity) {
      return identity.error();
    }
    const auto leader = get<std::int32_t>(manager, pe, "leader");
    if (!leader) {
      return leader.error();
    }
    all.identities[pe] = *identity;
    all.leaders[pe] = *leader;
  }
  const auto nodes = group(all.leaders, all.n, all.places);
  if (!nodes) {
    return nodes.error();
  }
  all.nodes = *nodes;
  return all;
}

int count_pes(const Everybody& all, int node) noexcept {
  return static_cast<int>(
      std::count_if(all.places, all.places + all.n, [node](const Place& place) { return place.node == node; }));
}

// Processors that the PEs of a node may use: all that any of them is allowed, within the quota of their container.
int count_cpus(const Everybody& all, int node) noexcept {
  std::uint8_t cpus[sizeof(Identity::cpus)] = {};
  std::uint32_t quota = 0;
  for (int pe = 0; pe < all.n; ++pe) {
    if (all.places[pe].node != node) {
      continue;
    }
    for (std::size_t k = 0; k < sizeof cpus; ++k) {
      cpus[k] = static_cast<std::uint8_t>(cpus[k] | all.identities[pe].cpus[k]);
    }
    quota = std::max(quota, all.identities[pe].cpu_quota);
  }
  int count = 0;
  for (const std::uint8_t byte : cpus) {
    count += __builtin_popcount(byte);
  }
  count = quota > 0 ? std::min(count, static_cast<int>(quota)) : count;
  return std::max(count, 1);
}

// The same on all nodes, so as large as the one with the least memory for each PE can have it.
base::Result<std::uint64_t> heap_bytes(const Everybody& all, const base::Options& options) noexcept {
  std::uint64_t least = UINT64_MAX;
  for (int pe = 0; pe < all.n; ++pe) {
    if (all.leaders[pe] != pe) {
      continue;
    }
    const HeapWish& wish = all.identities[pe].heap;
    const base::MemoryBound bound{wish.memory_bytes, wish.is_container != 0, os::kPage};
    const auto bytes = base::heap_bytes_per_pe(options, count_pes(all, all.places[pe].node), bound);
    if (!bytes) {
      return bytes;
    }
    least = std::min(least, *bytes);
  }
  // One node may get its reserved huge pages and another not.
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  return options.pages() == base::HugePages::kHugetlb ? os::round_up(least, kHugePage) : least;
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

base::Result<int> find_leader(Manager& manager, const Identity& own) noexcept {
  for (int pe = 0; pe < manager.rank(); ++pe) {
    const auto other = get<Identity>(manager, pe, "id");
    if (!other) {
      return other.error();
    }
    if (const auto agreed = agree(own, *other, pe); !agreed) {
      return agreed.error();
    }
    if (!may_share(own, *other)) {
      continue;
    }
    const auto proven = prove(other->token_file, other->token);
    if (proven) {
      return pe;
    }
    base::debug("PE %d does not share this node: %s", pe, proven.error().text());
  }
  return manager.rank();
}

base::Result<boot::Attachment> make_node(Manager& manager, const base::Options& options) noexcept {
  const auto all = ask_for_everybody(manager);
  if (!all) {
    return all.error();
  }
  const int node = all->places[manager.rank()].node;
  const auto heap = heap_bytes(*all, options);
  if (!heap) {
    return heap.error();
  }
  const auto files = boot::make_node_files({.n_pes = count_pes(*all, node),
                                            .cpus = count_cpus(*all, node),
                                            .heap_bytes = *heap,
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
  std::copy_n(all->identities[0].job_key, 2, files->header->key);
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
  drop_array(all->identities, all->n);
  drop_array(all->leaders, all->n);
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
