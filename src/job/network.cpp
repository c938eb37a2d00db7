#include "job/network.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstring>

#include "base/lines.hpp"
#include "base/words.hpp"
#include "job/agent.hpp"
#include "job/front_end.hpp"
#include "os/executable.hpp"
#include "progress/progress.hpp"
#include "progress/work.hpp"
#include "transport/load.hpp"
#include "transport/tagged.hpp"
#include "transport/tuning.hpp"

namespace weft::job {
namespace {

constinit transport::Leaf g_leaf{};
constinit transport::Transport* g_transport = nullptr;  // stays when the network is closed
constinit boot::PeerCard g_card{};

// A peer that has died breaks connections, and who started the job is about to say so and to end it. Only if nobody
// does, this PE has something to say.
constexpr timespec kOthersMaySayWhy{3, 0};

// To look at the network takes up to a microsecond, and to yield a fraction of that. So who waits yields between two
// looks almost from the first one on: PEs of other hosts may share its processor, where hosts are containers, and a PE
// that spins on the network keeps those from what it waits for (by 64 looks, a barrier of 2 hosts x 2 PEs took 50 to
// 140 us on 2 processors, by 4 it takes 17 to 35).
constexpr std::uint32_t kPolls = 4;

// And so long a PE with a processor of its own polls before it lies down. Serving others changes hands then and back at
// once, which takes wake-ups of 50 us or more.
constexpr std::uint64_t kPollsNs = 20'000'000;

// "PE 3 on node2", as its card says it.
struct PeText {
  char text[64];
};
PeText name_of(int pe) noexcept {
  PeText made{};
  const char* const host = boot::peer_card(node().job, pe)->host;
  std::size_t length = 0;
  while (length < boot::PeerCard::kHostRoom && std::isgraph(static_cast<unsigned char>(host[length])) != 0) {
    ++length;
  }
  (void)std::snprintf(made.text, sizeof made.text, length > 0 ? "PE %d on %.*s" : "PE %d", pe, static_cast<int>(length),
                      host);
  return made;
}

void failed(const char* operation, int pe, const char* why) noexcept {
  (void)::nanosleep(&kOthersMaySayWhy, nullptr);
  if (pe < 0) {
    base::fail(current_call(), "%s failed: %s; is the network between the nodes all right?", operation, why);
  }
  base::fail(current_call(), "%s with %s failed: %s; has it ended, or is the network between the nodes broken?",
             operation, name_of(pe).text, why);
}

// Under a launcher that does not watch single PEs, nobody else may notice one that has left without a word.
void gone(int pe) noexcept {
  if (node().job->launcher_pid > 0) {
    return;
  }
  (void)::nanosleep(&kOthersMaySayWhy, nullptr);
  base::fail(current_call(), "%s has ended without %s; ending the job", name_of(pe).text, base::words().end);
}

void refused(int pe, const char* what) noexcept {
  base::fail(current_call(), "%s %s; ending the job", name_of(pe).text, what);
}

constinit progress::Poller g_messages{.what = []() noexcept {
  transport::tagged().go_on();
  return false;
}};

void polled() noexcept {
  agent().polled();
  progress::tell_news();
}

void poll() noexcept {
  g_transport->progress();
  polled();
}

void lie_down() noexcept { agent().take_over(); }

// What the network reaches of this PE beside what is lent later; of no bytes where no front end wants any.
memory::Range range_of(int region) noexcept {
  const Node& here = node();
  if (region == boot::PeerCard::kHeap) {
    return here.space.heap();
  }
  if (region == boot::PeerCard::kStatics) {
    return here.space.statics();
  }
  bool lent = false;
  each_front_end([&](const FrontEnd& front_end) { lent = lent || front_end.needs.own_lent; });
  if (!lent || !here.own.mapped()) {
    return {};
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(here.own.at(here.local, 0));
  return {begin, begin + here.own.bytes()};
}

base::Error cannot_lend(int region, std::size_t bytes, const char* why) noexcept {
  return region == boot::PeerCard::kOwn
             ? base::Error::make("%s: cannot register this PE's own area of %zu MiB: %s; raise `ulimit -l`",
                                 g_transport->name(), bytes >> 20, why)
             : base::Error::make(
                   "%s: cannot register %zu MiB of symmetric memory: %s; lower SHMEM_SYMMETRIC_SIZE or raise `ulimit "
                   "-l`",
                   g_transport->name(), bytes >> 20, why);
}

// What others are to know of this PE, and its memory lent to who will know it: nobody does before cards are exchanged.
base::Result<void> make_card(boot::PeerCard* card) noexcept {
  const Node& here = node();
  // Of a start that failed behind this.
  for (int region = 0; region < boot::PeerCard::kRegions; ++region) {
    g_transport->take_back({card->keys[region], card->bases[region]});
  }
  *card = {};
  card->network = static_cast<std::uint8_t>(g_leaf);
  card->program = os::program_identity();
  card->static_bytes = here.space.statics().bytes();
  char host[HOST_NAME_MAX + 1] = "";
  (void)::gethostname(host, sizeof host - 1);
  (void)std::snprintf(card->host, sizeof card->host, "%.*s", static_cast<int>(std::strcspn(host, ".")), host);
  if (const auto opened = g_transport->open(card); !opened) {
    return base::Error::make("%s: %s", g_transport->name(), opened.error().text());
  }
  for (int region = 0; region < boot::PeerCard::kRegions; ++region) {
    const memory::Range range = range_of(region);
    // Adapters register no memory of no bytes. The key stays the one of nothing.
    if (range.bytes() == 0) {
      continue;
    }
    const auto lent = g_transport->lend({reinterpret_cast<void*>(range.lo), range.bytes()});
    if (!lent) {
      return cannot_lend(region, range.bytes(), lent.error().text());
    }
    card->keys[region] = lent->key;
    card->bases[region] = lent->base;
  }
  return {};
}

}  // namespace

base::Result<transport::Transport*> find_network(const base::Options& options) noexcept {
  Node& here = node();
  if (here.job->n_nodes == 1) {
    return static_cast<transport::Transport*>(nullptr);
  }
  if (g_transport == nullptr) {
    const transport::Setup setup{here.job, here.me, failed, polled, gone, refused, &transport::kinds()};
    const auto loaded = transport::load(options, setup, &g_leaf);
    if (!loaded) {
      return loaded.error();
    }
    if (!transport::tagged().begin(**loaded, setup, transport::kinds())) {
      return base::Error::make("no memory for messages between %u PEs", here.job->job_pes);
    }
    g_transport = *loaded;
    progress::add_poller(g_messages);
  }
  const auto copies = transport::choose_copy(options, g_transport->name());
  if (!copies) {
    return copies.error();
  }
  if (copies->problem.text()[0] != '\0') {
    base::debug("network: what weft-perf --tune found is not used: %s", copies->problem.text());
  }
  if (copies->bytes != g_transport->copy_bytes()) {
    if (const auto changed = g_transport->copy_up_to(copies->bytes); !changed) {
      return changed.error();
    }
  }
  const base::Amo amo = options.atomics();
  here.amo_by_network = amo == base::Amo::kAsNetwork ? !g_transport->amo_cpu_coherent() : amo == base::Amo::kNetwork;
  base::debug("network: puts of up to %zu bytes travel with the request, up to %zu are copied (%s)",
              g_transport->inject_bytes(), g_transport->copy_bytes(), copies->by);
  if (const auto made = make_card(&g_card); !made) {
    return made.error();
  }
  // Its keys, for operations of this PE on its own memory that are made ready meanwhile.
  boot::PeerCard& own = *boot::peer_card(here.job, here.me);
  std::copy(std::begin(g_card.keys), std::end(g_card.keys), std::begin(own.keys));
  std::copy(std::begin(g_card.bases), std::end(g_card.bases), std::begin(own.bases));
  return g_transport;
}

base::Result<void> open_network(const base::Options& options, ExchangeCards exchange) noexcept {
  Node& here = node();
  if (here.job->n_nodes == 1) {
    return {};
  }
  // From here on others may reach this PE's memory: it is mapped.
  if (const auto exchanged = exchange(here.job, here.me, g_card); !exchanged) {
    return exchanged;
  }
  // One of two PEs that differ tells; whoever started the job ends the other.
  if (const auto first = static_cast<transport::Leaf>(boot::peer_card(here.job, 0)->network); first != g_leaf) {
    return base::Error::make(
        "the network is %s here but %s on PE 0, as the two nodes do not offer the same; start all PEs with "
        "WEFT_NET=tcp",
        transport::name_of(g_leaf), transport::name_of(first));
  }
  if (const auto served = serve(g_transport); !served) {
    return served;
  }
  here.network = g_transport;
  if (here.patience.spins > 0 && options.sleep_after.value < 0) {
    here.patience.sleep_after_ns = kPollsNs;
  }
  here.patience.spins = std::min(here.patience.spins, kPolls);
  here.patience.poll = poll;
  here.patience.lie_down = lie_down;
  base::debug("network: %s, node %u of %u, atomic operations %s", g_transport->name(), here.job->node,
              here.job->n_nodes, here.amo_by_network ? "all by the network" : "inside the node by the processor");
  return {};
}

void leave_network(void (*last)() noexcept, bool close) noexcept {
  Node& here = node();
  if (here.network == nullptr) {
    return;
  }
  serve_nobody();
  if (last != nullptr) {
    last();
  }
  if (!close) {
    if (const auto served = serve(g_transport); !served) {
      base::fail(current_call(), "%s", served.error().text());
    }
    return;
  }
  here.network = nullptr;
  here.patience.poll = nullptr;
  here.patience.lie_down = nullptr;
  g_transport->close();
}

}  // namespace weft::job
