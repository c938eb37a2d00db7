/* System calls on shared memory: what they read and write is here or not, new or old. Of PE `k` all memory is at home
 * at another PE, and is touched first by the call. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PIECE = 40000, PIECES = 12 };

static int me, n;
static char folder[200];

/* The k-th piece of this PE's, which the PE before it has filled. -1: all fill, and meet. */
static char* not_here(int k) {
  static char* all;
  if (k < 0) {
    all = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, (size_t)n * PIECES * PIECE) : NULL);
    /* The next one's. */
    for (long at = 0; at < (long)PIECES * PIECE; ++at) {
      all[(long)((me + 1) % n) * PIECES * PIECE + at] = (char)(at * 7 + me);
    }
    weft_shared_barrier();
    return all;
  }
  return all + ((long)me * PIECES + k) * PIECE;
}

static int is_filled(const char* at, int k) {
  const int maker = (me + n - 1) % n;
  for (long j = 0; j < PIECE; ++j) {
    if (at[j] != (char)(((long)k * PIECE + j) * 7 + maker)) return 0;
  }
  return 1;
}

static void files(void) {
  char name[300];
  char* mine = malloc(PIECE);
  snprintf(name, sizeof name, "%s/data%d", folder, me);
  const int fd = open(name, O_RDWR | O_CREAT, 0600);
  CHECK(fd >= 0);
  /* Out of memory that is not here. */
  CHECK(write(fd, not_here(0), PIECE) == PIECE);
  CHECK(pwrite(fd, not_here(1), PIECE, PIECE) == PIECE);
  const struct iovec out[2] = {{not_here(2) + 100, PIECE - 100}, {mine, 100}};
  CHECK(lseek(fd, 2 * PIECE + 100, SEEK_SET) == 2 * PIECE + 100 && writev(fd, out, 2) == PIECE);
  for (int k = 0; k < 2; ++k) {
    CHECK(pread(fd, mine, PIECE, (off_t)k * PIECE) == PIECE && is_filled(mine, k));
  }
  CHECK(pread(fd, mine + 100, PIECE - 100, 2 * PIECE + 100) == PIECE - 100);
  memcpy(mine, not_here(2), 100);
  CHECK(is_filled(mine, 2));
  /* And into it. */
  CHECK(lseek(fd, 0, SEEK_SET) == 0 && read(fd, not_here(3), PIECE) == PIECE && is_filled(not_here(3), 0));
  CHECK(pread(fd, not_here(4) + 1, PIECE - 1, PIECE + 1) == PIECE - 1);
  not_here(4)[0] = not_here(1)[0];
  CHECK(is_filled(not_here(4), 1));
  const struct iovec in[2] = {{not_here(5), 5000}, {not_here(5) + 5000, PIECE - 5000}};
  CHECK(preadv(fd, in, 2, 0) == PIECE && is_filled(not_here(5), 0));
  close(fd);

  /* Large pieces do not go by the file's buffer. */
  FILE* file = fopen(name, "w+");
  CHECK(file != NULL && fwrite(not_here(6), 1, PIECE, file) == PIECE && fflush(file) == 0);
  rewind(file);
  CHECK(fread(not_here(7), 1, PIECE, file) == PIECE && is_filled(not_here(7), 6));
  fclose(file);
  free(mine);
}

static void sockets(void) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  /* Less than a socket keeps. */
  CHECK(send(ends[0], not_here(8), 20000, 0) == 20000);
  CHECK(recv(ends[1], not_here(9), 20000, MSG_WAITALL) == 20000 && memcmp(not_here(8), not_here(9), 20000) == 0);
  struct iovec* const piece = (struct iovec*)(void*)(not_here(10));
  memset(piece, 0, sizeof *piece);
  piece->iov_base = not_here(8) + 20000;
  piece->iov_len = 20000;
  struct msghdr message = {0};
  message.msg_iov = piece;
  message.msg_iovlen = 1;
  CHECK(sendmsg(ends[0], &message, 0) == 20000);
  piece->iov_base = not_here(9) + 20000;
  CHECK(recvmsg(ends[1], &message, MSG_WAITALL) == 20000);
  CHECK(memcmp(not_here(8), not_here(9), PIECE) == 0);
  /* A read of more than is there comes back with what is. */
  CHECK(write(ends[0], "abc", 3) == 3 && read(ends[1], not_here(9), PIECE) == 3 && not_here(9)[2] == 'c');
  close(ends[0]);
  close(ends[1]);
}

