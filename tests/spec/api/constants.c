/* What a program may do with constants and handles (sections 6 and 7, 9.4, 9.5). Compiled only, as C89 to C++20. */
#include <shmem.h>
#include <stddef.h>

#define HOLDS(name, condition) typedef char holds_##name[(condition) ? 1 : -1]

HOLDS(version, SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION == 6);
HOLDS(old_version, _SHMEM_MAJOR_VERSION == SHMEM_MAJOR_VERSION && _SHMEM_MINOR_VERSION == SHMEM_MINOR_VERSION);
HOLDS(name_fits, sizeof(SHMEM_VENDOR_STRING) <= SHMEM_MAX_NAME_LEN);
HOLDS(old_name_fits, sizeof(_SHMEM_VENDOR_STRING) <= _SHMEM_MAX_NAME_LEN);
HOLDS(thread_levels, SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
                         SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE);
HOLDS(ctx_options, (SHMEM_CTX_SERIALIZED & SHMEM_CTX_PRIVATE) == 0 && (SHMEM_CTX_PRIVATE & SHMEM_CTX_NOSTORE) == 0 &&
                       (SHMEM_CTX_SERIALIZED & SHMEM_CTX_NOSTORE) == 0);
HOLDS(ctx_options_are_long, sizeof(SHMEM_CTX_SERIALIZED) == sizeof(long) && sizeof(SHMEM_SYNC_VALUE) == sizeof(long));
HOLDS(hints, (SHMEM_MALLOC_ATOMICS_REMOTE & SHMEM_MALLOC_SIGNAL_REMOTE) == 0);
HOLDS(handles_are_scalar, sizeof(shmem_ctx_t) == sizeof(void*) && sizeof(shmem_team_t) == sizeof(void*));
/* One pSync has to do for any collective. */
HOLDS(sync_size, SHMEM_SYNC_SIZE >= SHMEM_BARRIER_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_BCAST_SYNC_SIZE &&
                     SHMEM_SYNC_SIZE >= SHMEM_REDUCE_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_COLLECT_SYNC_SIZE &&
                     SHMEM_SYNC_SIZE >= SHMEM_ALLTOALL_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_ALLTOALLS_SYNC_SIZE);

#if SHMEM_MAJOR_VERSION * 100 + SHMEM_MINOR_VERSION < 106
#error "the version macros must do in #if"
#endif

/* Initialisers of static storage. */
extern shmem_team_t a_team, shared_team, no_team;
extern shmem_ctx_t a_ctx, no_ctx;
extern long pSync[_SHMEM_BCAST_SYNC_SIZE];
extern double pWrk[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];
shmem_team_t a_team = SHMEM_TEAM_WORLD, shared_team = SHMEM_TEAM_SHARED, no_team = SHMEM_TEAM_INVALID;
shmem_ctx_t a_ctx = SHMEM_CTX_DEFAULT, no_ctx = SHMEM_CTX_INVALID;
long pSync[_SHMEM_BCAST_SYNC_SIZE] = {_SHMEM_SYNC_VALUE};
double pWrk[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
extern _Thread_local shmem_ctx_t my_ctx;
_Thread_local shmem_ctx_t my_ctx = SHMEM_CTX_INVALID;
#endif

int meaning(int cmp, shmem_ctx_t ctx, shmem_team_t team);
int meaning(int cmp, shmem_ctx_t ctx, shmem_team_t team) {
  shmem_ctx_t copy = ctx;
  if (copy == SHMEM_CTX_INVALID || copy != SHMEM_CTX_DEFAULT || team == SHMEM_TEAM_INVALID ||
      team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED) {
    return -1;
  }
  switch (cmp) { /* case labels: integer constant expressions, all different */
    case SHMEM_CMP_EQ: return 1;
    case SHMEM_CMP_NE: return 2;
    case SHMEM_CMP_LT: return 3;
    case SHMEM_CMP_LE: return 4;
    case SHMEM_CMP_GT: return 5;
    case SHMEM_CMP_GE: return 6;
    default: break;
  }
  switch (cmp) {
    case SHMEM_SIGNAL_SET: return 1;
    case SHMEM_SIGNAL_ADD: return 2;
    default: return 0;
  }
}

/* shmem_global_exit does not return: no warning that this function lacks a return value. */
int leave(void);
int leave(void) { shmem_global_exit(3); }
