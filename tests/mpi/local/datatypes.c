/* Datatypes: made, measured, described, packed, named, freed. */
#include "check.h"

#include <stddef.h>

struct particle {
  double place[3];
  char kind;
  int number;
};

static MPI_Datatype particles(void) {
  const int lengths[3] = {3, 1, 1};
  const MPI_Aint places[3] = {offsetof(struct particle, place), offsetof(struct particle, kind),
                              offsetof(struct particle, number)};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_CHAR, MPI_INT};
  MPI_Datatype made = MPI_DATATYPE_NULL, whole = MPI_DATATYPE_NULL;
  GOOD(MPI_Type_create_struct(3, lengths, places, types, &made));
  GOOD(MPI_Type_create_resized(made, 0, sizeof(struct particle), &whole));
  GOOD(MPI_Type_free(&made));
  CHECK(made == MPI_DATATYPE_NULL);
  GOOD(MPI_Type_commit(&whole));
  return whole;
}

static void predefined(void) {
  int size = 0;
  MPI_Aint lb = -1, extent = -1;
  MPI_Count large = -1;
  GOOD(MPI_Type_size(MPI_INT, &size));
  CHECK(size == sizeof(int));
  GOOD(MPI_Type_size(MPI_C_DOUBLE_COMPLEX, &size));
  CHECK(size == 16);
  GOOD(MPI_Type_get_extent(MPI_LONG_DOUBLE, &lb, &extent));
  CHECK(lb == 0 && extent == sizeof(long double));
  GOOD(MPI_Type_size_c(MPI_DOUBLE_INT, &large));
  CHECK(large == 12);
  GOOD(MPI_Type_get_extent(MPI_DOUBLE_INT, &lb, &extent));
  CHECK(extent == 16);
  for (size_t value = 0x201; value < 0x300; ++value) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0, integers = -1, addresses = -1, datatypes = -1, combiner = -1;
    const MPI_Datatype type = (MPI_Datatype)value;
    if (MPI_Type_size(type, &size) != MPI_SUCCESS) continue;
    if (value >= 0x240) CHECK(size == 1 << ((value >> 3) & 7)); /* its value says its size */
    GOOD(MPI_Type_get_name(type, name, &length));
    CHECK(length > 4 && strncmp(name, "MPI_", 4) == 0);
    GOOD(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner));
    CHECK(combiner == MPI_COMBINER_NAMED && integers + addresses + datatypes == 0);
    MPI_Datatype copy = type;
    FAILS(MPI_ERR_TYPE, MPI_Type_free(&copy));
    GOOD(MPI_Type_commit(&copy));
  }
}

static void contents(void) {
  MPI_Datatype vector = MPI_DATATYPE_NULL, part[1] = {MPI_DATATYPE_NULL}, whole = particles();
  int integers[8], n[3] = {0, 0, 0}, combiner = 0;
  MPI_Aint addresses[4];
  GOOD(MPI_Type_vector(4, 2, -3, whole, &vector));
  GOOD(MPI_Type_get_envelope(vector, &n[0], &n[1], &n[2], &combiner));
  CHECK(n[0] == 3 && n[1] == 0 && n[2] == 1 && combiner == MPI_COMBINER_VECTOR);
  GOOD(MPI_Type_get_contents(vector, 3, 0, 1, integers, NULL, part));
  CHECK(integers[0] == 4 && integers[1] == 2 && integers[2] == -3 && part[0] != MPI_DATATYPE_NULL);
  FAILS(MPI_ERR_ARG, MPI_Type_get_contents(vector, 2, 0, 1, integers, NULL, part));
  FAILS(MPI_ERR_TYPE, MPI_Type_get_contents(MPI_INT, 2, 0, 1, integers, NULL, part));
  GOOD(MPI_Type_get_envelope(part[0], &n[0], &n[1], &n[2], &combiner));
  CHECK(n[0] == 0 && n[1] == 2 && n[2] == 1 && combiner == MPI_COMBINER_RESIZED);
  MPI_Datatype inner = part[0], most = MPI_DATATYPE_NULL, of[3];
  GOOD(MPI_Type_get_contents(inner, 0, 2, 1, NULL, addresses, &most));
  CHECK(addresses[0] == 0 && addresses[1] == sizeof(struct particle));
  GOOD(MPI_Type_get_contents(most, 4, 3, 3, integers, addresses, of));
  CHECK(integers[0] == 3 && integers[1] == 3 && addresses[1] == offsetof(struct particle, kind));
  CHECK(of[0] == MPI_DOUBLE && of[1] == MPI_CHAR && of[2] == MPI_INT);
  GOOD(MPI_Type_free(&most));
  GOOD(MPI_Type_free(&inner));
  GOOD(MPI_Type_free(&vector));
  GOOD(MPI_Type_free(&whole));

  const int sizes[2] = {8, 6}, subsizes[2] = {2, 3}, starts[2] = {1, 2};
  GOOD(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &vector));
  GOOD(MPI_Type_get_contents(vector, 8, 0, 1, integers, NULL, part));
  CHECK(integers[0] == 2 && integers[1] == 8 && integers[6] == 2 && integers[7] == MPI_ORDER_FORTRAN);
  CHECK(part[0] == MPI_INT);
  GOOD(MPI_Type_free(&vector));

  /* The large-count twin gives its counts back as such. */
  MPI_Count counts[3], large[4];
  GOOD(MPI_Type_vector_c((MPI_Count)1 << 33, 2, 3, MPI_INT, &vector));
  GOOD(MPI_Type_get_envelope_c(vector, &large[0], &large[1], &large[2], &large[3], &combiner));
  CHECK(large[0] == 0 && large[1] == 0 && large[2] == 3 && large[3] == 1);
  GOOD(MPI_Type_get_contents_c(vector, 0, 0, 3, 1, NULL, NULL, counts, part));
  CHECK(counts[0] == (MPI_Count)1 << 33 && counts[1] == 2 && counts[2] == 3);
  FAILS(MPI_ERR_TYPE, MPI_Type_get_envelope(vector, &n[0], &n[1], &n[2], &combiner));
  GOOD(MPI_Type_size(vector, &n[0]));
  CHECK(n[0] == MPI_UNDEFINED);
  GOOD(MPI_Type_size_c(vector, &large[0]));
  CHECK(large[0] == ((MPI_Count)1 << 33) * 2 * (MPI_Count)sizeof(int));
  GOOD(MPI_Type_free(&vector));
}

