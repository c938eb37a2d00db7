// Barriers, and collectives of several teams that are under way in different threads of a PE.
#include "plans.hpp"

#include <pthread.h>

#include <cstring>

namespace suite {
namespace {

constexpr std::size_t kThreadArena = std::size_t{4} << 20;

// Nobody leaves a meeting before the last has come, and nobody is more than one ahead. Members count the meetings they
// have come to, by a plain store, which each makes visible.
class Rounds {
 public:
  explicit Rounds(const Who& who) : who_(who) {}

  template <class Meet>
  void run(const char* what, int rounds, Meet&& meet) {
    check_step = what;
    for (int r = 0; r < rounds; ++r) {
      __atomic_store_n(&count_, ++mine_, __ATOMIC_RELAXED);
      if (static_cast<int>(mix(static_cast<std::uint64_t>(mine_)) % 5) == check_me) usleep(100);
      meet();
      look(what);
    }
  }
  void settle() {
    who_.sync();
    count_ = mine_ = 0;
    who_.sync();
  }

 private:
  void look(const char* what) {
    // Of those on other nodes one at a time: a look there is a round trip, and takes longer than a meeting.
    const int far = who_.pes[static_cast<std::size_t>(mine_ + who_.me) % who_.pes.size()];
    for (int pe : who_.pes) {
      const auto* here = static_cast<const long*>(shmem_ptr(&count_, pe));  // null: on another node
      if (here == nullptr && pe != far) continue;
      const long theirs =
          here == nullptr ? shmem_long_atomic_fetch(&count_, pe) : __atomic_load_n(here, __ATOMIC_RELAXED);
      CHECK(theirs == mine_ || theirs == mine_ + 1, "%s over %s: at number %ld PE %d has come to number %ld only", what,
            who_.name.c_str(), mine_, pe, theirs);
    }
  }
  const Who& who_;
  long mine_ = 0;
  static long count_;
};
long Rounds::count_ = 0;

// What each kind of meeting has to complete or show.
void puts_arrive(const Who& who, void (*meet)(const Who&), const char* what, bool completes) {
  static long box[64];
  const int right = (who.me + 1) % who.size();
  const int left = (who.me + who.size() - 1) % who.size();
  for (long r = 1; r <= 20; ++r) {
    if (completes) {
      const long value = r * 1000 + who.me;
      shmem_long_put_nbi(&box[r], &value, 1, who.pes[static_cast<std::size_t>(right)]);
      meet(who);  // value leaves the scope after it
      CHECK_EQ(box[r], r * 1000 + left, "%s over %s: put_nbi", what, who.name.c_str());
    } else {
      box[r] = r * 2000 + who.me;
      meet(who);
      CHECK_EQ(shmem_long_g(&box[r], who.pes[static_cast<std::size_t>(left)]), r * 2000 + left,
               "%s over %s: plain store", what, who.name.c_str());
    }
  }
  who.sync();
  std::memset(box, 0, sizeof box);
  who.sync();
}

struct Thread {
  const Who* who;
  Arena* arena;
  std::uint64_t seed;
};

// All kinds of calls of one team or set, one after another, while the other thread does the same over another one.
void* calls(void* argument) {
  const Thread& self = *static_cast<Thread*>(argument);
  const Who& who = *self.who;
  const std::size_t n = who.pes.size();
  Series series(who, *self.arena, self.seed);
  std::uint64_t seed = self.seed;
  const std::vector<Mover>& movers = who.active ? active_movers() : team_movers();
  const std::vector<Combiner>& reductions = who.active ? active_reductions() : team_reductions();
  for (std::size_t round = 0; round < 12; ++round) {
    const Mover& mover = movers[(round * 5 + self.seed) % movers.size()];
    const std::size_t count = round % 4 == 3 ? 5000 : 1 + round * 9;
    series.add(broadcast_step(who, mover, count, static_cast<int>(round % n), ++seed));
    series.add(
        combine_step(who, reductions[(round * 37 + self.seed) % reductions.size()], count, round % 2 == 0, ++seed));
    series.add(fcollect_step(who, mover, count / 2, ++seed));
    series.add(collect_step(who, mover, std::vector<std::size_t>(n, round), ++seed));
    series.add(alltoalls_step(who, mover, round % 4, 2, 3, ++seed));
    if (!who.active) {
      series.add(combine_step(who, scans()[(round * 11 + self.seed) % scans().size()], count, round % 2 == 1, ++seed));
    }
  }
  return nullptr;
}

}  // namespace

void barriers() {
  for (const std::vector<Who>* all : {&teams(), &active_sets()}) {
    for (const Who& who : *all) {
      Rounds rounds(who);
      if (who.active) {
        rounds.run("shmem_sync", 20, [&] { shmem_sync(who.start, who.log_stride, who.size(), who.sync_words); });
        rounds.run("shmem_barrier", 20, [&] { shmem_barrier(who.start, who.log_stride, who.size(), who.sync_words); });
        rounds.settle();
        puts_arrive(
            who, [](const Who& w) { shmem_barrier(w.start, w.log_stride, w.size(), w.sync_words); }, "shmem_barrier",
            true);
        puts_arrive(
            who, [](const Who& w) { w.sync(); }, "shmem_sync", false);
      } else {
        rounds.run("shmem_team_sync", 40, [&] { who.sync(); });
        rounds.settle();
        puts_arrive(
            who, [](const Who& w) { w.sync(); }, "shmem_team_sync", false);
      }
    }
  }
  shmem_barrier_all();
  for (const Who& who : active_sets()) {
    CHECK(is_restored(who.sync_words), "%s: pSync of barriers is not restored", who.name.c_str());
  }
  const Who& world = teams()[0];
  Rounds rounds(world);
  rounds.run("shmem_barrier_all", 40, [] { shmem_barrier_all(); });
  rounds.run("shmem_sync_all", 40, [] { shmem_sync_all(); });
  rounds.settle();
  puts_arrive(
      world, [](const Who&) { shmem_barrier_all(); }, "shmem_barrier_all", true);
  puts_arrive(
      world, [](const Who&) { shmem_sync_all(); }, "shmem_sync_all", false);
}

// Two threads on each PE, each with a team or set of its own: PEs start them in different orders, so that one team's
// call is often under way while the other's has not begun here.
void threads() {
  Arena first(kThreadArena);
  Arena second(kThreadArena);
  const Who* const pairs[][2] = {
      {&teams()[0], &teams()[2]}, {&teams()[2], &teams().back()}, {&teams()[1], &teams()[0]}};
  for (const auto& pair : pairs) {
    check_step = "two threads, each with its team";
    Thread threads[2] = {{pair[0], &first, 77}, {pair[1], &second, 99}};
    pthread_t other;
    const int mine = check_me % 2;
    REQUIRE(pthread_create(&other, nullptr, calls, &threads[1 - mine]) == 0, "no thread");
    calls(&threads[mine]);
    pthread_join(other, nullptr);
    shmem_barrier_all();
  }
}

}  // namespace suite
