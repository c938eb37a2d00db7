/* Operations that are under way together at ranks of other hosts, as their elements differ or nobody has asked for an
 * order: on windows of each kind, in one thread and in two. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "kinds.h"

static int rank, size;

/* One behind the other without waiting: each comes behind those of the same elements before it, be it long, short or in
 * pieces, and whatever lies between two of them. */
static void in_order(struct made* made, int times) {
  enum { N = 12000, AT_ONCE = 4 };
  static int out[AT_ONCE][N], got[N], ones[N / 2], one[AT_ONCE];
  const int target = (rank + 1) % size;
  const MPI_Aint at = made->all_at[target];
  MPI_Datatype even;
  GOOD(MPI_Type_vector(N / 2, 1, 2, MPI_INT, &even));
  GOOD(MPI_Type_commit(&even));
  for (int k = 0; k < N / 2; ++k) ones[k] = 1;
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock_all(0, made->win));
  for (int k = 0; k < times; ++k) {
    const int slot = k % AT_ONCE, other = k * 37 % N;
    for (int j = 0; j < N; ++j) out[slot][j] = k;
    one[slot] = -k;
    GOOD(MPI_Accumulate(out[slot], N, MPI_INT, target, at, N, MPI_INT, MPI_REPLACE, made->win));
    GOOD(MPI_Accumulate(&one[slot], 1, MPI_INT, target, at + other * (MPI_Aint)sizeof(int), 1, MPI_INT, MPI_REPLACE,
                        made->win));
    GOOD(MPI_Accumulate(ones, N / 2, MPI_INT, target, at, 1, even, MPI_SUM, made->win));
    if (slot != AT_ONCE - 1 && k != times - 1) continue;
    if (k % 8 == 3) GOOD(MPI_Win_flush(target, made->win));
    GOOD(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, got, N, MPI_INT, target, at, N, MPI_INT, MPI_NO_OP, made->win));
    GOOD(MPI_Win_flush(target, made->win));
    for (int j = 0; j < N; ++j) CHECK(got[j] == (j == other ? -k : k) + (j % 2 == 0));
  }
  GOOD(MPI_Win_unlock_all(made->win));
  GOOD(MPI_Type_free(&even));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  memset(made->base, 0, 65536);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Puts and gets of many short pieces on either side, which between hosts go together as elements: of each size, and of
 * pieces that no element fits. What lies between them stays. */
