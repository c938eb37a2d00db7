// Tasks: dependences, groups, loops, reductions, events, priorities, cancellation.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                             \
  do {                                       \
    if (!(c)) {                              \
      printf("line %d: %s\n", __LINE__, #c); \
      exit(1);                               \
    }                                        \
  } while (0)

static int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b) final(n < 6) mergeable
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void dependences(void) {
  int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single nowait
  {
#pragma omp task depend(out : x) shared(x)
    x = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
    y = x + 1;
#pragma omp task depend(in : x) depend(out : z) shared(x, z)
    z = x + 2;
#pragma omp task depend(inout : x) depend(in : y, z) shared(x, y, z)
    x = y * z;
#pragma omp taskwait depend(in : x)
    CHECK(x == 6);
#pragma omp task depend(mutexinoutset : y) shared(y)
    y += 10;
#pragma omp task depend(mutexinoutset : y) shared(y)
    y += 10;
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : y)
#pragma omp task depend(depobj : object) shared(y)
    y *= 2;
#pragma omp task depend(in : y) if (0) shared(y)
    CHECK(y == 44);
#pragma omp depobj(object) destroy
    int chain = 0, list[50] = {0};
    for (int k = 0; k < 50; k++) {
#pragma omp task depend(out : list[k]) depend(inout : chain) firstprivate(k) shared(chain)
      {
        CHECK(chain == k);
        chain++;
      }
    }
#pragma omp task depend(iterator(k = 0 : 50), in : list[k]) shared(chain)
    CHECK(chain == 50);
#pragma omp taskwait
  }
  CHECK(x == 6);
}

// Of two that follow a task whoever ran that goes on with one, and somebody else has to come for the other.
static void meet(int* here, int pairs) {
  int count;
#pragma omp atomic capture
  count = ++*here;
  while (pairs && count % 2 != 0) {
    int now;
#pragma omp atomic read
    now = *here;
    if (now > count) break;
  }
}

static void chains(int threads) {
  const int pairs = threads > 1 && getenv("WEFT_PE") == NULL;  // a process may have one thread of a team over processes
  int chain = 0, here = 0, urgent = 0;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 20; k++) {
#pragma omp task depend(inout : chain) firstprivate(k) shared(chain)
    {
      CHECK(chain == k);
      chain++;
    }
#pragma omp task depend(in : chain) firstprivate(k) shared(chain, here)
    {
      CHECK(chain == k + 1);
      meet(&here, pairs);
    }
#pragma omp task depend(in : chain) depend(inout : urgent) priority(k % 3) firstprivate(k) shared(chain, here, urgent)
    {
      CHECK(chain == k + 1 && urgent == k);
      urgent++;
      meet(&here, pairs);
    }
  }
  CHECK(chain == 20 && urgent == 20 && here == 40);
}

static void groups(int threads) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int k = 0; k < 100; k++) {
#pragma omp task shared(done)
        {
#pragma omp task shared(done)
#pragma omp atomic
          done++;
        }
      }
    }
    CHECK(done == 100);
  }
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7) reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum += i;
#pragma omp taskloop num_tasks(5) shared(done) priority(3)
    for (unsigned long long i = 0; i < 100; i += 3)
#pragma omp atomic
      done++;
#pragma omp taskloop nogroup shared(done)
    for (long i = 10; i > 0; i--)
#pragma omp atomic
      done++;
  }
  CHECK(sum == 4950 && done == 144);
  sum = 0;
#pragma omp parallel reduction(task, + : sum)
#pragma omp task in_reduction(+ : sum)
  sum += 1;
  CHECK(sum == threads);
  sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum)
  for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  CHECK(sum == 45);
#if !defined(__clang__) || __clang_major__ > 16 /* which knows no scope before */
  sum = 0;
#pragma omp parallel
  for (int k = 0; k < 20; k++) {
#pragma omp scope reduction(task, + : sum)
    {
#pragma omp task in_reduction(+ : sum)
      sum += 1;
    }
  }
  CHECK(sum == 20 * threads);
#endif
  sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 50; i++) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  CHECK(sum == 1225);
}

static void events(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : done) shared(done)
    done = 1;
#pragma omp task depend(in : done) shared(done)
    CHECK(done == 1);
    omp_fulfill_event(event);
  }
  CHECK(done == 1);
}

// More events that are to come than tasks are kept for later, with tasks behind each: the thread that makes them all
// lets the events come, when it has made the last one. Others meanwhile are tasks as ever.
enum { kEvents = 3000 };
static omp_event_handle_t awaited[kEvents];
static int begun[kEvents], behind[kEvents];
static void many_events(void) {
  int others = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int k = 0; k < kEvents; k++) {
      omp_event_handle_t event;
      begun[k] = behind[k] = 0;
#pragma omp task detach(event) depend(out : begun[k])
      begun[k] = k + 1;
      awaited[k] = event;
#pragma omp task depend(in : begun[k]) depend(out : behind[k])
      behind[k] = begun[k];
      if (k % 10 == 0) {
#pragma omp task shared(others)
#pragma omp atomic
        others++;
      }
    }
    for (int k = 0; k < kEvents; k++) {
      CHECK(behind[k] == 0);
      omp_fulfill_event(awaited[k]);
    }
