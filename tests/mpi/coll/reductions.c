/* Collectives that combine data, against what each rank reckons itself. */
#include "../local/check.h"

static int rank, size;
static MPI_Comm comm;

static double of(int from, int k) { return (double)(from + 1) * (k % 17 + 1); }

/* Two-by-two matrices, whose product does not commute. */
typedef struct {
  unsigned v[4];
} Matrix;
static Matrix matrix(int from, int k) {
  const Matrix made = {{(unsigned)from + 1U, (unsigned)k % 5U, 1U, (unsigned)from % 3U}};
  return made;
}
static Matrix times(Matrix a, Matrix b) {
  const Matrix made = {{a.v[0] * b.v[0] + a.v[1] * b.v[2], a.v[0] * b.v[1] + a.v[1] * b.v[3],
                        a.v[2] * b.v[0] + a.v[3] * b.v[2], a.v[2] * b.v[1] + a.v[3] * b.v[3]}};
  return made;
}
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes = 0;
  GOOD(MPI_Type_size(*type, &bytes));
  CHECK(bytes == (int)sizeof(Matrix));
  for (int k = 0; k < *count; ++k) {
    ((Matrix*)inout)[k] = times(((Matrix*)in)[k], ((Matrix*)inout)[k]);
  }
}
static void multiply_large(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  int some = (int)*count;
  multiply(in, inout, &some, type);
}
/* The product of the first so many ranks' matrices. */
static Matrix product(int ranks, int k) {
  Matrix made = matrix(0, k);
  for (int from = 1; from < ranks; ++from) {
    made = times(made, matrix(from, k));
  }
  return made;
}
static int same(Matrix a, Matrix b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Ints with a gap behind each. */
typedef struct {
  int value;
  int gap;
} Gapped;
static void add_gapped(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int k = 0; k < *count; ++k) {
    ((Gapped*)inout)[k].value += ((Gapped*)in)[k].value;
  }
}

static void sums(int n, int in_place) {
  double* own = malloc(((size_t)n * (size_t)size + 1) * sizeof *own);
  double* all = malloc(((size_t)n * (size_t)size + 1) * sizeof *all);
  CHECK(own != NULL && all != NULL);
#define FILL(length)                      \
  for (int k = 0; k < (length); ++k) {    \
    own[k] = of(rank, k);                 \
    all[k] = in_place ? of(rank, k) : -1; \
  }
  const void* const from = in_place ? MPI_IN_PLACE : (const void*)own;
  const double ranks = size * (size + 1) / 2.0;
  FILL(n)
  GOOD(MPI_Allreduce(from, all, n, MPI_DOUBLE, MPI_SUM, comm));
  for (int k = 0; k < n; ++k) {
    CHECK(all[k] == ranks * (k % 17 + 1));
  }
  for (int root = 0; root < size; ++root) {
    FILL(n)
    GOOD(MPI_Reduce(rank == root ? from : own, rank == root ? all : NULL, n, MPI_DOUBLE, MPI_MAX, root, comm));
    for (int k = 0; k < n && rank == root; ++k) {
      CHECK(all[k] == of(size - 1, k));
    }
  }
  FILL(n)
  GOOD(MPI_Scan(from, all, n, MPI_DOUBLE, MPI_SUM, comm));
  for (int k = 0; k < n; ++k) {
    CHECK(all[k] == (rank + 1) * (rank + 2) / 2.0 * (k % 17 + 1));
  }
  FILL(n)
  GOOD(MPI_Exscan(from, rank == 0 && !in_place ? NULL : all, n, MPI_DOUBLE, MPI_SUM, comm));
  for (int k = 0; k < n && rank > 0; ++k) {
    CHECK(all[k] == rank * (rank + 1) / 2.0 * (k % 17 + 1));
  }
  FILL(n * size)
  GOOD(MPI_Reduce_scatter_block(from, all, n, MPI_DOUBLE, MPI_SUM, comm));
  for (int k = 0; k < n; ++k) {
    CHECK(all[k] == ranks * ((rank * n + k) % 17 + 1));
  }
  int counts[64];
  int before = 0, total = 0;
  for (int k = 0; k < size; ++k) {
    counts[k] = k % 2 == 0 ? n : n / 2;
    before += k < rank ? counts[k] : 0;
    total += counts[k];
  }
  FILL(total)
  GOOD(MPI_Reduce_scatter(from, all, counts, MPI_DOUBLE, MPI_SUM, comm));
  for (int k = 0; k < counts[rank]; ++k) {
    CHECK(all[k] == ranks * ((before + k) % 17 + 1));
  }
  free(own);
  free(all);
}

