/* MPI programs that hang or end badly, each in its own way:
 *   hang <how>
 * The tests look for the lines marked below. */
#include <glob.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kLarge = 1 << 20, kMiddle = 1024 };

static int me, n_ranks;
static char out[kLarge], in[kLarge];

static int is(const char* a, const char* b) { return strcmp(a, b) == 0; }

static __attribute__((noinline)) void compute(void) {
  for (volatile int k = 0; k >= 0;) k = !k; /* loop */
}

/* What rank 1 waits for does not come, or not as it wants it. */
static void tags(const char* how) {
  MPI_Comm solver = MPI_COMM_WORLD;
  if (is(how, "elsewhere")) {
    MPI_Comm_dup(MPI_COMM_WORLD, &solver);
    MPI_Comm_set_name(solver, "solver");
  }
  if (me == 0 && is(how, "tag")) MPI_Send(out, 8, MPI_CHAR, 1, 8, MPI_COMM_WORLD);
  if (me == 0 && is(how, "elsewhere")) MPI_Send(out, 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
  if (me == 1 && is(how, "probe")) {
    MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* probe */
  } else if (me == 1) {
    MPI_Recv(in, 8, MPI_CHAR, 0, 7, solver, MPI_STATUS_IGNORE); /* tag */
  }
}

static void several(const char* how) {
  MPI_Request requests[2];
  int which;
  if (me != 1) return;
  MPI_Irecv(in, 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + 8, 8, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &requests[1]);
  if (is(how, "any")) {
    MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE); /* any */
  } else {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* all */
  }
}

/* Sends that nobody takes. */
static void sends(const char* how) {
  const int other = 1 - me;
  if (me > 1) return;
  if (is(how, "heads")) {
    MPI_Send(out, kLarge, MPI_CHAR, other, 1, MPI_COMM_WORLD); /* heads */
    MPI_Recv(in, kLarge, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (is(how, "ssend")) {
    if (me == 1) compute();
    MPI_Ssend(out, 8, MPI_CHAR, 1, 3, MPI_COMM_WORLD); /* ssend */
  } else if (me == 0) {
    for (;;) MPI_Send(out, kMiddle, MPI_CHAR, 1, 1, MPI_COMM_WORLD); /* room */
  } else {
    MPI_Recv(in, 8, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void collectives(const char* how) {
  int one = 1, sum = 0;
  const int last = n_ranks - 1;
  if (is(how, "missing")) {
    if (me == last) compute();
  } else if (is(how, "calls")) {
    if (me == last) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* allreduce */
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == last)
      for (;;) pause();
  }
  MPI_Barrier(MPI_COMM_WORLD); /* barrier */
}

/* No hang: what is small is taken while its receiver waits for another message. */
static void buffers(void) {
  if (me == 0) {
    for (int k = 0; k < 300; ++k) MPI_Send(out, kMiddle, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Send(out, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
  } else if (me == 1) {
    MPI_Recv(in, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < 300; ++k) MPI_Recv(in, kMiddle, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Shared locks of two parts, taken in different orders beside writers of each: ranks 0 and 1 have one each, 2 and 3
 * wait for these to go, and 0 and 1 for them. */
static void opposite_locks(MPI_Win win) {
  if (me < 2) MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me < 2) {
    usleep(400 * 1000);                            /* the writers are in the queue by then */
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - me, 0, win); /* reader */
  } else if (me < 4) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me - 2, 0, win); /* writer */
  }
}

/* Whether all threads of a process of this host stand still. */
static int is_stopped(int pid) {
  char pattern[64], state = 0;
  int stopped = 1;
  glob_t found;
  snprintf(pattern, sizeof pattern, "/proc/%d/task/*/stat", pid);
  if (glob(pattern, 0, NULL, &found) != 0) return 0;
  for (size_t k = 0; k < found.gl_pathc; ++k) {
    FILE* const file = fopen(found.gl_pathv[k], "r");
    stopped = file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && state == 'T' && stopped;
    if (file) fclose(file);
  }
  globfree(&found);
  return stopped;
}

/* Rank 3 is stopped when rank 0, of another host, asks it whether it has taken word of the lock that it has back: rank
 * 2, which is of its host, sees to that. */
static void free_beside_a_stopped_one(MPI_Win win) {
  int pid = (int)getpid();
  if (me == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win);
    MPI_Win_unlock(3, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 3) {
    MPI_Send(&pid, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    raise(SIGSTOP);
  } else if (me == 2) {
    MPI_Recv(&pid, 1, MPI_INT, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!is_stopped(pid)) sched_yield();
    MPI_Send(&pid, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  } else if (me == 0) {
    MPI_Recv(&pid, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Win_free(&win); /* win_free */
}

/* Rank 1 has the lock behind rank 0, and dies with it or lets the last rank wait for it. */
static void held_by_one_that_has_waited(MPI_Win win, const char* how) {
  if (me == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) {
    usleep(100000); /* rank 1 waits by then */
    MPI_Win_unlock(1, win);
  }
  if (me == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 1 && is(how, "win_behind_dies")) raise(SIGKILL);
  if (me == n_ranks - 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win); /* behind */
}

/* Locks that are not given back, groups that do not meet. */
static void windows(const char* how) {
  MPI_Win win;
  MPI_Group all;
  int* base;
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_set_name(win, "matrix");
  MPI_Win_get_group(win, &all);
  if (is(how, "win_circle")) {
    opposite_locks(win);
    return;
  }
  if (is(how, "win_behind") || is(how, "win_behind_dies")) {
    held_by_one_that_has_waited(win, how);
    return;
  }
  if (is(how, "win_stopped")) {
    free_beside_a_stopped_one(win);
    return;
  }
  if (me == 0 && is(how, "win_all")) {
    MPI_Win_lock_all(0, win);
    MPI_Put(&me, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  }
  if (me == 0 && is(how, "win_shared")) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (me == 0 && !is(how, "win_shared") && !is(how, "win_all")) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0 && is(how, "win_dies")) raise(SIGKILL);
  if (me == 0 && is(how, "win_faults")) *(volatile int*)8 = 1;
  if (me == 1 && is(how, "win_post")) {
    const int first = 0;
    MPI_Group group;
    MPI_Group_incl(all, 1, &first, &group);
    MPI_Win_start(group, 0, win);
    MPI_Win_complete(win); /* win_complete */
  } else if (me == 1 && is(how, "win_wait")) {
    MPI_Win_post(all, 0, win);
    MPI_Win_wait(win); /* win_wait */
  } else if (me == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win); /* win_lock */
  }
}

/* One ends while the others wait for it. */
static void ends(const char* how) {
  if (me == 1 && is(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 17);
  if (me == 1 && is(how, "exit")) exit(0);
  MPI_Recv(in, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void hang(const char* how) {
  if (is(how, "tag") || is(how, "elsewhere") || is(how, "probe")) {
    tags(how);
  } else if (is(how, "any") || is(how, "all")) {
    several(how);
  } else if (is(how, "heads") || is(how, "ssend") || is(how, "room")) {
    sends(how);
  } else if (strncmp(how, "win_", 4) == 0) {
    windows(how);
  } else if (is(how, "buffers")) {
    buffers();
  } else if (is(how, "circle")) {
    MPI_Recv(in, 8, MPI_CHAR, (me + 1) % n_ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* circle */
  } else if (is(how, "self")) {
    if (me == 0) MPI_Recv(in, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE); /* self */
  } else if (is(how, "missing") || is(how, "calls") || is(how, "fewer")) {
    collectives(how);
  } else {
    ends(how);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  if (argc == 2) hang(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD); /* end */
  MPI_Finalize();
  return 0;
}
