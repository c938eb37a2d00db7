/* 0.10 For every function there is a symbol and its pshmem_ twin, found at run time as tools find them. A sample of
 * each area; the table-driven test of the exported names covers all. */
#include "../check.h"

#include <dlfcn.h>

static const char* const names[] = {"shmem_init",
                                    "shmem_finalize",
                                    "shmem_my_pe",
                                    "shmem_n_pes",
                                    "shmem_query_initialized",
                                    "shmem_global_exit",
                                    "shmem_pe_accessible",
                                    "shmem_addr_accessible",
                                    "shmem_ptr",
                                    "shmem_team_ptr",
                                    "shmem_info_get_version",
                                    "shmem_info_get_name",
                                    "shmem_init_thread",
                                    "shmem_query_thread",
                                    "shmem_malloc",
                                    "shmem_free",
                                    "shmem_realloc",
                                    "shmem_align",
                                    "shmem_malloc_with_hints",
                                    "shmem_calloc",
                                    "shmem_ctx_create",
                                    "shmem_team_create_ctx",
                                    "shmem_ctx_destroy",
                                    "shmem_ctx_get_team",
                                    "shmem_long_put",
                                    "shmem_ctx_long_put",
                                    "shmem_putmem",
                                    "shmem_put128",
                                    "shmem_longdouble_p",
                                    "shmem_longdouble_g",
                                    "shmem_size_iput",
                                    "shmem_int_ibput",
                                    "shmem_int_ibget",
                                    "shmem_getmem_nbi",
                                    "shmem_ctx_getmem_nbi",
                                    "shmem_int_atomic_fetch_add",
                                    "shmem_ctx_uint64_atomic_fetch_xor_nbi",
                                    "shmem_double_atomic_swap",
                                    "shmem_int_fadd",
                                    "shmem_long_put_signal",
                                    "shmem_putmem_signal_nbi",
                                    "shmem_signal_fetch",
                                    "shmem_signal_add",
                                    "shmem_ctx_signal_set",
                                    "shmem_signal_wait_until",
                                    "shmem_long_wait_until",
                                    "shmem_ulong_wait_until_any_vector",
                                    "shmem_size_test_some",
                                    "shmem_wait",
                                    "shmem_short_wait_until",
                                    "shmem_fence",
                                    "shmem_quiet",
                                    "shmem_ctx_quiet",
                                    "shmem_pe_quiet",
                                    "shmem_ctx_pe_quiet",
                                    "shmem_barrier_all",
                                    "shmem_sync_all",
                                    "shmem_set_lock",
                                    "shmem_clear_lock",
                                    "shmem_test_lock",
                                    "shmem_pcontrol"};

int main(void) {
  size_t i;
  check_begin();
  for (i = 0; i < sizeof names / sizeof names[0]; ++i) {
    char twin[80];
    void *a = dlsym(RTLD_DEFAULT, names[i]), *b;
    snprintf(twin, sizeof twin, "p%s", names[i]);
    b = dlsym(RTLD_DEFAULT, twin);
    CHECK(a != NULL, "no symbol %s", names[i]);
    CHECK(b != NULL, "no symbol %s", twin);
  }
  /* a symbol found this way works */
  {
    int (*n_pes)(void);
    void* p = dlsym(RTLD_DEFAULT, "pshmem_n_pes");
    memcpy(&n_pes, &p, sizeof p);
    if (p) CHECK_EQ(n_pes(), check_n, "pshmem_n_pes by dlsym");
  }
  return check_end();
}