static void products(int n, int large) {
  MPI_Op op;
  MPI_Datatype type;
  if (large) {
    GOOD(MPI_Op_create_c(multiply_large, 0, &op));
  } else {
    GOOD(MPI_Op_create(multiply, 0, &op));
  }
  GOOD(MPI_Type_contiguous(4, MPI_UNSIGNED, &type));
  GOOD(MPI_Type_commit(&type));
  Matrix* own = malloc((size_t)n * sizeof *own);
  Matrix* all = malloc((size_t)n * sizeof *all);
  CHECK(own != NULL && all != NULL);
  for (int k = 0; k < n; ++k) {
    own[k] = matrix(rank, k);
  }
  GOOD(MPI_Allreduce(own, all, n, type, op, comm));
  for (int k = 0; k < n; ++k) {
    CHECK(same(all[k], product(size, k)));
  }
  GOOD(MPI_Reduce_c(own, all, n, type, op, size - 1, comm));
  for (int k = 0; k < n && rank == size - 1; ++k) {
    CHECK(same(all[k], product(size, k)));
  }
  const int part = n / size;
  GOOD(MPI_Reduce_scatter_block(own, all, part, type, op, comm));
  for (int k = 0; k < part; ++k) {
    CHECK(same(all[k], product(size, rank * part + k)));
  }
  memcpy(all, own, (size_t)n * sizeof *own);
  GOOD(MPI_Reduce_scatter_block(MPI_IN_PLACE, all, part, type, op, comm));
  for (int k = 0; k < part; ++k) {
    CHECK(same(all[k], product(size, rank * part + k)));
  }
  memcpy(all, own, (size_t)n * sizeof *own);
  GOOD(MPI_Scan(MPI_IN_PLACE, all, n, type, op, comm));
  for (int k = 0; k < n; ++k) {
    CHECK(same(all[k], product(rank + 1, k)));
  }
  GOOD(MPI_Exscan(own, all, n, type, op, comm));
  for (int k = 0; k < n && rank > 0; ++k) {
    CHECK(same(all[k], product(rank, k)));
  }
  free(own);
  free(all);
  GOOD(MPI_Op_free(&op));
  GOOD(MPI_Type_free(&type));
}

static void gaps(int n) {
  MPI_Op op;
  MPI_Datatype type;
  GOOD(MPI_Op_create(add_gapped, 1, &op));
  GOOD(MPI_Type_create_resized(MPI_INT, 0, sizeof(Gapped), &type));
  GOOD(MPI_Type_commit(&type));
  Gapped* own = malloc((size_t)n * sizeof *own);
  Gapped* all = malloc((size_t)n * sizeof *all);
  CHECK(own != NULL && all != NULL);
  for (int k = 0; k < n; ++k) {
    own[k].value = rank + k;
    own[k].gap = 7;
    all[k].value = all[k].gap = -1;
  }
  GOOD(MPI_Allreduce(own, all, n, type, op, comm));
  for (int k = 0; k < n; ++k) {
    CHECK(all[k].value == size * (size - 1) / 2 + size * k && all[k].gap == -1);
  }
  free(own);
  free(all);
  GOOD(MPI_Op_free(&op));
  GOOD(MPI_Type_free(&type));
}

/* Types and operations in small, and pairs. */
static void kinds(void) {
  struct {
    double value;
    int index;
  } pair, least;
  pair.value = (rank * 7 + 3) % size;
  pair.index = rank;
  GOOD(MPI_Allreduce(&pair, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm));
  double lowest = size;
  int at = 0;
  for (int k = 0; k < size; ++k) {
    if ((k * 7 + 3) % size < lowest) {
      lowest = (k * 7 + 3) % size;
      at = k;
    }
  }
  CHECK(least.value == lowest && least.index == at);
  signed char mine = (signed char)(rank % 2), any = -1, both = -1;
  GOOD(MPI_Allreduce(&mine, &any, 1, MPI_SIGNED_CHAR, MPI_LOR, comm));
  GOOD(MPI_Allreduce(&mine, &both, 1, MPI_SIGNED_CHAR, MPI_LAND, comm));
  CHECK(any == (size > 1) && both == 0);
  unsigned long bits = 1UL << rank, set = 0;
  GOOD(MPI_Allreduce(&bits, &set, 1, MPI_UNSIGNED_LONG, MPI_BOR, comm));
  CHECK(set == (1UL << size) - 1);
  long double long_own[300], long_all[300];
  for (int k = 0; k < 300; ++k) {
    long_own[k] = rank + k;
  }
  GOOD(MPI_Allreduce(long_own, long_all, 300, MPI_LONG_DOUBLE, MPI_MIN, comm));
  for (int k = 0; k < 300; ++k) {
    CHECK(long_all[k] == k);
  }
}

static void mistakes(void) {
  int x = 0, y = 0;
  float f = 0, g = 0;
  FAILS(MPI_ERR_OP, MPI_Allreduce(&f, &g, 1, MPI_FLOAT, MPI_BAND, comm));
  FAILS(MPI_ERR_OP, MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, comm));
  FAILS(MPI_ERR_OP, MPI_Reduce(&x, &y, 1, MPI_INT, MPI_REPLACE, 0, comm));
  FAILS(MPI_ERR_OP, MPI_Scan(&x, &y, 1, MPI_INT, MPI_MAXLOC, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Allreduce(&x, &x, 1, MPI_INT, MPI_SUM, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Allreduce(&x, NULL, 1, MPI_INT, MPI_SUM, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Allreduce(&x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
  FAILS(MPI_ERR_COUNT, MPI_Allreduce(&x, &y, -1, MPI_INT, MPI_SUM, comm));
  FAILS(MPI_ERR_ROOT, MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, size, comm));
  FAILS(MPI_ERR_ARG, MPI_Reduce_scatter(&x, &y, NULL, MPI_INT, MPI_SUM, comm));
  GOOD(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm));
}

static void all_of(MPI_Comm with) {
  comm = with;
  GOOD(MPI_Comm_rank(comm, &rank));
  GOOD(MPI_Comm_size(comm, &size));
  kinds();
  const int lengths[] = {1, 3, 7, 8, 28, 29, 100, 5000, 40000};
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
    sums(lengths[k], 0);
    sums(lengths[k], 1);
    products(lengths[k], (int)k % 2);
    gaps(lengths[k]);
  }
}

int main(void) {
  begin();
  all_of(MPI_COMM_WORLD);
  all_of(MPI_COMM_SELF);
  MPI_Comm turned;
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned));
  all_of(turned);
  GOOD(MPI_Comm_free(&turned));
  comm = MPI_COMM_WORLD;
  GOOD(MPI_Comm_size(comm, &size));
  mistakes();
  return end();
}
