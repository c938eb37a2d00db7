// What clang compiles otherwise than gcc: untied tasks in parts, events, dependences, taskloops, doacross, reductions
// without atomic operations, schedules of teams, copyprivate, locks of 8 bytes, many captured variables.
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(c)                             \
  do {                                       \
    if (!(c)) {                              \
      printf("line %d: %s\n", __LINE__, #c); \
      exit(1);                               \
    }                                        \
  } while (0)

static int threads;

static int fib(int n) {
  int a = 0, b = 0;
  if (n < 2) return n;
#pragma omp task untied shared(a)
  {
    a = fib(n - 1);
#pragma omp taskyield
    a += 0;
  }
#pragma omp task untied shared(b) if (n % 2)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tasks(void) {
  int got = 0;
#pragma omp parallel
#pragma omp single
  got = fib(12);
  CHECK(got == 144);

  // A chain, readers beside each other, all memory.
  int chain = 0, seen[8] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int k = 0; k < 8; k++) {
#pragma omp task depend(inout : chain) firstprivate(k)
      chain = chain * 3 + k;
#pragma omp task depend(in : chain) depend(out : seen[k]) firstprivate(k)
      seen[k] = chain;
    }
#pragma omp task depend(iterator(k = 0 : 8), in : seen[k]) if (0)
    for (int k = 0, want = 0; k < 8; k++) {
      want = want * 3 + k;
      CHECK(seen[k] == want);
    }
#pragma omp taskwait depend(in : chain)
    CHECK(chain == seen[7]);
  }

  // Events, fulfilled before, in, and behind the body.
  int after = 0;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 30; k++) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : after) firstprivate(k)
    {
      if (k % 3 == 0) omp_fulfill_event(event);
    }
    if (k % 3 != 0) {
#pragma omp task firstprivate(event)
      omp_fulfill_event(event);
    }
#pragma omp task depend(inout : after)
    after++;
  }
  CHECK(after == 30);

  for (int grain = 1; grain < 40; grain += 7) {
    int hit[101] = {0}, last = -1;
    long sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(grain) lastprivate(last) reduction(+ : sum)
      for (int k = 100; k >= 0; k -= 2) {
        hit[k]++;
        sum += k;
        last = k;
      }
#pragma omp taskloop num_tasks(grain) if (grain % 2) nogroup
      for (unsigned k = 1; k < 101; k += 2) {
#pragma omp atomic
        hit[k]++;
      }
    }
    for (int k = 0; k < 101; k++) CHECK(hit[k] == 1);
    CHECK(last == 0 && sum == 2550);
  }

  long total = 0, most = 0;
#pragma omp parallel reduction(task, + : total) reduction(max : most)
  {
    most = omp_get_thread_num() + 1;
#pragma omp task in_reduction(+ : total)
    {
      total += 5;
#pragma omp taskgroup task_reduction(+ : total)
      for (int k = 0; k < 4; k++) {
#pragma omp task in_reduction(+ : total)
        total += k;
      }
    }
  }
  CHECK(total == 11L * threads && most == threads);
}

struct pair {
  long low, high;
};
#pragma omp declare reduction(join                                                                        \
                              : struct pair                                                               \
                              : (omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low,       \
                                 omp_out.high = omp_in.high > omp_out.high ? omp_in.high : omp_out.high)) \
    initializer(omp_priv = {1L << 40, -(1L << 40)})

static void loops(void) {
  struct pair both = {50, 50};
  for (int round = 0; round < 50; round++) {
#pragma omp parallel for reduction(join : both) schedule(static, 3)
    for (int k = -10; k < 100; k++) {
      both.low = k < both.low ? k : both.low;
      both.high = k > both.high ? k : both.high;
    }
  }
  CHECK(both.low == -10 && both.high == 99);

  // Every schedule meets every iteration once; counts that do not divide, both directions, all widths.
  static int met[1000];
  for (int n = 0; n < 40; n++) {
    memset(met, 0, sizeof met);
    long last = -1;
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
      for (int k = 0; k < n; k++) met[k]++;
#pragma omp for schedule(static, 2) nowait
      for (unsigned k = 100; k < 100U + (unsigned)n; k++) met[k]++;
#pragma omp for schedule(dynamic, 3) nowait
      for (long k = 200 + n - 1; k >= 200; k--) met[k]++;
#pragma omp for schedule(guided) nowait
      for (unsigned long k = 300; k < 300UL + (unsigned long)n; k++) met[k]++;
#pragma omp for schedule(runtime) nowait
      for (short k = 400; k < 400 + n; k++) met[k]++;
#pragma omp for simd schedule(simd : static, 4) nowait
      for (int k = 500; k < 500 + n; k++) met[k]++;
#pragma omp for collapse(2) schedule(dynamic)
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
#pragma omp atomic
          met[600 + i]++;
        }
#pragma omp for lastprivate(last) schedule(static, 5)
      for (long k = 0; k < n; k++) last = k;
    }
    for (int k = 0; k < n; k++)
      CHECK(met[k] == 1 && met[100 + k] == 1 && met[200 + k] == 1 && met[300 + k] == 1 && met[400 + k] == 1 &&
            met[500 + k] == 1 && met[600 + k] == 3);
    for (int k = n; k < 100; k++) CHECK(met[k] + met[100 + k] + met[200 + k] + met[300 + k] + met[600 + k] == 0);
    CHECK(last == n - 1);
  }

  int next = 0;
