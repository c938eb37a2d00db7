/* A signal word that is part of the data.
 *
 *   weft: PE 0: shmem_uint64_put_signal: sig_addr, 0x..., lies in dest, 64 bytes at 0x...; the signal must be elsewhere (called in main at signal_in_data.c:13)
 */
#include <shmem.h>

static uint64_t box[8];

int main(void) {
  uint64_t mail[8] = {0};
  shmem_init();
  int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_uint64_put_signal(box, mail, 8, &box[7], 1, SHMEM_SIGNAL_SET, right);
  shmem_finalize();
}
