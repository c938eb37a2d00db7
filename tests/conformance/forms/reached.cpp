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
    need_done(party, broadcast_from(party, {data.data(), data.data(), kBytes, root}, Reached::kShown));
  }
  for (std::size_t k = 0; k < kBytes; ++k) CHECK(data[k] == value(root, 0, k), "byte %zu of a broadcast", k);
}

// Where nothing is permitted from the beginning there is nothing to see.
bool has_single_copy(Team& team) {
  expect_broadcast(team, 0);
  if (team.two_copies && me() == 0) std::printf("not tried: memory of others is not read here\n");
  return !team.two_copies;
}

// Its form has told the member whose buffer is none, and that one alone.
void expect_missing(const Party& party, bool done, const void* at, int pe) {
  CHECK(done == (at == nullptr), "a form says that it is %sdone", done ? "" : "not ");
  CHECK(party.lacks() == 0 && (party.missing() == nullptr) == done, "it is not memory that is lacking");
  if (!done) {
    const Party::Missing& missing = *party.missing();
    CHECK(missing.at == at && missing.bytes > 0 && missing.bytes <= kBytes && missing.pe == pe,
          "missing: %zu bytes at %p, of PE %d", missing.bytes, missing.at, missing.pe);
  }
}

// Parts of kBytes for all, and what they are in.
struct Whole {
  explicit Whole(const Team& team)
      : offsets(static_cast<std::size_t>(team.members.size)),
        bytes(offsets.size(), kBytes),
        data(bytes.size() * kBytes) {
    for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] = k * kBytes;
  }
  weft::coll::Parts parts() const { return {offsets.data(), bytes.data()}; }
  std::byte* part(int k) { return data.data() + offsets[static_cast<std::size_t>(k)]; }

  std::vector<std::size_t> offsets;
  std::vector<std::size_t> bytes;
  std::vector<std::byte> data;
};

void fill(std::byte* at, int from) {
  for (std::size_t k = 0; k < kBytes; ++k) at[k] = value(from, 0, k);
}
// `from` -1: zeros.
void expect(const std::byte* at, int from, const char* form) {
  for (std::size_t k = 0; k < kBytes; ++k) {
    CHECK(at[k] == (from < 0 ? std::byte{} : value(from, 0, k)), "byte %zu of a %s", k, form);
  }
}

std::byte* nothing_there() {
  void* at = ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED, "no addresses");
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
  // Another team learns it for itself, in its first calls: of two members the first ones go either way.
  Team& other = team_of_all(2);
  expect_broadcast(other, 0);
  expect_sum(other, {});
  expect_sum(other, {});
  CHECK(!direct || other.two_copies == team.two_copies, "another team does not know it");
  weft::coll::destroy_team(other);
  weft::coll::destroy_team(team);
}

void nowhere() {
  Team& team = team_of_all(1);
  if (!has_single_copy(team)) return;
  std::byte* const nothing = nothing_there();
  {
    std::vector<std::byte> data(kBytes, kUntouched);
    std::byte* const at = team.me == 0 ? nothing : data.data();
    Party party(team);
    const bool done = broadcast_from(party, {at, at, kBytes, 0}, Reached::kShown);
    expect_missing(party, done, team.me == 0 ? nothing : nullptr, Party::Missing::kNobody);
    if (team.me != 0) expect(data.data(), -1, "broadcast");
  }
  {
    Whole whole(team);
    std::vector<std::byte> mine(kBytes);
    fill(mine.data(), team.me);
    Party party(team);
    const bool done =
        gather(party, {whole.data.data(), team.me == 1 ? nothing : mine.data(), whole.parts(), 0, Reached::kShown});
    expect_missing(party, done, team.me == 1 ? nothing : nullptr, Party::Missing::kNobody);
    for (int k = 0; team.me == 0 && k < team.members.size; ++k) expect(whole.part(k), k == 1 ? -1 : k, "gather");
  }
  expect_broadcast(team, 0);
  expect_sum(team, {});
  CHECK(!team.two_copies, "for a wrong address nobody is read any more");
}

void no_target() {
  Team& team = team_of_all(1);
  if (!has_single_copy(team)) return;
  std::byte* const nothing = nothing_there();
  const int pe = team.members.pe(0);
  {
    std::vector<std::byte> data(kBytes);
    if (team.me == 0) fill(data.data(), 0);
    std::byte* const at = team.me == 1 ? nothing : data.data();
    Party party(team);
    const bool done = broadcast_from(party, {at, at, kBytes, 0}, Reached::kShown);
    expect_missing(party, done, team.me == 1 ? nothing : nullptr, pe);
    if (team.me != 1) expect(data.data(), 0, "broadcast");
  }
  {
    Whole whole(team);
    for (int k = 0; team.me == 0 && k < team.members.size; ++k) fill(whole.part(k), k);
    std::vector<std::byte> mine(kBytes);
    Party party(team);
    const bool done =
        scatter(party, {team.me == 1 ? nothing : mine.data(), whole.data.data(), whole.parts(), 0, Reached::kShown});
    expect_missing(party, done, team.me == 1 ? nothing : nullptr, pe);
    if (team.me != 1) expect(mine.data(), team.me, "scatter");
  }
  expect_broadcast(team, 0);
  expect_sum(team, {});
  CHECK(!team.two_copies, "for a wrong address nobody is read any more");
}

void gone() {
  Team& team = team_of_all(1);
  Adding adding{0, 2, [] { (void)std::raise(SIGKILL); }};
  expect_sum(team, team.me == 1 ? adding : Adding{});
}

}  // namespace forms