#pragma omp parallel for ordered schedule(dynamic, 2)
  for (int k = 0; k < 60; k++) {
#pragma omp ordered
    {
      CHECK(next == k);
      next++;
    }
  }
#pragma omp parallel for ordered schedule(static, 3)
  for (int k = 60; k < 120; k++) {
#pragma omp ordered
    {
      CHECK(next == k);
      next++;
    }
  }

  enum { kRows = 13, kColumns = 9 };
  static long field[kRows + 1][kColumns + 1];
  memset(field, 0, sizeof field);
  field[0][0] = 1;
#pragma omp parallel for ordered(2) collapse(2) schedule(static, 1)
  for (int i = 0; i < kRows; i++)
    for (int k = 0; k < kColumns; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
      if (i + k > 0) field[i][k] = (i > 0 ? field[i - 1][k] : 0) + (k > 0 ? field[i][k - 1] : 0);
#pragma omp ordered depend(source)
    }
  CHECK(field[3][3] == 20 && field[kRows - 1][kColumns - 1] == 125970);

  int sections = 0;
#pragma omp parallel sections reduction(+ : sections)
  {
#pragma omp section
    sections += 1;
#pragma omp section
    sections += 10;
#pragma omp section
    sections += 100;
  }
  CHECK(sections == 111);
}

struct ident;
void __kmpc_dispatch_init_4(struct ident*, int thread, int schedule, int low, int high, int step, int chunk);
int __kmpc_dispatch_next_4(struct ident*, int thread, int* last, int* low, int* high, int* step);
int __kmpc_global_thread_num(struct ident*);

// schedule(simd: runtime), as the compiler asks for it: chunks are of whole vectors, but for the last one.
static void vectors(void) {
  enum { kRuntimeSimd = 47, kVector = 8, kMost = 1003 };
  static int done[kMost];
  for (int schedule = omp_sched_static; schedule <= omp_sched_auto; schedule++) {
    for (int chunk = 0; chunk < 4; chunk += 3) {
      omp_set_schedule((omp_sched_t)schedule, chunk);
      memset(done, 0, sizeof done);
#pragma omp parallel
      {
        const int me = __kmpc_global_thread_num(NULL);
        int last = 0, low = 0, high = 0, step = 0;
        __kmpc_dispatch_init_4(NULL, me, kRuntimeSimd, 5, 5 + 2 * (kMost - 1), 2, kVector);
        while (__kmpc_dispatch_next_4(NULL, me, &last, &low, &high, &step)) {
          const int first = (low - 5) / 2;
          const int n = (high - low) / 2 + 1;
          const int whole = chunk > 1 && schedule != omp_sched_auto ? chunk * kVector : kVector;
          CHECK(step == 2 && first % whole == 0 && (n % whole == 0 || first + n == kMost));
          CHECK(last == (first + n == kMost) && (chunk == 0 || schedule != omp_sched_dynamic || n <= 3 * kVector));
          for (int k = 0; k < n; k++) done[first + k]++;
        }
#pragma omp barrier
      }
      for (int k = 0; k < kMost; k++) CHECK(done[k] == 1);
    }
  }
  omp_set_schedule(omp_sched_static, 0);
}

static void regions(void) {
  // More captured variables than registers hold.
  int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15,
      p = 16;
  double x = 0.5;
  long sum = 0;
#pragma omp parallel firstprivate(a, b, c, d, e, f, g, h, x) shared(i, j, k, l, m, n, o, p) reduction(+ : sum)
  sum += a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + (long)(2 * x);
  CHECK(sum == 137L * threads);

  struct pair handed = {0, 0};
#pragma omp parallel firstprivate(handed)
  for (int round = 0; round < 20; round++) {
#pragma omp single copyprivate(handed)
    handed = (struct pair){round, omp_get_num_threads()};
    CHECK(handed.low == round && handed.high == threads);
  }

  omp_nest_lock_t lock;
  int guard = 0x5a5a5a5a;
  long inside = 0;
  CHECK(sizeof lock == sizeof(void*));
  omp_init_nest_lock(&lock);
#pragma omp parallel
  for (int round = 0; round < 100; round++) {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    inside++;
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  CHECK(guard == 0x5a5a5a5a && inside == 100L * threads);

  int in = 0;
#pragma omp parallel if (threads < 0)
  {
#pragma omp critical(named)
    in += omp_get_num_threads();
  }
#pragma omp parallel num_threads(2) proc_bind(close)
#pragma omp masked filter(omp_get_num_threads() - 1)
  in += 10;
  CHECK(in == 11);

  int hits[64] = {0}, teams = 0;
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : teams)
  {
    if (omp_get_team_num() == 0) teams += omp_get_num_teams();
#pragma omp distribute dist_schedule(static, 5)
    for (int t = 0; t < 32; t++) hits[t]++;
#pragma omp distribute parallel for schedule(static)
    for (int t = 32; t < 64; t++) hits[t]++;
  }
  for (int t = 0; t < 64; t++) CHECK(hits[t] == 1);
  CHECK(teams == 3);
}

