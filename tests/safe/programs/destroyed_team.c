/* A team that is used after its end, while another has been made.
 *
 *   weft: PE 0: shmem_team_sync: team, 0x..., is a team that was destroyed (called in main at destroyed_team.c:15)
 *       it was made by shmem_team_split_strided in main at destroyed_team.c:12
 *       it was destroyed by shmem_team_destroy in main at destroyed_team.c:13
 */
#include <shmem.h>

int main(void) {
  shmem_team_t rows, columns;
  shmem_init();
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &rows);
  shmem_team_destroy(rows);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &columns);
  shmem_team_sync(rows);
  shmem_finalize();
}