static void dealt(void) {
  const int sizes[2] = {8, 8}, distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[2] = {2, 2};
  const int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  int integers[12], size = 0;
  MPI_Datatype made = MPI_DATATYPE_NULL, part = MPI_DATATYPE_NULL;
  GOOD(MPI_Type_create_darray(4, 1, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &made));
  GOOD(MPI_Type_size(made, &size));
  CHECK(size == 16 * (int)sizeof(int));
  GOOD(MPI_Type_get_contents(made, 12, 0, 1, integers, NULL, &part));
  CHECK(integers[0] == 4 && integers[1] == 1 && integers[2] == 2 && integers[3] == 8);
  CHECK(integers[5] == MPI_DISTRIBUTE_BLOCK && integers[6] == MPI_DISTRIBUTE_CYCLIC);
  CHECK(integers[7] == MPI_DISTRIBUTE_DFLT_DARG && integers[8] == 2 && integers[11] == MPI_ORDER_C);
  GOOD(MPI_Type_free(&made));
}

static void packed(void) {
  MPI_Datatype whole = particles(), loose = MPI_DATATYPE_NULL;
  struct particle from[2] = {{{1, 2, 3}, 'a', 4}, {{5, 6, 7}, 'b', 8}}, to[2];
  char buffer[100];
  int size = 0, position = 5;
  MPI_Aint place = 0, bytes = 0;
  memset(to, 0, sizeof to);
  GOOD(MPI_Pack_size(2, whole, MPI_COMM_WORLD, &size));
  CHECK(size >= 2 * (24 + 1 + 4) && size < 95);
  GOOD(MPI_Pack(from, 2, whole, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
  const int packed_end = position;
  CHECK(packed_end == 5 + 2 * 29);
  FAILS(MPI_ERR_TRUNCATE, MPI_Pack(from, 2, whole, buffer, packed_end + 57, &position, MPI_COMM_WORLD));
  CHECK(position == packed_end);
  position = 5;
  GOOD(MPI_Unpack(buffer, packed_end, &position, to, 2, whole, MPI_COMM_WORLD));
  CHECK(position == packed_end && to[1].place[2] == 7 && to[1].kind == 'b' && to[0].number == 4);

  GOOD(MPI_Pack_external_size("external32", 2, whole, &bytes));
  CHECK(bytes == 2 * 29);
  GOOD(MPI_Pack_external("external32", from, 2, whole, buffer, sizeof buffer, &place));
  CHECK(place == bytes && (unsigned char)buffer[0] == 0x3f && (unsigned char)buffer[1] == 0xf0); /* 1.0 */
  memset(to, 0, sizeof to);
  place = 0;
  GOOD(MPI_Unpack_external("external32", buffer, sizeof buffer, &place, to, 2, whole));
  CHECK(to[0].place[0] == 1 && to[1].number == 8);
  FAILS(MPI_ERR_UNSUPPORTED_DATAREP, MPI_Pack_external_size("native", 2, whole, &bytes));

  GOOD(MPI_Type_contiguous(2, whole, &loose));
  position = 0;
  FAILS(MPI_ERR_TYPE, MPI_Pack(from, 1, loose, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
  GOOD(MPI_Type_free(&whole)); /* what is made of it goes on */
  GOOD(MPI_Type_commit(&loose));
  GOOD(MPI_Pack(from, 1, loose, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
  CHECK(position == 2 * 29);
  GOOD(MPI_Type_free(&loose));
}

static void counted(void) {
  MPI_Status status;
  MPI_Datatype whole = particles();
  int count = 0;
  MPI_Count large = 0;
  memset(&status, 0, sizeof status);
  GOOD(MPI_Status_set_elements(&status, MPI_INT, 7));
  GOOD(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == 7);
  GOOD(MPI_Get_count(&status, MPI_DOUBLE, &count));
  CHECK(count == MPI_UNDEFINED);
  GOOD(MPI_Status_set_elements_c(&status, MPI_DOUBLE, (MPI_Count)1 << 40));
  GOOD(MPI_Get_elements_c(&status, MPI_DOUBLE, &large));
  CHECK(large == (MPI_Count)1 << 40);
  GOOD(MPI_Get_count(&status, MPI_DOUBLE, &count));
  CHECK(count == MPI_UNDEFINED);
  GOOD(MPI_Status_set_elements(&status, whole, 10));
  GOOD(MPI_Get_count(&status, whole, &count));
  CHECK(count == 2);
  GOOD(MPI_Get_elements(&status, whole, &count));
  CHECK(count == 10);
  GOOD(MPI_Type_free(&whole));
}

static int copied, deleted;
static int copy(MPI_Datatype type, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)keyval, (void)extra;
  *(void**)out = in;
  *flag = 1;
  ++copied;
  return MPI_SUCCESS;
}
static int drop(MPI_Datatype type, int keyval, void* value, void* extra) {
  (void)type, (void)keyval, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void attributes(void) {
  static int one;
  int keyval = 0, flag = 0, *value = NULL;
  MPI_Datatype whole = particles(), dup = MPI_DATATYPE_NULL;
  GOOD(MPI_Type_create_keyval(copy, drop, &keyval, NULL));
  GOOD(MPI_Type_set_attr(whole, keyval, &one));
  GOOD(MPI_Type_dup(whole, &dup));
  CHECK(copied == 1);
  GOOD(MPI_Type_get_attr(dup, keyval, &value, &flag));
  CHECK(flag && value == &one);
  GOOD(MPI_Type_free(&dup));
  CHECK(deleted == 1);
  GOOD(MPI_Type_delete_attr(whole, keyval));
  CHECK(deleted == 2);
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &one));
  GOOD(MPI_Type_free_keyval(&keyval));
  GOOD(MPI_Type_free(&whole));
}

static void by_request(void) {
  MPI_Datatype made = MPI_DATATYPE_NULL, again = MPI_DATATYPE_NULL;
  int size = 0, integers[2], n[3], combiner = 0;
  GOOD(MPI_Type_create_f90_real(12, 100, &made));
  GOOD(MPI_Type_create_f90_real(12, 100, &again));
  CHECK(made == again);
  GOOD(MPI_Type_size(made, &size));
  CHECK(size == 8);
  GOOD(MPI_Type_get_envelope(made, &n[0], &n[1], &n[2], &combiner));
  CHECK(n[0] == 2 && n[2] == 0 && combiner == MPI_COMBINER_F90_REAL);
  GOOD(MPI_Type_get_contents(made, 2, 0, 0, integers, NULL, NULL));
  CHECK(integers[0] == 12 && integers[1] == 100);
  FAILS(MPI_ERR_TYPE, MPI_Type_free(&made));
  double in = 1, into = 2;
  GOOD(MPI_Reduce_local(&in, &into, 1, made, MPI_SUM));
  CHECK(into == 3);
  GOOD(MPI_Type_create_f90_integer(9, &made));
  GOOD(MPI_Type_size(made, &size));
  CHECK(size == 4);
  FAILS(MPI_ERR_ARG, MPI_Type_create_f90_integer(99, &made));
  GOOD(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &made));
  CHECK(made == MPI_REAL8);
  FAILS(MPI_ERR_ARG, MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &made));
  FAILS(MPI_ERR_ARG, MPI_Type_match_size(7, 8, &made));
  GOOD(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &made));
  CHECK(made == MPI_DOUBLE_INT);
  GOOD(MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &made));
  CHECK(made == MPI_DATATYPE_NULL);
}

