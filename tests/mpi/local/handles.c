/* Handles that are none: of every kind, and whatever they look like. None crashes, all are told by their class. */
#include "check.h"

#include <stdint.h>

static uint64_t state = 88172645463325252u;
static uint64_t any(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static void none(uintptr_t value) {
  int n = 0;
  double in = 1, into = 2;
  MPI_Info info = (MPI_Info)value;
  MPI_Group made = MPI_GROUP_NULL;
  if (value != (uintptr_t)MPI_COMM_WORLD && value != (uintptr_t)MPI_COMM_SELF) {
    FAILS(MPI_ERR_COMM, MPI_Comm_size((MPI_Comm)value, &n));
    FAILS(MPI_ERR_COMM, MPI_Comm_group((MPI_Comm)value, &made));
    FAILS(MPI_ERR_COMM, MPI_Comm_set_errhandler((MPI_Comm)value, MPI_ERRORS_RETURN));
  }
  if (value != (uintptr_t)MPI_GROUP_EMPTY) FAILS(MPI_ERR_GROUP, MPI_Group_size((MPI_Group)value, &n));
  if (value != (uintptr_t)MPI_INFO_ENV) {
    FAILS(MPI_ERR_INFO, MPI_Info_get_nkeys((MPI_Info)value, &n));
    FAILS(MPI_ERR_INFO, MPI_Info_free(&info));
    CHECK(info == (MPI_Info)value);
  }
  if (value < 0x140 || value > 0x143) {
    FAILS(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, (MPI_Errhandler)value));
  }
  if (value < 0x21 || value > 0x3d) {
    FAILS(MPI_ERR_OP, MPI_Reduce_local(&in, &into, 1, MPI_DOUBLE, (MPI_Op)value));
  }
  if (value < 0x201 || value > 0x2eb) {
    FAILS(MPI_ERR_TYPE, MPI_Reduce_local(&in, &into, 1, (MPI_Datatype)value, MPI_SUM));
  }
}

int main(void) {
  int here = 0, n = 0;
  char text[16];
  MPI_Info infos[200];
  begin();
  for (uintptr_t value = 0; value < 0x500; ++value) none(value);
  none((uintptr_t)&here);
  none((uintptr_t)text + 1);
  none((uintptr_t)main);
  none(UINTPTR_MAX);
  none(INT32_MAX);
  none((uintptr_t)INT32_MAX + 1);
  none((uintptr_t)1 << 63);
  for (int k = 0; k < 20000; ++k) {
    none((uintptr_t)any());
    none((uintptr_t)(any() & INT32_MAX));
    none((uintptr_t)(any() & 0xffff));
    none((uintptr_t)(0x40000000u | (any() & 0x3c0000ffu)));
  }

  /* A handle of one kind is none of another, and one that was freed is none for long. */
  for (int k = 0; k < 200; ++k) GOOD(MPI_Info_create(&infos[k]));
  for (int k = 0; k < 200; ++k) {
    CHECK((uintptr_t)infos[k] >= 0x1000 && (uintptr_t)infos[k] <= INT32_MAX);
    for (int other = 0; other < k; ++other) CHECK(infos[other] != infos[k]);
    FAILS(MPI_ERR_COMM, MPI_Comm_size((MPI_Comm)infos[k], &n));
    CHECK(MPI_Info_fromint(MPI_Info_toint(infos[k])) == infos[k]);
  }
  for (int k = 0; k < 200; k += 2) {
    MPI_Info freed = infos[k];
    GOOD(MPI_Info_free(&freed));
  }
  for (int round = 0; round < 1000; ++round) {
    MPI_Info made = MPI_INFO_NULL;
    GOOD(MPI_Info_create(&made));
    for (int k = 0; k < 200; k += 2) CHECK(made != infos[k]);
    GOOD(MPI_Info_free(&made));
    FAILS(MPI_ERR_INFO, MPI_Info_get_nkeys(infos[round % 100 * 2], &n));
  }
  for (int k = 1; k < 200; k += 2) GOOD(MPI_Info_free(&infos[k]));
  return end();
}
