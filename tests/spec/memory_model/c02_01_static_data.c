/* 2.1 All static data of the executable is symmetric: .data, .bss, of functions and files, small and larger than pages,
 * aligned or not, const pointers among it; its initial values are kept and every byte is reachable. Built with and
 * without PIE, at -O0 and -O3, by every linker flavour that places data differently. */
#include "../check.h"

enum { kBig = 300001 }; /* many pages and an odd end */

/* .data */
static long data_word = 0x1234;
int data_exported = -5;
static char data_text[] = "initial text";
static double data_table[1000] = {1.5, 2.5, [999] = 99.5};
static unsigned char data_big[kBig] = {7, [kBig - 1] = 9};
static struct {
  char tag;
  short odd;
  double value;
  long list[3];
} data_struct = {'t', 3, 0.5, {10, 20, 30}};
static const char* data_pointer = "points into .rodata";
static long* data_self = &data_word; /* a pointer into symmetric data, fixed up by the loader under PIE */

/* .bss */
static long bss_word;
long bss_exported;
static unsigned char bss_big[kBig];
static char bss_one;
static __attribute__((aligned(4096))) char bss_page[4096];
static __attribute__((aligned(64))) char bss_line[3];

/* relocated constants: the loader writes them, then they are read-only */
static const char* const relro_pointers[3] = {"a", "b", "c"};

static long* of_function(void) {
  static long in_function = 42;
  return &in_function;
}
static long* of_function_bss(void) {
  static long in_function;
  return &in_function;
}

static void initial_values(void) {
  size_t i;
  CHECK_EQ(data_word, 0x1234, "data_word");
  CHECK_EQ(data_exported, -5, "data_exported");
  CHECK(strcmp(data_text, "initial text") == 0, "%s", data_text);
  CHECK(data_table[1] == 2.5 && data_table[2] == 0 && data_table[999] == 99.5, "data_table");
  CHECK(data_big[0] == 7 && data_big[1] == 0 && data_big[kBig - 1] == 9, "data_big");
  CHECK(data_struct.tag == 't' && data_struct.odd == 3 && data_struct.value == 0.5 && data_struct.list[2] == 30,
        "struct");
  CHECK(strcmp(data_pointer, "points into .rodata") == 0, "data_pointer");
  CHECK(data_self == &data_word, "data_self");
  CHECK(strcmp(relro_pointers[2], "c") == 0, "relro");
  CHECK_EQ(*of_function(), 42, "static of a function");
  for (i = 0; i < kBig && !bss_big[i]; ++i) {
  }
  CHECK_EQ(i, kBig, ".bss is zero");
  CHECK_EQ(bss_word | bss_exported | bss_one | bss_page[0] | bss_page[4095] | bss_line[2] | *of_function_bss(), 0,
           ".bss");
}

/* Fill the object at `at` on the right neighbour, look at what the left one sent, get it back from the right. */
static void exchange(void* at, size_t n, const char* name) {
  const int to = check_right(1), from = check_right(-1);
  unsigned char* mine = (unsigned char*)malloc(n);
  size_t wrong;
  REQUIRE(mine != NULL, "malloc");
  check_fill(mine, check_me, n);
  shmem_barrier_all();
  shmem_putmem(at, mine, n, to);
  shmem_barrier_all();
  wrong = check_find_wrong(at, from, n);
  CHECK(wrong == n, "%s: byte %zu of %zu is wrong after the put", name, wrong, n);
  memset(mine, 0, n);
  shmem_getmem(mine, at, n, to);
  wrong = check_find_wrong(mine, check_me, n);
  CHECK(wrong == n, "%s: byte %zu of %zu is wrong after the get", name, wrong, n);
  shmem_barrier_all();
  free(mine);
}
#define EXCHANGE(object) exchange(&(object), sizeof(object), #object)

/* Objects next to the one written keep their values: the translation is not off by anything. */
static void neighbours(void) {
  static char three[3] = {'a', 'b', 'c'};
  const char x = (char)('A' + check_me % 20);
  shmem_char_p(&three[1], x, check_right(1));
  shmem_barrier_all();
  CHECK(three[0] == 'a' && three[2] == 'c', "neighbours of a written char: %c %c", three[0], three[2]);
  CHECK_EQ(three[1], 'A' + check_right(-1) % 20, "written char");
}

int main(void) {
  long* own_self;
  const char* own_pointer;
  check_begin();
  initial_values();
  own_self = data_self;
  own_pointer = data_pointer;
  EXCHANGE(data_word);
  EXCHANGE(data_exported);
  EXCHANGE(data_text);
  EXCHANGE(data_table);
  EXCHANGE(data_big);
  EXCHANGE(data_struct);
  EXCHANGE(bss_word);
  EXCHANGE(bss_exported);
  EXCHANGE(bss_big);
  EXCHANGE(bss_one);
  EXCHANGE(bss_page);
  EXCHANGE(bss_line);
  exchange(of_function(), sizeof(long), "static of a function");
  exchange(of_function_bss(), sizeof(long), ".bss static of a function");
  neighbours();
  CHECK(data_self == own_self && data_pointer == own_pointer, "pointers that nobody wrote");

  /* typed calls on plain scalars, each PE its own value everywhere */
  shmem_barrier_all();
  shmem_int_p(&data_exported, 600 + check_me, check_right(1));
  shmem_long_atomic_set(&bss_word, 700 + check_me, check_right(1));
  shmem_barrier_all();
  CHECK_EQ(data_exported, 600 + check_right(-1), "int in .data");
  CHECK_EQ(bss_word, 700 + check_right(-1), "long in .bss");
  CHECK_EQ(shmem_int_g(&data_exported, check_right(1)), 600 + check_me, "int of the neighbour");
  return check_end();
}