static void wrong(void) {
  const int lengths[1] = {-1};
  const int places[1] = {0};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  FAILS(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &made));
  FAILS(MPI_ERR_TYPE, MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &made));
  FAILS(MPI_ERR_ARG, MPI_Type_contiguous(1, MPI_INT, NULL));
  FAILS(MPI_ERR_ARG, MPI_Type_indexed(1, lengths, places, MPI_INT, &made));
  FAILS(MPI_ERR_ARG, MPI_Type_indexed(1, NULL, places, MPI_INT, &made));
  FAILS(MPI_ERR_ARG, MPI_Type_create_subarray(0, places, places, places, MPI_ORDER_C, MPI_INT, &made));
  FAILS(MPI_ERR_TYPE, MPI_Type_commit(&made));
  GOOD(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
  CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
  GOOD(MPI_Type_contiguous(0, MPI_INT, &made));
  GOOD(MPI_Type_set_name(made, "nothing"));
  GOOD(MPI_Type_get_name(made, name, &length));
  CHECK(strcmp(name, "nothing") == 0 && length == 7);
  GOOD(MPI_Type_free(&made));
}

int main(void) {
  begin();
  predefined();
  contents();
  dealt();
  packed();
  counted();
  attributes();
  by_request();
  wrong();
  return end();
}
