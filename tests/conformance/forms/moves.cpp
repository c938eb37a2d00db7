#include <algorithm>

#include "forms.hpp"

namespace forms {
namespace {

using weft::coll::kToAll;
using weft::coll::Party;

constexpr Reached kAll[] = {Reached::kStaged, Reached::kSymmetric, Reached::kShown};

void fill(std::byte* at, int from, int to, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; ++k) at[k] = value(from, to, k);
}
void expect(const std::byte* at, int from, int to, std::size_t bytes, const char* what) {
  for (std::size_t k = 0; k < bytes; ++k) {
    CHECK(at[k] == value(from, to, k), "%s: byte %zu of %zu from member %d for %d is %d", what, k, bytes, from, to,
          static_cast<int>(at[k]));
  }
}
// What lies between the parts.
void expect_gaps(const std::byte* at, const Layout& layout, int members, const char* what) {
  std::vector<bool> used(layout.end());
  for (int k = 0; k < members; ++k) {
    for (std::size_t b = 0; b < layout.bytes(k); ++b) used[layout.offset(k) + b] = true;
  }
  for (std::size_t b = 0; b < layout.end(); ++b) {
    CHECK(used[b] || at[b] == kUntouched, "%s: byte %zu between the parts was written", what, b);
  }
}

auto lengths(Random& random, std::size_t most) {
  return [&random, most](int) { return random() % 4 == 0 ? 0 : random() % (most + 1); };
}

void test_gather(Team& team, Random& random, std::size_t most, int root, Reached reached) {
  const int n = team.members.size;
  const Layout layout(n, random, lengths(random, most));
  const bool in_place = random() % 3 == 0;
  const Room source(reached, most);
  const Room dest(reached, layout.end());
  fill(source.get(), team.me, 0, layout.bytes(team.me));
  const bool wants = root == kToAll || root == team.me;
  const std::byte* from = source.get();
  // Where sources are read in place everybody's has to be at the same place.
  if (in_place && wants && reached != Reached::kSymmetric) {
    from = dest.get() + layout.offset(team.me);
    fill(dest.get() + layout.offset(team.me), team.me, 0, layout.bytes(team.me));
  }
  {
    Party party(team);
    need_done(party, gather(party, {dest.get(), from, layout.parts(), root, reached}));
  }
  for (int k = 0; wants && k < n; ++k) expect(dest.get() + layout.offset(k), k, 0, layout.bytes(k), "gather");
  for (std::size_t b = 0; !wants && b < layout.end(); ++b)
    CHECK(dest[b] == kUntouched, "gather wrote what is no target");
  if (wants) expect_gaps(dest.get(), layout, n, "gather");
}

void test_scatter(Team& team, Random& random, std::size_t most, int root, Reached reached) {
  const int n = team.members.size;
  const Layout layout(n, random, lengths(random, most));
  const bool in_place = random() % 3 == 0;
  const Room source(reached, layout.end());
  const Room dest(reached, most);
  for (int k = 0; root == team.me && k < n; ++k) fill(source.get() + layout.offset(k), root, k, layout.bytes(k));
  std::byte* to = in_place && root == team.me ? source.get() + layout.offset(root) : dest.get();
  {
    Party party(team);
    need_done(party, scatter(party, {to, source.get(), layout.parts(), root, reached}));
  }
  expect(to, root, team.me, layout.bytes(team.me), "scatter");
  CHECK(to != dest.get() || layout.bytes(team.me) == most || dest[layout.bytes(team.me)] == kUntouched,
        "scatter wrote too much");
}

void test_broadcast(Team& team, std::size_t bytes, int root, bool in_place, Reached reached) {
  const Room source(reached, bytes);
  const Room dest(reached, bytes);
  fill(in_place ? dest.get() : source.get(), team.me, 9, bytes);
  {
    Party party(team);
    need_done(party, broadcast_from(party, {dest.get(), in_place ? dest.get() : source.get(), bytes, root}, reached));
  }
  expect(dest.get(), root, 9, bytes, "broadcast");
}

// How much member `from` has for `to`, which each of the two knows.
std::size_t length(int from, int to, std::size_t most, unsigned seed) {
  Random random(seed + static_cast<unsigned>(from) * 1000 + static_cast<unsigned>(to));
  return random() % 4 == 0 ? 0 : random() % (most + 1);
}

void test_exchange(Team& team, Random& random, std::size_t most, Reached reached) {
  const int n = team.members.size;
  const int me = team.me;
  const auto seed = static_cast<unsigned>(random());
  Random own(seed + static_cast<unsigned>(me));  // nobody else knows this one's layouts
  const Layout to(n, own, [&](int k) { return length(me, k, most, seed); });
  const Layout from(n, own, [&](int k) { return length(k, me, most, seed); });
  const std::size_t room = static_cast<std::size_t>(n) * (most + 5);
  const Room source(reached, room);
  const Room dest(reached, room);
  for (int k = 0; k < n; ++k) fill(source.get() + to.offset(k), me, k, to.bytes(k));
  {
    Party party(team);
    need_done(party, exchange_parts(party, {dest.get(), source.get(), to.parts(), from.parts(), reached}));
  }
  for (int k = 0; k < n; ++k) expect(dest.get() + from.offset(k), k, me, from.bytes(k), "exchange");
  expect_gaps(dest.get(), from, n, "exchange");
}

void test_exchange_in_place(Team& team, Random& random, std::size_t most, Reached reached) {
  const int n = team.members.size;
  const int me = team.me;
  const auto seed = static_cast<unsigned>(random());
  Random own(seed + static_cast<unsigned>(me));
  const Layout parts(n, own, [&](int k) { return length(std::min(me, k), std::max(me, k), most, seed); });
  const Room both(reached, static_cast<std::size_t>(n) * (most + 5));
  for (int k = 0; k < n; ++k) fill(both.get() + parts.offset(k), me, k, parts.bytes(k));
  {
    Party party(team);
    need_done(party, exchange_parts(party, {both.get(), both.get(), parts.parts(), parts.parts(), reached}));
  }
  for (int k = 0; k < n; ++k) expect(both.get() + parts.offset(k), k, me, parts.bytes(k), "exchange in place");
  expect_gaps(both.get(), parts, n, "exchange in place");
}

void all_moves(Team& team, Random random) {
  for (const std::size_t most :
       {std::size_t{0}, std::size_t{1}, std::size_t{13}, std::size_t{700}, std::size_t{20001}}) {
    for (const Reached reached : kAll) {
      const int n = team.members.size;
      for (const int root : {static_cast<int>(random() % static_cast<unsigned>(n)), n - 1, kToAll}) {
        test_gather(team, random, most, root, reached);
        if (root != kToAll) {
          test_scatter(team, random, most, root, reached);
          test_broadcast(team, most, root, random() % 2 == 0, reached);
        }
      }
      test_exchange(team, random, most, reached);
      test_exchange_in_place(team, random, most, reached);
    }
  }
  // Long enough for two members to copy a half each.
  for (const std::size_t bytes : {std::size_t{1} << 18, std::size_t{700001}}) {
    for (const int root : {0, team.members.size - 1}) {
      test_broadcast(team, bytes, root, random() % 2 == 0, Reached::kShown);
    }
  }
}

}  // namespace

void moves() {
  Random random(11);
  for (std::uint64_t round = 0; round < 12; ++round) {
    const auto seed = static_cast<unsigned>(random());
    if (Team* team = team_of(some_pes(random), round); team != nullptr) {
      all_moves(*team, Random(seed));
      weft::coll::destroy_team(*team);
    }
  }
}

}  // namespace forms
