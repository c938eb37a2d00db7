/* Groups of the world's ranks. What takes many processes is a unit test: groups need no others. */
#include "check.h"

static MPI_Group world;
static int size, rank;

static void whole(void) {
  MPI_Group made = MPI_GROUP_NULL, copy = MPI_GROUP_NULL;
  int got = -1, result = -1;
  GOOD(MPI_Group_size(world, &got));
  CHECK(got == size);
  GOOD(MPI_Group_rank(world, &got));
  CHECK(got == rank);
  GOOD(MPI_Group_rank(MPI_GROUP_EMPTY, &got));
  CHECK(got == MPI_UNDEFINED);
  GOOD(MPI_Group_size(MPI_GROUP_EMPTY, &got));
  CHECK(got == 0);

  GOOD(MPI_Group_incl(world, 0, NULL, &made));
  CHECK(made == MPI_GROUP_EMPTY);
  GOOD(MPI_Group_free(&made));
  CHECK(made == MPI_GROUP_NULL);
  GOOD(MPI_Group_excl(world, 0, NULL, &made));
  GOOD(MPI_Group_compare(world, made, &result));
  CHECK(result == MPI_IDENT);
  GOOD(MPI_Group_difference(world, made, &copy));
  CHECK(copy == MPI_GROUP_EMPTY);
  GOOD(MPI_Group_intersection(world, made, &copy));
  GOOD(MPI_Group_compare(copy, world, &result));
  CHECK(result == MPI_IDENT);
  GOOD(MPI_Group_free(&copy));
  GOOD(MPI_Group_union(MPI_GROUP_EMPTY, made, &copy));
  GOOD(MPI_Group_compare(copy, world, &result));
  CHECK(result == MPI_IDENT);
  GOOD(MPI_Group_free(&copy));
  copy = made;
  GOOD(MPI_Group_free(&made));
  FAILS(MPI_ERR_GROUP, MPI_Group_size(copy, &got));
  FAILS(MPI_ERR_GROUP, MPI_Group_free(&copy));
  FAILS(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &got));
}

static void turned(void) {
  MPI_Group made = MPI_GROUP_NULL;
  int ranges[1][3] = {{size - 1, 0, -1}};
  int result = -1;
  GOOD(MPI_Group_range_incl(world, 1, ranges, &made));
  GOOD(MPI_Group_compare(world, made, &result));
  CHECK(result == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
  int *from = malloc(sizeof(int) * (size_t)(size + 1)), *to = malloc(sizeof(int) * (size_t)(size + 1));
  CHECK(from != NULL && to != NULL);
  for (int k = 0; k < size; ++k) from[k] = k;
  from[size] = MPI_PROC_NULL;
  GOOD(MPI_Group_translate_ranks(world, size + 1, from, made, to));
  for (int k = 0; k < size; ++k) CHECK(to[k] == size - 1 - k);
  CHECK(to[size] == MPI_PROC_NULL);
  GOOD(MPI_Group_translate_ranks(world, 1, from, MPI_GROUP_EMPTY, to));
  CHECK(to[0] == MPI_UNDEFINED);
  from[0] = size;
  FAILS(MPI_ERR_RANK, MPI_Group_translate_ranks(world, 1, from, made, to));
  free(from);
  free(to);
  GOOD(MPI_Group_free(&made));
}

static void wrong(void) {
  MPI_Group made = MPI_GROUP_NULL;
  const int out[1] = {size}, negative[1] = {-1}, twice[2] = {0, 0};
  int none[1][3] = {{0, 0, 0}}, away[1][3] = {{0, size, 1}}, back[1][3] = {{0, -1, 1}};
  int same[2][3] = {{0, 0, 1}, {0, 0, 1}};
  FAILS(MPI_ERR_RANK, MPI_Group_incl(world, 1, out, &made));
  FAILS(MPI_ERR_RANK, MPI_Group_excl(world, 1, negative, &made));
  FAILS(MPI_ERR_RANK, MPI_Group_incl(world, 2, twice, &made));
  FAILS(MPI_ERR_ARG, MPI_Group_incl(world, -1, out, &made));
  FAILS(MPI_ERR_ARG, MPI_Group_incl(world, 1, NULL, &made));
  FAILS(MPI_ERR_ARG, MPI_Group_incl(world, 1, out, NULL));
  FAILS(MPI_ERR_ARG, MPI_Group_range_incl(world, 1, none, &made));
  FAILS(MPI_ERR_RANK, MPI_Group_range_incl(world, 1, away, &made));
  FAILS(MPI_ERR_ARG, MPI_Group_range_excl(world, 1, back, &made));
  FAILS(MPI_ERR_RANK, MPI_Group_range_incl(world, 2, same, &made));
  CHECK(made == MPI_GROUP_NULL);
}

int main(void) {
  begin();
  GOOD(MPI_Comm_group(MPI_COMM_WORLD, &world));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  whole();
  turned();
  wrong();
  GOOD(MPI_Group_free(&world));
  return end();
}
