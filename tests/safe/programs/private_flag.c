/* A wait for a variable that no other PE can reach.
 *
 *   weft: PE 0: shmem_int_wait_until: ivar, 0x..., is not symmetric: it is on the stack; use memory from shmem_malloc or a global or static variable of the program (called in main at private_flag.c:10)
 */
#include <shmem.h>

int main(void) {
  int flag = 0;
  shmem_init();
  shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_finalize();
}
