/* Operations, by MPI_Reduce_local. */
#include "check.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

/* into = a op into, for two values of a C type. */
#define REDUCES(type, datatype, op, a, b, wanted)                  \
  do {                                                             \
    type in[2] = {(type)(a), (type)(a)};                           \
    type into[2] = {(type)(b), (type)(b)};                         \
    GOOD(MPI_Reduce_local(in, into, 2, datatype, op));             \
    CHECK(into[0] == (type)(wanted) && into[1] == (type)(wanted)); \
  } while (0)

#define ORDERED(type, datatype)                  \
  do {                                           \
    REDUCES(type, datatype, MPI_SUM, 5, 7, 12);  \
    REDUCES(type, datatype, MPI_PROD, 5, 7, 35); \
    REDUCES(type, datatype, MPI_MIN, 5, 7, 5);   \
    REDUCES(type, datatype, MPI_MAX, 5, 7, 7);   \
  } while (0)

#define INTEGER(type, datatype)                   \
  do {                                            \
    ORDERED(type, datatype);                      \
    REDUCES(type, datatype, MPI_BAND, 12, 10, 8); \
    REDUCES(type, datatype, MPI_BOR, 12, 10, 14); \
    REDUCES(type, datatype, MPI_BXOR, 12, 10, 6); \
    REDUCES(type, datatype, MPI_LAND, 12, 0, 0);  \
    REDUCES(type, datatype, MPI_LOR, 12, 0, 1);   \
    REDUCES(type, datatype, MPI_LXOR, 12, 10, 0); \
  } while (0)

static void numbers(void) {
  INTEGER(signed char, MPI_SIGNED_CHAR);
  INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
  INTEGER(short, MPI_SHORT);
  INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
  INTEGER(int, MPI_INT);
  INTEGER(unsigned, MPI_UNSIGNED);
  INTEGER(long, MPI_LONG);
  INTEGER(unsigned long, MPI_UNSIGNED_LONG);
  INTEGER(long long, MPI_LONG_LONG);
  INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG);
  INTEGER(int8_t, MPI_INT8_T);
  INTEGER(uint16_t, MPI_UINT16_T);
  INTEGER(int32_t, MPI_INT32_T);
  INTEGER(uint64_t, MPI_UINT64_T);
  INTEGER(MPI_Aint, MPI_AINT);
  INTEGER(MPI_Count, MPI_COUNT);
  INTEGER(int, MPI_INTEGER);
  INTEGER(int64_t, MPI_INTEGER8);
  ORDERED(MPI_Aint, MPI_AINT);
  ORDERED(MPI_Count, MPI_COUNT);
  ORDERED(MPI_Offset, MPI_OFFSET);
  ORDERED(float, MPI_FLOAT);
  ORDERED(double, MPI_DOUBLE);
  ORDERED(long double, MPI_LONG_DOUBLE);
  ORDERED(float, MPI_REAL);
  ORDERED(double, MPI_DOUBLE_PRECISION);
  ORDERED(double, MPI_REAL8);
  REDUCES(int, MPI_INT, MPI_MIN, -5, 7, -5);
  REDUCES(unsigned, MPI_UNSIGNED, MPI_MAX, -5, 7, -5);
  REDUCES(float complex, MPI_C_FLOAT_COMPLEX, MPI_SUM, 1 + 2 * I, 3 + 4 * I, 4 + 6 * I);
  REDUCES(double complex, MPI_C_DOUBLE_COMPLEX, MPI_PROD, 1 + 2 * I, 3 + 4 * I, -5 + 10 * I);
  REDUCES(double complex, MPI_DOUBLE_COMPLEX, MPI_PROD, 1 + 2 * I, 3 + 4 * I, -5 + 10 * I);
  REDUCES(bool, MPI_C_BOOL, MPI_LAND, true, false, false);
  REDUCES(bool, MPI_C_BOOL, MPI_LXOR, true, false, true);
  REDUCES(int, MPI_LOGICAL, MPI_LOR, 1, 0, 1);
  REDUCES(unsigned char, MPI_BYTE, MPI_BXOR, 12, 10, 6);
}

static void pairs(void) {
  struct {
    double value;
    int index;
  } in[3] = {{1.5, 7}, {2.5, 1}, {3.0, 9}}, into[3] = {{2.5, 3}, {2.5, 4}, {1.0, 5}}, least[3], most[3];
  memcpy(least, into, sizeof into);
  memcpy(most, into, sizeof into);
  GOOD(MPI_Reduce_local(in, least, 3, MPI_DOUBLE_INT, MPI_MINLOC));
  CHECK(least[0].value == 1.5 && least[0].index == 7);
  CHECK(least[1].value == 2.5 && least[1].index == 1);
  CHECK(least[2].value == 1.0 && least[2].index == 5);
  GOOD(MPI_Reduce_local(in, most, 3, MPI_DOUBLE_INT, MPI_MAXLOC));
  CHECK(most[0].value == 2.5 && most[0].index == 3);
  CHECK(most[1].value == 2.5 && most[1].index == 1);
  CHECK(most[2].value == 3.0 && most[2].index == 9);
  struct {
    short value;
    int index;
  } small[2] = {{-4, 2}, {-5, 8}};
  GOOD(MPI_Reduce_local(&small[0], &small[1], 1, MPI_SHORT_INT, MPI_MAXLOC));
  CHECK(small[1].value == -4 && small[1].index == 2);
  int ints[4] = {3, 0, 3, 1};
  GOOD(MPI_Reduce_local(&ints[0], &ints[2], 1, MPI_2INT, MPI_MINLOC));
  CHECK(ints[2] == 3 && ints[3] == 0);
}

