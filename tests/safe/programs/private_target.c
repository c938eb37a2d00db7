/* A put into a variable on the stack.
 *
 *   weft: PE 0: shmem_long_p: dest, 0x..., is not symmetric: it is on the stack; use memory from shmem_malloc or a global or static variable of the program (called in main at private_target.c:11)
 */
#include <shmem.h>

int main(void) {
  long token = 0;
  shmem_init();
  int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_long_p(&token, 1, right);
  shmem_finalize();
  return (int)token;
}