#pragma omp taskwait
    for (int k = 0; k < kEvents; k++) CHECK(behind[k] == k + 1);
  }
  CHECK(others == kEvents / 10);
}

// So many events to come, always, that the thread that makes the tasks runs others itself.
static void events_and_others(void) {
  enum { kAhead = 1500 };
  int others = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int k = 0; k < kEvents; k++) {
      omp_event_handle_t event;
#pragma omp task detach(event)
      begun[k] = -k;
      awaited[k] = event;
      if (k >= kAhead) omp_fulfill_event(awaited[k - kAhead]);
      if (k != kEvents / 2) continue;
#pragma omp taskgroup
      for (int other = 0; other < 200; other++) {
#pragma omp task shared(others)
#pragma omp atomic
        others++;
      }
    }
    for (int k = kEvents - kAhead; k < kEvents; k++) omp_fulfill_event(awaited[k]);
  }
  CHECK(others == 200);
  for (int k = 0; k < kEvents; k++) CHECK(begun[k] == -k);
}

static void cancelling(int threads) {
  if (!omp_get_cancellation()) return;
  int after = 0, found = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 1000; i++) {
      if (i == 3) {
#pragma omp atomic write
        found = 1;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp atomic
    after++;
  }
  CHECK(found == 1 && after == threads);
  after = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == threads - 1) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp atomic
    after++;
  }
  CHECK(after == 0);
  int ran = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(ran)
    {
#pragma omp atomic
      ran++;
#pragma omp cancel taskgroup
    }
  }
  CHECK(ran >= 1 && ran <= 100);
  // And the next region is whole.
  after = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : after)
  for (int i = 0; i < 100; i++) after++;
  CHECK(after == 100);
}

// Tasks that run at once, one after the other: what one of them sets or leaves behind is not the next one's.
static void at_once(void) {
  long sum = 0;
  const int usual = omp_get_max_threads();
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) if (0) shared(sum)
    for (int k = 0; k < 60; k++) {
      CHECK(omp_get_max_threads() == usual);
      omp_set_num_threads(usual + 1 + k % 2);
      if (k % 2 == 0) {
#pragma omp task shared(sum)  // outlives its parent
        {
#pragma omp atomic
          sum += k;
        }
      }
      if (k % 3 == 0) {
        int order = 0;
#pragma omp task depend(out : order) shared(order)
        order = 1;
#pragma omp task depend(inout : order) shared(order)
        order = order == 1 ? 2 : 3;
#pragma omp taskwait
        CHECK(order == 2);
      }
    }
#pragma omp task if (0) shared(sum)
    {
#pragma omp task if (0) shared(sum)
      {
#pragma omp atomic
        sum += 1000;
      }
    }
  }
  CHECK(sum == 870 + 1000 && omp_get_max_threads() == usual);
}

static void grow(int level, long* leaves) {
  if (level == 0) {
#pragma omp atomic
    ++*leaves;
    return;
  }
#pragma omp task if (level % 3 != 0)  // at once, and what it makes outlives it
  {
    grow(level - 1, leaves);
    grow(level - 1, leaves);
  }
}

// More tasks than are kept for later: those that are run at once have children that are not, and the other way round.
static void trees(int threads) {
  enum { kLevels = 9, kTrees = 5 };
  long leaves = 0;
#pragma omp parallel
  for (int k = 0; k < kTrees; k++) grow(kLevels, &leaves);
  CHECK(leaves == (long)threads * kTrees << kLevels);
}

// A region of one thread behind one of more: threads of that help with its own tasks only.
static void alone_behind_others(void) {
  int sum_of_all = 0;
  for (int round = 0; round < 300; round++) {
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task
      sum_of_all = 0;
    }
#pragma omp parallel num_threads(1)
    for (int k = 0; k < 20; k++) {
#pragma omp task
      {
        CHECK(omp_get_thread_num() == 0);
        sum_of_all++;
      }
    }
    CHECK(sum_of_all == 20);
  }
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 4;
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
  for (int k = 0; k < 30; k++) {
    int f;
#pragma omp parallel
#pragma omp single
    f = fib(12);
    CHECK(f == 144);
    dependences();
    chains(threads);
    groups(threads);
    events();
    at_once();
    cancelling(threads);
  }
  many_events();
  events_and_others();
  trees(threads);
  alone_behind_others();
  printf("all is right\n");
  return 0;
}