/* Not in the standard, but in programs. */
static void characters(void) {
  char in[3] = {1, -2, 100}, into[3] = {4, 5, 100};
  GOOD(MPI_Reduce_local(in, into, 3, MPI_CHAR, MPI_SUM));
  CHECK(into[0] == 5 && into[1] == 3 && into[2] == (char)200);
  GOOD(MPI_Reduce_local(in, into, 3, MPI_CHAR, MPI_MAX));
  CHECK(into[0] == 5 && into[1] == 3 && into[2] == 100);
}

static void not_together(void) {
  double in[2] = {1, 2}, into[2] = {3, 4};
  wchar_t wide[2] = {1, 2};
  char text[2] = {1, 2};
  FAILS(MPI_ERR_OP, MPI_Reduce_local(in, into, 1, MPI_DOUBLE, MPI_BAND));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(in, into, 1, MPI_DOUBLE, MPI_LAND));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(in, into, 1, MPI_DOUBLE, MPI_MINLOC));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(in, into, 1, MPI_C_FLOAT_COMPLEX, MPI_MAX));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(in, into, 1, MPI_BYTE, MPI_SUM));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(wide, wide + 1, 1, MPI_WCHAR, MPI_SUM));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(text, text + 1, 1, MPI_CHARACTER, MPI_SUM));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(in, into, 1, MPI_2INT, MPI_SUM));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(in, into, 1, MPI_DOUBLE, MPI_REPLACE));
  FAILS(MPI_ERR_OP, MPI_Reduce_local(in, into, 1, MPI_DOUBLE, MPI_OP_NULL));
  FAILS(MPI_ERR_TYPE, MPI_Reduce_local(in, into, 1, MPI_DATATYPE_NULL, MPI_SUM));
  FAILS(MPI_ERR_COUNT, MPI_Reduce_local(in, into, -1, MPI_DOUBLE, MPI_SUM));
  FAILS(MPI_ERR_BUFFER, MPI_Reduce_local(in, NULL, 1, MPI_DOUBLE, MPI_SUM));
  FAILS(MPI_ERR_BUFFER, MPI_Reduce_local(MPI_IN_PLACE, into, 1, MPI_DOUBLE, MPI_SUM));
  FAILS(MPI_ERR_BUFFER, MPI_Reduce_local(in, in, 1, MPI_DOUBLE, MPI_SUM));
  GOOD(MPI_Reduce_local(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM));
  CHECK(into[0] == 3 && into[1] == 4);
}

static void minus(void* in, void* into, int* count, MPI_Datatype* type) {
  CHECK(*type == MPI_INT);
  for (int k = 0; k < *count; ++k) ((int*)into)[k] = ((int*)in)[k] - ((int*)into)[k];
}

static void minus_large(void* in, void* into, MPI_Count* count, MPI_Datatype* type) {
  CHECK(*type == MPI_INT && *count == 2);
  for (MPI_Count k = 0; k < *count; ++k) ((int*)into)[k] = ((int*)in)[k] - ((int*)into)[k];
}

static void own(void) {
  MPI_Op op = MPI_OP_NULL, gone = MPI_OP_NULL;
  int commute = -1;
  GOOD(MPI_Op_create(minus, 0, &op));
  GOOD(MPI_Op_commutative(op, &commute));
  CHECK(commute == 0);
  REDUCES(int, MPI_INT, op, 10, 3, 7);
  gone = op;
  GOOD(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);
  FAILS(MPI_ERR_OP, MPI_Op_commutative(gone, &commute));
  GOOD(MPI_Op_create_c(minus_large, 1, &op));
  GOOD(MPI_Op_commutative(op, &commute));
  CHECK(commute == 1);
  int in[2] = {10, 20}, into[2] = {3, 4};
  GOOD(MPI_Reduce_local_c(in, into, 2, MPI_INT, op));
  CHECK(into[0] == 7 && into[1] == 16);
  GOOD(MPI_Op_free(&op));
  GOOD(MPI_Op_commutative(MPI_SUM, &commute));
  CHECK(commute == 1);
  op = MPI_SUM;
  FAILS(MPI_ERR_OP, MPI_Op_free(&op));
  FAILS(MPI_ERR_ARG, MPI_Op_create(NULL, 1, &op));
}

int main(void) {
  begin();
  numbers();
  pairs();
  characters();
  not_together();
  own();
  return end();
}