static void moved_in_pieces(struct made* made) {
  enum { N = 1500, GAP = 2 };
  static char out[N * 8 * GAP], got[N * 8 * GAP];
  const MPI_Datatype of[] = {MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_DATATYPE_NULL};
  const int target = (rank + 1) % size, from = (rank + size - 1) % size;
  const MPI_Aint at = made->all_at[target];
  for (int k = 0; k < 5; ++k) {
    MPI_Datatype one, pieces, pair;
    MPI_Count bytes;
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 4};
    MPI_Datatype members[2] = {MPI_INT, MPI_SHORT};
    GOOD(MPI_Type_create_struct(2, lengths, places, members, &pair)); /* 6 bytes of several kinds */
    GOOD(MPI_Type_create_resized(pair, 0, 6, &one));
    GOOD(MPI_Type_commit(&one));
    const MPI_Datatype each = of[k] == MPI_DATATYPE_NULL ? one : of[k];
    GOOD(MPI_Type_size_c(each, &bytes));
    const int width = (int)bytes;
    GOOD(MPI_Type_vector(N, 1, GAP, each, &pieces));
    GOOD(MPI_Type_commit(&pieces));
    for (int j = 0; j < N * width * GAP; ++j) out[j] = (char)(j * 7 + rank);
    memset(made->base, 99, 65536);
    GOOD(MPI_Win_fence(0, made->win));
    GOOD(MPI_Put(out, N, each, target, at, 1, pieces, made->win));         /* into pieces */
    GOOD(MPI_Put(out, 1, pieces, target, at + 32768, N, each, made->win)); /* from pieces */
    GOOD(MPI_Win_fence(0, made->win));
    for (int j = 0; j < N * width; ++j) {
      const int piece = j / width, in = j % width, apart = piece * GAP * width + in;
      CHECK(made->base[apart] == (char)(j * 7 + from));
      CHECK(piece == N - 1 || made->base[apart + width] == 99);
      CHECK(made->base[32768 + j] == (char)(apart * 7 + from));
    }
    CHECK(made->base[32768 + N * width] == 99);
    memset(got, 55, sizeof got);
    GOOD(MPI_Get(got, N, each, target, at, 1, pieces, made->win));
    GOOD(MPI_Win_fence(0, made->win));
    for (int j = 0; j < N * width; ++j) CHECK(got[j] == (char)(j * 7 + rank));
    CHECK(got[N * width] == 55);
    memset(got, 55, sizeof got);
    GOOD(MPI_Get(got, 1, pieces, target, at, N, each, made->win)); /* with what lies between them there */
    GOOD(MPI_Win_fence(MPI_MODE_NOSUCCEED, made->win));
    for (int j = 0; j < N * width; ++j) {
      const int apart = j / width * GAP * width + j % width, was = j / width / GAP * width + j % width;
      CHECK(got[apart] == (j / width % GAP == 0 ? (char)(was * 7 + rank) : 99));
      CHECK(j / width == N - 1 || got[apart + width] == 55);
    }
    GOOD(MPI_Type_free(&pieces));
    GOOD(MPI_Type_free(&one));
    GOOD(MPI_Type_free(&pair));
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  memset(made->base, 0, 65536);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Rank 0 has a thread that goes on beginning operations at a rank, each beside the one before it, until rank 0 has
 * flushed some of its own. Whoever waited for all of them would never come to an end, at a rank of another host. */
struct stream {
  struct made* made;
  int puts;
  atomic_int done, is_to_stop;
};

static void* go_on(void* of) {
  static const int ones[64] = {1};
  struct stream* const stream = of;
  const int target = (rank + 1) % size;
  MPI_Datatype apart;
  GOOD(MPI_Type_vector(64, 1, 2, MPI_INT, &apart));
  GOOD(MPI_Type_commit(&apart));
  for (int k = 0; !atomic_load(&stream->is_to_stop); ++k) {
    const MPI_Aint at = stream->made->all_at[target] + 1024 + k % 64 * (MPI_Aint)512;
    if (stream->puts) {
      GOOD(MPI_Put(ones, 64, MPI_INT, target, at, 1, apart, stream->made->win));
    } else {
      GOOD(MPI_Accumulate(ones, 64, MPI_INT, target, at, 1, apart, MPI_SUM, stream->made->win));
    }
    atomic_store(&stream->done, k + 1);
  }
  GOOD(MPI_Type_free(&apart));
  return NULL;
}

static void while_another_goes_on(struct made* made, int puts) {
  enum { FLUSHES = 10 };
  const int target = (rank + 1) % size;
  GOOD(MPI_Win_lock_all(0, made->win));
  if (rank == 0) {
    const int one = 1;
    int before = 0, got = 0;
    pthread_t other;
    struct stream stream = {made, puts, 0, 0};
    CHECK(pthread_create(&other, NULL, go_on, &stream) == 0);
    for (int k = 0; k < FLUSHES; ++k) {
      while (atomic_load(&stream.done) < before + 8) sched_yield();
      GOOD(MPI_Accumulate(&one, 1, MPI_INT, target, made->all_at[target], 1, MPI_INT, MPI_SUM, made->win));
      GOOD(MPI_Win_flush(target, made->win));
      before = atomic_load(&stream.done);
    }
    atomic_store(&stream.is_to_stop, 1);
    CHECK(pthread_join(other, NULL) == 0);
    GOOD(MPI_Fetch_and_op(NULL, &got, MPI_INT, target, made->all_at[target], MPI_NO_OP, made->win));
    GOOD(MPI_Win_flush(target, made->win));
    CHECK(got == FLUSHES);
  }
  GOOD(MPI_Win_unlock_all(made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  memset(made->base, 0, 65536);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Changes of single elements, each called as soon as the one before it: some of one element, of several kinds, one
 * after the other, and between them what reads them. Between hosts many go in one message. */
static void singles(struct made* made, int times) {
  enum { N = 24 };
  struct mirror {
    int64_t whole[N];
    double real[N];
    int pair[N][2];
    signed char small[N];
  } mine, got;
  const int target = (rank + 1) % size;
  const MPI_Aint at = made->all_at[target];
  unsigned state = 12345u + (unsigned)rank;
  memset(&mine, 0, sizeof mine);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock_all(0, made->win));
  for (int k = 0; k < times * 100; ++k) {
    state = state * 1103515245u + 12345u;
    const int where = (int)(state >> 16) % N, what = (int)(state >> 8) % 16;
    const int64_t whole = k;
    const double real = k;
    const int pair[2] = {k, -k};
    const signed char small = (signed char)k;
    const MPI_Aint whole_at = at + (MPI_Aint)offsetof(struct mirror, whole) + where * (MPI_Aint)sizeof whole;
    const MPI_Aint real_at = at + (MPI_Aint)offsetof(struct mirror, real) + where * (MPI_Aint)sizeof real;
    const MPI_Aint pair_at = at + (MPI_Aint)offsetof(struct mirror, pair) + where * (MPI_Aint)sizeof pair;
    const MPI_Aint small_at = at + (MPI_Aint)offsetof(struct mirror, small) + where;
    int64_t before = 0;
    switch (what) {
      case 0:
        GOOD(MPI_Accumulate(&whole, 1, MPI_INT64_T, target, whole_at, 1, MPI_INT64_T, MPI_REPLACE, made->win));
        mine.whole[where] = whole;
        break;
      case 1:
        GOOD(MPI_Fetch_and_op(&whole, &before, MPI_INT64_T, target, whole_at, MPI_SUM, made->win));
        GOOD(MPI_Win_flush(target, made->win));
        CHECK(before == mine.whole[where]);
        mine.whole[where] += whole;
        break;
      case 2:
        GOOD(MPI_Compare_and_swap(&whole, &mine.whole[where], &before, MPI_INT64_T, target, whole_at, made->win));
        GOOD(MPI_Win_flush_local(target, made->win));
        CHECK(before == mine.whole[where]);
        mine.whole[where] = whole;
        break;
      case 3: {
        const double more[N] = {1};
        GOOD(MPI_Accumulate(more, N, MPI_DOUBLE, target, at + (MPI_Aint)offsetof(struct mirror, real), N, MPI_DOUBLE,
                            MPI_SUM, made->win));
        mine.real[0] += 1;
        break;
      }
      case 4:
        GOOD(MPI_Accumulate(&real, 1, MPI_DOUBLE, target, real_at, 1, MPI_DOUBLE, MPI_REPLACE, made->win));
        mine.real[where] = real;
        break;
      case 5:
      case 6:
        GOOD(MPI_Accumulate(pair, 2, MPI_INT, target, pair_at, 2, MPI_INT, what == 5 ? MPI_SUM : MPI_BXOR, made->win));
        mine.pair[where][0] = what == 5 ? mine.pair[where][0] + pair[0] : mine.pair[where][0] ^ pair[0];
        mine.pair[where][1] = what == 5 ? mine.pair[where][1] + pair[1] : mine.pair[where][1] ^ pair[1];
        break;
      case 7:
      case 8:
        GOOD(MPI_Accumulate(&small, 1, MPI_SIGNED_CHAR, target, small_at, 1, MPI_SIGNED_CHAR,
                            what == 7 ? MPI_BXOR : MPI_REPLACE, made->win));
        mine.small[where] = (signed char)(what == 7 ? mine.small[where] ^ small : small);
        break;
      case 9: GOOD(k % 5 == 0 ? MPI_Win_flush_all(made->win) : MPI_Win_flush_local_all(made->win)); break;
      default:
        GOOD(MPI_Accumulate(&whole, 1, MPI_INT64_T, target, whole_at, 1, MPI_INT64_T, what < 13 ? MPI_SUM : MPI_BXOR,
                            made->win));
        mine.whole[where] = what < 13 ? mine.whole[where] + whole : mine.whole[where] ^ whole;
    }
  }
  GOOD(MPI_Win_flush(target, made->win));
  GOOD(MPI_Get(&got, sizeof got, MPI_BYTE, target, at, sizeof got, MPI_BYTE, made->win));
  GOOD(MPI_Win_unlock_all(made->win));
  for (int k = 0; k < N; ++k) {
    CHECK(got.whole[k] == mine.whole[k] && got.real[k] == mine.real[k] && got.small[k] == mine.small[k]);
    CHECK(got.pair[k][0] == mine.pair[k][0] && got.pair[k][1] == mine.pair[k][1]);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  memset(made->base, 0, 65536);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* All of them come, however many, though nobody waits for them or lets the network go on before they have. */
static void by_themselves(struct made* made) {
  enum { N = 2000, ROUNDS = 20 };
  const int64_t one = 1;
  int64_t expected[N] = {0};
  const int target = (rank + 1) % size;
  int64_t* const here = (int64_t*)made->base;
  GOOD(MPI_Win_lock_all(0, made->win));
  for (int round = 0; round < ROUNDS; ++round) {
    const int some = 1 + round * round * 5;
    for (int k = 0; k < some; ++k) {
      GOOD(MPI_Accumulate(&one, 1, MPI_INT64_T, target, made->all_at[target] + k * (MPI_Aint)sizeof one, 1, MPI_INT64_T,
                          MPI_SUM, made->win));
      ++expected[k];
    }
    /* Another rank may be a round ahead. */
    for (int k = 0; k < some; ++k) {
      while (__atomic_load_n(&here[k], __ATOMIC_ACQUIRE) < expected[k]) sched_yield();
    }
  }
  GOOD(MPI_Win_unlock_all(made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int k = 0; k < N; ++k) CHECK(here[k] == expected[k]);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  memset(made->base, 0, 65536);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 40;
  int level = 0;
  GOOD(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level));
  CHECK(level == MPI_THREAD_MULTIPLE);
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int kind = 0; kind < KINDS; ++kind) {
    if (!has_kind((enum kind)kind)) continue;
    struct made made = make_kind((enum kind)kind, 65536, MPI_COMM_WORLD);
    in_order(&made, times);
    singles(&made, times);
    by_themselves(&made);
    moved_in_pieces(&made);
    for (int puts = 0; puts < 2; ++puts) while_another_goes_on(&made, puts);
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    free_kind(&made);
  }
  return end();
}
