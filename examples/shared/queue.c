/* A queue of work for all PEs: who has nothing to do takes the next piece, who finds more to do adds it. It ends when
 * nothing is left and nobody is at work. */
#include <stdio.h>
#include <weft/shared.h>

enum { kRoom = 4096 };

struct range {
  long from, to;
};

struct queue {
  weft_shared_lock_t lock;
  int first, count, busy;
  struct range pieces[kRoom];
};

/* 1: a piece. 0: nothing now. -1: nothing any more. */
static int take(struct queue* queue, struct range* piece) {
  weft_shared_lock(&queue->lock);
  int what = queue->count > 0 ? 1 : queue->busy > 0 ? 0 : -1;
  if (what == 1) {
    *piece = queue->pieces[queue->first];
    queue->first = (queue->first + 1) % kRoom;
    --queue->count;
    ++queue->busy;
  }
  weft_shared_unlock(&queue->lock);
  return what;
}

/* The piece is done; `more` of them have come of it. */
static void done(struct queue* queue, const struct range* pieces, int more) {
  weft_shared_lock(&queue->lock);
  for (int k = 0; k < more; ++k) {
    queue->pieces[(queue->first + queue->count++) % kRoom] = pieces[k];
  }
  --queue->busy;
  weft_shared_unlock(&queue->lock);
}

static int is_prime(long number) {
  for (long divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) {
      return 0;
    }
  }
  return number > 1;
}

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe();
  struct queue* queue = weft_shared_from(0, me == 0 ? weft_shared_calloc(1, sizeof *queue) : NULL);
  uint64_t* primes = weft_shared_from(0, me == 0 ? weft_shared_calloc(1, sizeof *primes) : NULL);
  if (me == 0) {
    queue->pieces[0] = (struct range){0, 20000};
    queue->count = 1;
  }
  weft_shared_barrier();

  struct range piece;
  for (int what; (what = take(queue, &piece)) >= 0;) {
    if (what == 0) {
      continue;
    }
    if (piece.to - piece.from > 500) { /* too much for one: halves */
      const long middle = (piece.from + piece.to) / 2;
      const struct range halves[] = {{piece.from, middle}, {middle, piece.to}};
      done(queue, halves, 2);
      continue;
    }
    uint64_t found = 0;
    for (long number = piece.from; number < piece.to; ++number) {
      found += (uint64_t)is_prime(number);
    }
    weft_shared_uint64_fetch_add(primes, found);
    done(queue, NULL, 0);
  }
  weft_shared_barrier();
  if (me == 0) {
    printf("%lu primes below 20000\n", (unsigned long)*primes);
  }
  weft_shared_finalize();
  return 0;
}
