/* 2.3 Addresses inside objects are symmetric: elements, members, members of elements, the last byte; in the heap and in
 * static data. Nothing around the target changes. */
#include "../check.h"

typedef struct {
  char c;
  int i;
  struct {
    short s;
    double d;
  } in;
  long list[7];
  char tail;
} Item;

static Item statics[50];

static void one(Item* items, int index) {
  Item expect;
  const int to = check_right(1), from = check_right(-1);
  Item* it = &items[index];
  int k;
  memset(items, 0, 50 * sizeof(Item));
  shmem_barrier_all();
  shmem_char_p(&it->c, 'c', to);
  shmem_int_p(&it->i, 100 + check_me, to);
  shmem_short_p(&it->in.s, (short)(200 + check_me), to);
  shmem_double_p(&it->in.d, 0.5 + check_me, to);
  shmem_long_p(&it->list[index % 7], 300 + check_me, to);
  shmem_putmem(&it->tail, "z", 1, to);
  shmem_barrier_all();
  memset(&expect, 0, sizeof expect);
  expect.c = 'c';
  expect.i = 100 + from;
  expect.in.s = (short)(200 + from);
  expect.in.d = 0.5 + from;
  expect.list[index % 7] = 300 + from;
  expect.tail = 'z';
  CHECK(memcmp(it, &expect, sizeof expect) == 0, "item %d: i %d, s %d, d %g, tail %d", index, it->i, it->in.s, it->in.d,
        it->tail);
  memset(&expect, 0, sizeof expect);
  for (k = 0; k < 50; ++k)
    if (k != index) CHECK(memcmp(&items[k], &expect, sizeof expect) == 0, "item %d changed with item %d", k, index);
  shmem_barrier_all(); /* from here on the neighbour changes items again */
  CHECK(shmem_double_g(&it->in.d, to) == 0.5 + check_me, "get of a member");
  CHECK_EQ(shmem_long_atomic_fetch_add(&it->list[index % 7], 5, to), 300 + check_me, "AMO on a member");
  shmem_barrier_all();
  CHECK_EQ(it->list[index % 7], 305 + from, "AMO on a member");
  shmem_barrier_all();
}

int main(void) {
  Item* heap;
  check_begin();
  heap = (Item*)shmem_malloc(50 * sizeof(Item));
  REQUIRE(heap != NULL, "shmem_malloc");
  one(statics, 0);
  one(statics, 13);
  one(statics, 49);
  one(heap, 0);
  one(heap, 30);
  one(heap, 49);
  shmem_free(heap);
  return check_end();
}