/* How long threads wait before they sleep, as LLVM's library says it. */
static void waiting(void) {
  const char* const policy = getenv("OMP_WAIT_POLICY");
  const char* const milliseconds = getenv("KMP_BLOCKTIME");
  const int usual = milliseconds != NULL            ? atoi(milliseconds)
                    : policy == NULL                ? 200
                    : strcmp(policy, "active") == 0 ? INT_MAX
                                                    : 0;
  CHECK(kmp_get_blocktime() == usual);
}

/* What LLVM's library does with formats, where libgomp ends the program. */
static void formats(void) {
  char text[40];
  omp_capture_affinity(text, sizeof text, "%{nothing} %X %03n %0.3n");
  CHECK(strcmp(text, "undefined undefined 0   000") == 0);
  omp_capture_affinity(text, sizeof text, "a%{nothing");
  CHECK(strcmp(text, "aundefined") == 0);
}

// What routines say of schedules: what was said to them, and static where nobody has said anything.
static void schedules(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(getenv("OMP_SCHEDULE") != NULL || (kind == omp_sched_static && chunk == 0));
  for (int k = omp_sched_static; k <= omp_sched_guided; k++) {
    for (int monotonic = 0; monotonic < 2; monotonic++) {
      const omp_sched_t said = (omp_sched_t)((unsigned)k | (monotonic ? (unsigned)omp_sched_monotonic : 0U));
      omp_set_schedule(said, 5);
      omp_get_schedule(&kind, &chunk);
      CHECK(kind == said && chunk == 5);
    }
  }
  omp_set_schedule(omp_sched_static, 0);
}

// Tasks as later compilers hand them in: one that depends on all memory, which is an address that nothing has, and one
// without a routine, which others wait for.
struct made {
  void* shareds;
  int (*routine)(int thread, struct made*);
  int part;
  void* first;
  void* second;
};
struct dependence {
  void* at;
  size_t bytes;
  unsigned char how;  // 1 in, 2 out, 8 inoutset
};
struct made* __kmpc_omp_task_alloc(struct ident*, int thread, int flags, size_t bytes, size_t of_shareds,
                                   int (*routine)(int, struct made*));
int __kmpc_omp_task_with_deps(struct ident*, int thread, struct made*, int n, struct dependence* list, int n_more,
                              struct dependence* more);
static int left, right, seen;
static int look(int thread, struct made* task) {
  seen += left == 1 && right == 1;
  return thread - thread + (task == NULL);
}
static void depend_as_later(void) {
  enum { kRounds = 20 };
  for (int round = 0; round < kRounds; round++) {
    left = right = 0;
#pragma omp parallel
#pragma omp single
    {
      const int me = __kmpc_global_thread_num(NULL);
#pragma omp task depend(out : left)
      {
        usleep(500);
        left = 1;
      }
#pragma omp task depend(out : right)
      {
        usleep(500);
        right = 1;
      }
      struct dependence all = {(void*)-1, 0, 2};
      __kmpc_omp_task_with_deps(NULL, me, __kmpc_omp_task_alloc(NULL, me, 1, sizeof(struct made), 0, look), 1, &all, 0,
                                NULL);
      struct dependence both[] = {{&left, sizeof left, 1}, {&right, sizeof right, 1}};
      __kmpc_omp_task_with_deps(NULL, me, __kmpc_omp_task_alloc(NULL, me, 1, sizeof(struct made), 0, NULL), 2, both, 0,
                                NULL);
#pragma omp task depend(inout : left)
      left += seen == round + 1;
    }
    CHECK(left == 2 && right == 1 && seen == round + 1);
  }
}

static void cancelled(void) {
  if (!omp_get_cancellation()) return;
  for (int round = 0; round < 20; round++) {
    int done = 0, behind = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (int k = 0; k < 1000; k++) {
#pragma omp cancel for if (k == 20)
#pragma omp atomic
        done++;
#pragma omp cancellation point for
      }
#pragma omp for schedule(dynamic)
      for (int k = 0; k < 50; k++) {
#pragma omp atomic
        behind++;
      }
    }
    CHECK(done < 1000 && behind == 50);
    int left = 0;
#pragma omp parallel
    {
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
      for (int k = 0; k < 1000000; k++) {
#pragma omp cancellation point parallel
      }
#pragma omp barrier
#pragma omp atomic
      left++;
    }
    CHECK(left < threads);
  }
}

int main(int argc, char** argv) {
  if (argc > 1) omp_set_num_threads(atoi(argv[1]));
  threads = omp_get_max_threads();
  schedules();
  regions();
  loops();
  vectors();
  tasks();
  depend_as_later();
  formats();
  waiting();
  cancelled();
  printf("all is right\n");
  return 0;
}
