/* PEs in a grid: a team for each row and one for each column. Each PE holds one number; the sum over its row and the
 * maximum over its column are collective operations of those teams.
 *
 *   oshcc grid.c -o grid && oshrun -n 6 ./grid
 *
 * Shows: splitting a team in two dimensions, collectives on teams, and an operation on a team's own PE numbers.
 */
#include <shmem.h>
#include <stdio.h>

static long number, row_sum, column_max, from_left;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  const int width = n < 3 ? n : 3;

  shmem_team_t row, column;
  if (shmem_team_split_2d(SHMEM_TEAM_WORLD, width, NULL, 0, &row, NULL, 0, &column) != 0) {
    shmem_global_exit(1);
  }

  number = 10 * (me / width) + me % width;
  shmem_long_sum_reduce(row, &row_sum, &number, 1);
  shmem_long_max_reduce(column, &column_max, &number, 1);

  /* A context of a team counts PEs as the team does: the left neighbour in the row, round and round. */
  shmem_ctx_t in_row;
  if (shmem_team_create_ctx(row, 0, &in_row) != 0) {
    shmem_global_exit(1);
  }
  const int place = shmem_team_my_pe(row);
  const int in_a_row = shmem_team_n_pes(row);
  from_left = shmem_ctx_long_g(in_row, &number, (place + in_a_row - 1) % in_a_row);
  shmem_ctx_destroy(in_row);

  printf("PE %d: number %ld, row sum %ld, column maximum %ld, left neighbour's %ld\n", me, number, row_sum, column_max,
         from_left);

  shmem_team_destroy(row);
  shmem_team_destroy(column);
  shmem_finalize();
  return 0;
}