static void names(void) {
  char* const name = not_here(11);
  struct stat* const what = (struct stat*)(void*)(not_here(11) + 8192);
  snprintf(name, 300, "%s/data%d", folder, me);
  weft_shared_barrier();
  /* That of the next one. */
  char* const theirs = name + (((me + 1) % n) - me) * (long)PIECES * PIECE;
  struct stat* const of_theirs = (struct stat*)(void*)(theirs + 16384);
  CHECK(access(theirs, R_OK) == 0);
  CHECK(stat(theirs, of_theirs) == 0 && of_theirs->st_size == PIECE);
  const int fd = open(theirs, O_RDONLY);
  CHECK(fd >= 0 && fstat(fd, what) == 0 && what->st_size == PIECE);
  close(fd);
  CHECK(getcwd(theirs + 20480, 4096) != NULL && theirs[20480] == '/');
  CHECK(getrandom(theirs + 28672, 64, 0) == 64);
  weft_shared_barrier();
  CHECK(unlink(theirs) == 0 && access(theirs, F_OK) == -1 && errno == ENOENT);
  /* What is no memory fails as ever. */
  const char* volatile nowhere = (const char*)8;
  CHECK(open(nowhere, O_RDONLY) == -1 && errno == EFAULT);
  CHECK(write(1, nowhere, 1) == -1 && errno == EFAULT);
}

/* While a thread takes pages away by acquires, as all PEs write the same ones: nothing fails, nothing is lost. */
static char* stripes;
static volatile int going;
static void* synchronise(void* unused) {
  (void)unused;
  while (going) {
    weft_shared_release();
    weft_shared_acquire();
  }
  return NULL;
}
static void disturbed(void) {
  enum { STRIPE = 120, ROUNDS = 300, MANY = 20 };
  int ends[2];
  pthread_t thread;
  char got[STRIPE];
  stripes = zeros((size_t)n * STRIPE * MANY);
  CHECK(pipe(ends) == 0);
  going = 1;
  CHECK(pthread_create(&thread, NULL, synchronise, NULL) == 0);
  for (int round = 0; round < ROUNDS; ++round) {
    char* const mine = stripes + ((long)(round % MANY) * n + me) * STRIPE;
    memset(got, 'a' + (round + me) % 26, STRIPE);
    CHECK(write(ends[1], got, STRIPE) == STRIPE && read(ends[0], mine, STRIPE) == STRIPE);
    CHECK(write(ends[1], mine, STRIPE) == STRIPE && read(ends[0], got, STRIPE) == STRIPE);
    CHECK(got[0] == 'a' + (round + me) % 26 && got[STRIPE - 1] == got[0]);
  }
  going = 0;
  CHECK(pthread_join(thread, NULL) == 0);
  close(ends[0]);
  close(ends[1]);
  weft_shared_barrier();
  for (int k = 0; k < MANY; ++k) {
    for (int pe = 0; pe < n; ++pe) {
      CHECK(stripes[((long)k * n + pe) * STRIPE + 7] == 'a' + (ROUNDS - MANY + k + pe) % 26);
    }
  }
}

int main(void) {
  weft_shared_init();
  me = weft_shared_my_pe();
  n = weft_shared_n_pes();
  char* const shown = zeros(sizeof folder);
  if (me == 0) {
    const char* const at = getenv("TMPDIR");
    snprintf(shown, sizeof folder, "%s/weft-calls-XXXXXX", at != NULL ? at : "/tmp");
    CHECK(mkdtemp(shown) == shown);
  }
  weft_shared_barrier();
  memcpy(folder, shown, sizeof folder);
  not_here(-1);
  files();
  sockets();
  names();
  disturbed();
  weft_shared_barrier();
  if (me == 0) {
    CHECK(rmdir(folder) == 0);
  }
  printf("PE %d is done\n", me);
  weft_shared_finalize();
  return 0;
}
