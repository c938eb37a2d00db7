/* A store past the end in a program that begins with start_pes and leaves the end to the library.
 *
 *   weft: PE 0: safe mode: the memory behind a block was written: byte 1 after the end of the block of 6 bytes that shmalloc gave in main at old_start.c:10 was changed by a store of this PE or through shmem_ptr
 */
#include <shmem.h>
#include <string.h>

int main(void) {
  start_pes(0);
  char* name = (char*)shmalloc(6);
  strcpy(name, "number");
  return 0;
}
