// What is read by one copy from another process, and what becomes of it when that is no longer permitted, when an
// address is none, and when the process ends.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "coll/barrier.hpp"
#include "forms.hpp"

namespace forms {
namespace {

using weft::coll::Party;

constexpr std::size_t kCount = 150'000;
constexpr std::size_t kBytes = kCount * sizeof(std::uint64_t);

Team& team_of_all(std::uint64_t tag) {
  std::vector<int> pes(static_cast<std::size_t>(n_pes()));
  std::iota(pes.rbegin(), pes.rend(), 0);
  return *team_of(pes, tag);
}

// From now on no other process's memory is read.
void give_up_reading() {
  static constexpr unsigned kCall = __NR_process_vm_readv;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kCall, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof *program, program};
  CHECK(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0,
        "no filter");
}

// The sum, and what happens when it has been asked for so often.
struct Adding {
  int calls = 0;
  int when = -1;
  void (*what)() = nullptr;
};
void add(void* into, const void* with, const void* and_with, std::size_t count, void* state) noexcept {
  Adding& adding = *static_cast<Adding*>(state);
  if (++adding.calls == adding.when) adding.what();
  for (std::size_t k = 0; k < count; ++k) {
    static_cast<std::uint64_t*>(into)[k] =
        static_cast<const std::uint64_t*>(with)[k] + static_cast<const std::uint64_t*>(and_with)[k];
  }
}

void expect_sum(Team& team, Adding adding) {
  std::vector<std::uint64_t> source(kCount);
  std::vector<std::uint64_t> dest(kCount);
  for (std::size_t k = 0; k < kCount; ++k) source[k] = 3 * k + static_cast<unsigned>(team.me);
  {
    Party party(team);
    need_done(party, reduce_to(party, {dest.data(), source.data(), kCount, sizeof(std::uint64_t), {add, &adding}},
                               weft::coll::kToAll, Reached::kShown));
  }
  const auto n = static_cast<std::uint64_t>(team.members.size);
  for (std::size_t k = 0; k < kCount; ++k) {
    CHECK(dest[k] == 3 * n * k + n * (n - 1) / 2, "sum %zu is %lu", k, static_cast<unsigned long>(dest[k]));
  }
  // On several nodes leaders add.
  CHECK(team.span != nullptr || adding.when < 0 || adding.calls >= adding.when, "it was added %d times only",
        adding.calls);
}

void expect_broadcast(Team& team, int root) {
  std::vector<std::byte> data(kBytes, kUntouched);
  for (std::size_t k = 0; team.me == root && k < kBytes; ++k) data[k] = value(root, 0, k);
  {
    Party party(team);
    broadcast_from(party, {data.data(), data.data(), kBytes, root}, Reached::kShown);
  }
  for (std::size_t k = 0; k < kBytes; ++k) CHECK(data[k] == value(root, 0, k), "byte %zu of a broadcast", k);
}

// Where nothing is permitted from the beginning there is nothing to see, and the job ends as it would.
void need_single_copy(Team& team) {
  expect_broadcast(team, 0);
  if (team.two_copies) {
    weft::coll::barrier();
    if (me() == 0) std::printf("not tried: memory of others is not read here; there is no memory at\n");
    std::exit(1);
  }
}

std::byte* nothing_there() {
  void* at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED && ::munmap(at, kBytes) == 0, "no addresses");
  return static_cast<std::byte*>(at);
}

}  // namespace

void withdrawn() {
  Team& team = team_of_all(1);
  expect_sum(team, {});
  expect_broadcast(team, 0);
  const bool direct = !team.two_copies && team.span == nullptr;
  // In the middle of what the last member adds; where there are others, that is several pieces.
  const bool mine = team.me == team.members.size - 1 && team.members.size > 1;
  expect_sum(team, mine ? Adding{0, 2, give_up_reading} : Adding{});
  CHECK(!direct || team.two_copies == (team.members.size > 1), "the members do not know that one cannot read");
  expect_sum(team, {});
  expect_broadcast(team, team.members.size - 1);
  // Another team learns it for itself, in its first call.
  Team& other = team_of_all(2);
  expect_broadcast(other, 0);
  expect_sum(other, {});
  CHECK(!direct || other.two_copies == team.two_copies, "another team does not know it");
  weft::coll::destroy_team(other);
  weft::coll::destroy_team(team);
}

void nowhere() {
  Team& team = team_of_all(1);
  need_single_copy(team);
  std::vector<std::byte> data(kBytes);
  std::byte* at = team.me == 0 ? nothing_there() : data.data();
  Party party(team);
  broadcast_from(party, {at, at, kBytes, 0}, Reached::kShown);
}

void no_target() {
  Team& team = team_of_all(1);
  need_single_copy(team);
  std::vector<std::byte> data(kBytes);
  std::byte* at = team.me == 1 ? nothing_there() : data.data();
  Party party(team);
  broadcast_from(party, {at, at, kBytes, 0}, Reached::kShown);
}

void gone() {
  Team& team = team_of_all(1);
  Adding adding{0, 2, [] { (void)std::raise(SIGKILL); }};
  expect_sum(team, team.me == 1 ? adding : Adding{});
}

}  // namespace forms
