/* A team that nobody has made: a member of a structure that was never set.
 *
 *   weft: PE 0: shmem_team_sync: team, 0x..., is no team: no call has made it; was the variable ever set? (called in main at unknown_team.c:16)
 */
#include <shmem.h>
#include <string.h>

struct solver {
  int rank;
  shmem_team_t rows;
} solver;

int main(void) {
  memset(&solver, 0x5a, sizeof solver); /* as what malloc gives */
  shmem_init();
  shmem_team_sync(solver.rows);
  shmem_finalize();
}
