/* A length that has become negative.
 *
 *   weft: PE 0: shmem_putmem: dest would have 18446744073709551612 bytes, more than any memory; is the number of elements negative? (called in main at negative_count.c:13)
 */
#include <shmem.h>

static char text[8];

int main(void) {
  int used = 12;
  shmem_init();
  int room = (int)sizeof text - used;
  shmem_putmem(text, "hello", (size_t)room, 0);
  shmem_finalize();
}
