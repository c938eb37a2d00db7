// 0.4 to 0.6 in C++: constant initialisation of handles, thread_local, containers, constexpr use of the constants.
#include "../check.h"

#include <map>
#include <vector>

namespace {

shmem_team_t world = SHMEM_TEAM_WORLD;
thread_local shmem_ctx_t own = SHMEM_CTX_INVALID;
thread_local shmem_ctx_t own_default = SHMEM_CTX_DEFAULT;

struct Channel {
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  shmem_team_t team = SHMEM_TEAM_SHARED;
};
Channel channel;

constexpr int kLevel = SHMEM_THREAD_MULTIPLE;
constexpr long kHint = SHMEM_MALLOC_ATOMICS_REMOTE;
static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
                  SHMEM_THREAD_SERIALIZED < kLevel,
              "levels grow");
static_assert(SHMEM_CMP_EQ != SHMEM_CMP_NE && SHMEM_CMP_LT != SHMEM_CMP_LE, "comparisons differ");
static_assert(sizeof(SHMEM_VENDOR_STRING) <= SHMEM_MAX_NAME_LEN, "the vendor's name fits with its NUL");

template <int N>
struct Sized {
  long sync[N];
};
Sized<SHMEM_SYNC_SIZE> sized;

// Ran before main and before the library was initialised: handles must be right even then.
const bool right_before_main = world == SHMEM_TEAM_WORLD && channel.ctx == SHMEM_CTX_DEFAULT;

long word;

}  // namespace

int main() {
  check_begin();
  CHECK(right_before_main, "handles before main");
  CHECK(own == SHMEM_CTX_INVALID && own_default == SHMEM_CTX_DEFAULT, "thread_local");
  CHECK(channel.team == SHMEM_TEAM_SHARED, "member initialiser");
  std::map<shmem_team_t, int> by_team;
  by_team[SHMEM_TEAM_WORLD] = 1;
  by_team[SHMEM_TEAM_SHARED] = 2;
  by_team[SHMEM_TEAM_INVALID] = 3;
  CHECK_EQ(by_team.size(), 3, "three different handles");
  CHECK_EQ(by_team[world], 1, "found again");
  std::vector<shmem_ctx_t> contexts(3, SHMEM_CTX_INVALID);
  for (shmem_ctx_t& c : contexts) CHECK_EQ(shmem_ctx_create(0, &c), 0, "ctx_create");
  const int to = check_right(1);
  for (shmem_ctx_t c : contexts) shmem_ctx_long_atomic_add(c, &word, 1, to);
  for (shmem_ctx_t c : contexts) shmem_ctx_destroy(c);
  shmem_barrier_all();
  CHECK_EQ(word, 3, "adds through three contexts");
  CHECK(sized.sync[0] == 0 && kHint != 0, "constants");
  return check_end();
}
