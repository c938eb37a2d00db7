// Counts by atomics of every kind that a compiler leaves in a program's text: a single one that is lost shows.
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { kTimes = 1500 };

static long wide;
static int word;
static short half;
static unsigned char byte;
static double real;
static unsigned most;
static _Atomic int of_c11;
static long compared;
static unsigned bits;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static long under_lock;
static int data, ready;
static _Alignas(16) __int128 pair;
static _Alignas(8) char across[16];  // a word that lies across two

static void count(int k, int thread) {
#pragma omp atomic
  wide += 3;
#pragma omp atomic
  word++;
#pragma omp atomic
  real += 0.5;
  __sync_fetch_and_add(&half, 1);
  __sync_fetch_and_xor(&byte, 1);
  atomic_fetch_add(&of_c11, 1);
  __sync_fetch_and_add((int*)(across + 2), 7);
  __atomic_or_fetch(&bits, 1u << (thread & 31), __ATOMIC_SEQ_CST);
  long seen = __atomic_load_n(&compared, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&compared, &seen, seen + 2, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  if (k % 10 == 0) {
    while (atomic_flag_test_and_set(&lock)) {
    }
    ++under_lock;
    atomic_flag_clear(&lock);
    unsigned before = __atomic_load_n(&most, __ATOMIC_RELAXED);
    while (before < (unsigned)k &&
           !__atomic_compare_exchange_n(&most, &before, (unsigned)k, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    __int128 old = pair;
    for (__int128 was; (was = __sync_val_compare_and_swap(&pair, old, old + ((__int128)1 << 64) + 1)) != old;) {
      old = was;
    }
  }
}

// What is written before an atomic is seen by who has seen that: a chain through all threads.
static int pass_on(int threads) {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    const int me = omp_get_thread_num();
    for (int round = 0; round < 5; ++round) {
      const int turn = round * threads + me;
      while (__atomic_fetch_add(&ready, 0, __ATOMIC_ACQ_REL) != turn) {
      }
      wrong += data != turn;
      data = turn + 1;
      __atomic_fetch_add(&ready, 1, __ATOMIC_ACQ_REL);
    }
  }
  return wrong;
}

static volatile sig_atomic_t trapped;
static void on_trap(int number) { trapped += number == SIGTRAP; }

// A handler of the program's own, as libgfortran has one, is for what the program has raised itself.
static void set_handler(void) {
  struct sigaction before;
  sigaction(SIGTRAP, NULL, &before);
  signal(SIGTRAP, on_trap);
  sigaction(SIGTRAP, &before, NULL);
  signal(SIGTRAP, on_trap);
}

int main(void) {
  long all = 0;
  unsigned threads = 0;
  set_handler();
#pragma omp parallel reduction(+ : all)
  {
#pragma omp atomic
    threads |= 1u << (omp_get_thread_num() & 31);
    for (int k = 0; k < kTimes; ++k) {
      count(k, omp_get_thread_num());
      ++all;
    }
  }
  const long tenth = all / 10;
  int odd = 0;
  memcpy(&odd, across + 2, sizeof odd);
  const int right = all == (long)kTimes * omp_get_max_threads() && wide == 3 * all && word == all &&
                    real == 0.5 * (double)all && half == (short)all && byte == (unsigned char)(all & 1) &&
                    of_c11 == all && bits == threads && compared == 2 * all && under_lock == tenth &&
                    most == kTimes - 10 && (long)pair == tenth && (long)(pair >> 64) == tenth && odd == 7 * all;
  raise(SIGTRAP);
  const int wrong = pass_on(omp_get_max_threads()) + (trapped != 1);
  printf("%ld: %ld %d %g %d %d %d %x %ld %ld %u %ld, %d out of turn\n%s\n", all, wide, word, real, half, byte, of_c11,
         bits, compared, under_lock, most, (long)pair, wrong,
         right && wrong == 0 ? "all is right" : "something is wrong");
  return !(right && wrong == 0);
}
