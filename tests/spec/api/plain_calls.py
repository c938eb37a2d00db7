"""The routines without element types: how the generated program calls each, and what it has to do. As in
call_templates.py; everything happens between begin() and the next routine, on all PEs."""

BLOCK = "{{ void* block = %s; check_block(block, 64); %s }}"

SETUP = {
    "shmem_init": "{f}(); CHECK(is_initialised(), \"%s\", called); shmem_finalize(); "
                  "CHECK(is_initialised(), \"%s: one finalize for each\", called);",
    "shmem_finalize": "shmem_init(); {f}(); CHECK(is_initialised(), \"%s: the outer init still counts\", called);",
    "shmem_init_thread": "{{ int provided = -1; CHECK({f}(SHMEM_THREAD_MULTIPLE, &provided) == 0 && provided >= 0, "
                         "\"%s\", called); "
                         "shmem_finalize(); }}",
    "shmem_query_thread": "{{ int provided = -1; {f}(&provided); "
                          "CHECK(provided >= SHMEM_THREAD_SINGLE && provided <= SHMEM_THREAD_MULTIPLE, \"%s: %d\", "
                          "called, provided); }}",
    "shmem_query_initialized": "{{ int is = -1; {f}(&is); CHECK(is > 0, \"%s: %d\", called, is); }}",
    "shmem_my_pe": "CHECK_EQ({f}(), check_me, \"%s\", called);",
    "_my_pe": "CHECK_EQ({f}(), check_me, \"%s\", called);",
    "shmem_n_pes": "CHECK_EQ({f}(), check_n, \"%s\", called);",
    "_num_pes": "CHECK_EQ({f}(), check_n, \"%s\", called);",
    "start_pes": "{f}(0); CHECK_EQ(shmem_my_pe(), check_me, \"%s: no effect when it comes late\", called);",
    "shmem_pe_accessible": "CHECK({f}(right) == 1 && {f}(check_n) == 0, \"%s\", called);",
    "shmem_addr_accessible": "{{ int here = 0; CHECK({f}(target, right) == 1 && {f}(&here, right) == 0, \"%s\", "
                             "called); }}",
    "shmem_ptr": "{{ unsigned char* there = (unsigned char*){f}(target, right); REQUIRE(there != NULL, \"%s\", "
                 "called); "
                 "memcpy(there, source, 4); finish(); want_blocks(1, 1, left, 1, 4, 0, 0); agree(); }}",
    "shmem_team_ptr": "{{ unsigned char* there = (unsigned char*){f}(SHMEM_TEAM_WORLD, target, right); "
                      "REQUIRE(there != NULL, \"%s\", called); memcpy(there, source, 4); finish(); "
                      "want_blocks(1, 1, left, 1, 4, 0, 0); agree(); }}",
    "shmem_info_get_version": "{{ int major = 0, minor = 0; {f}(&major, &minor); "
                              "CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION, \"%s\", called); }}",
    "shmem_info_get_name": "{{ char name[SHMEM_MAX_NAME_LEN]; memset(name, 1, sizeof name); {f}(name); "
                           "CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0, \"%s\", called); }}",
    "shmem_pcontrol": "{f}(0); {f}(2, \"anything\", 3.0); agree();",
}

MEMORY = {
    "shmem_malloc": BLOCK % ("{f}(64)", "shmem_free(block);"),
    "shmalloc": BLOCK % ("{f}(64)", "shmem_free(block);"),
    "shmem_malloc_with_hints": BLOCK % ("{f}(64, SHMEM_MALLOC_ATOMICS_REMOTE)", "shmem_free(block);"),
    "shmem_calloc": "{{ size_t i; unsigned char* block = (unsigned char*){f}(8, 8); REQUIRE(block != NULL, \"%s\", "
                    "called); "
                    "for (i = 0; i < 64; ++i) CHECK(block[i] == 0, \"%s: byte %zu\", called, i); "
                    "shmem_barrier_all(); check_block(block, 64); shmem_free(block); }}",
}
for _name in ("shmem_align", "shmemalign"):
    MEMORY[_name] = BLOCK % ("{f}(4096, 64)", "CHECK((uintptr_t)block % 4096 == 0, \"%s\", called); shmem_free(block);")
for _name in ("shmem_realloc", "shrealloc"):
    MEMORY[_name] = BLOCK % ("shmem_malloc(64)", "block = {f}(block, 100000); REQUIRE(block != NULL, \"%s\", called); "
                             "CHECK(check_find_wrong(block, left, 64) == 64, \"%s: contents\", called); "
                             "shmem_free(block);")
for _name in ("shmem_free", "shfree"):
    # Forty blocks of 64 MiB are more than the heap holds at once.
    MEMORY[_name] = ("{{ int i; void* first = shmem_malloc(64); {f}(first); "
                     "for (i = 0; i < 40; ++i) {{ void* block = shmem_malloc(1u << 26); REQUIRE(block != NULL, \"%s: "
                     "the heap is full\", called); "
                     "{f}(block); }} CHECK(shmem_malloc(0) == NULL, \"%s\", called); }}")

CONTEXTS = {
    "shmem_ctx_create": "{{ shmem_ctx_t own = SHMEM_CTX_INVALID; CHECK({f}(0, &own) == 0 && own != SHMEM_CTX_INVALID, "
                        "\"%s\", called); "
                        "shmem_ctx_long_p(own, &counter, 5, right); shmem_ctx_destroy(own); finish(); "
                        "CHECK_EQ(counter, 5, \"%s\", called); }}",
    "shmem_team_create_ctx": "{{ shmem_ctx_t own = SHMEM_CTX_INVALID; CHECK({f}(SHMEM_TEAM_WORLD, 0, &own) == 0, "
                             "\"%s\", called); "
                             "shmem_ctx_long_p(own, &counter, 5, right); shmem_ctx_destroy(own); finish(); "
                             "CHECK_EQ(counter, 5, \"%s\", called); }}",
    "shmem_ctx_destroy": "{{ shmem_ctx_t own = SHMEM_CTX_INVALID; shmem_ctx_create(0, &own); "
                         "shmem_ctx_putmem_nbi(own, target, source, 4, right); "
                         "{f}(own); finish(); want_blocks(1, 1, left, 1, 4, 0, 0); agree(); }}",
    "shmem_ctx_get_team": "{{ shmem_team_t team = SHMEM_TEAM_INVALID; CHECK({f}(ctx, &team) == 0 && team == "
                          "SHMEM_TEAM_WORLD, \"%s\", called); }}",
    "shmem_ctx_session_start": "{f}(ctx, 0, NULL, 0); shmem_ctx_putmem(ctx, target, source, 4, right); "
                               "shmem_ctx_session_stop(ctx); "
                               "finish(); want_blocks(1, 1, left, 1, 4, 0, 0); agree();",
    "shmem_ctx_session_stop": "shmem_ctx_session_start(ctx, 0, NULL, 0); shmem_ctx_putmem(ctx, target, source, 4, "
                              "right); {f}(ctx); {f}(ctx); "
                              "finish(); want_blocks(1, 1, left, 1, 4, 0, 0); agree();",
}

SIGNALS = {
    "shmem_signal_fetch": "sig = 5 + (uint64_t)check_me; CHECK({f}(&sig) == 5 + (uint64_t)check_me, \"%s\", called);",
    "shmem_signal_wait_until": "shmem_signal_set(&sig, 8, right); CHECK({f}(&sig, SHMEM_CMP_GT, 7) == 8, \"%s\", "
                               "called); finish();",
}
for _ctx in ("", "ctx_"):
    _c = "ctx, " if _ctx else ""
    SIGNALS[f"shmem_{_ctx}signal_set"] = "{f}(%s&sig, 7, right); finish(); CHECK(sig == 7, \"%%s\", called);" % _c
    SIGNALS[f"shmem_{_ctx}signal_add"] = ("sig = 30; shmem_barrier_all(); {f}(%s&sig, 7, right); finish(); "
                                          "CHECK(sig == 37, \"%%s\", called);" % _c)

ORDERING = {}
for _ctx in ("", "ctx_"):
    _c = "ctx, " if _ctx else ""
    _between = (f"shmem_{_ctx}long_p({_c}&counter, 5, right)", f"shmem_{_ctx}long_p({_c}&flag, 1, right)")
    for _name, _args in (("fence", "ctx" if _ctx else ""), ("quiet", "ctx" if _ctx else ""), ("pe_quiet", _c + "&right, 1")):
        ORDERING[f"shmem_{_ctx}{_name}"] = f"CHECK_ORDERED({_between[0]}, {{f}}({_args}), {_between[1]}); finish();"

# Each PE adds to a counter by a get and a put, which is lost where two are inside at once.
COUNT = "shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);"
COUNTED = "finish(); CHECK_EQ(shmem_long_g(&counter, 0), check_n, \"%s\", called); shmem_barrier_all();"
LOCKS = {
    "shmem_set_lock": "{f}(&lock_word); " + COUNT + " shmem_clear_lock(&lock_word); " + COUNTED,
    "shmem_clear_lock": "shmem_set_lock(&lock_word); " + COUNT + " {f}(&lock_word); " + COUNTED,
    "shmem_test_lock": "while ({f}(&lock_word) != 0) sched_yield(); " + COUNT + " shmem_clear_lock(&lock_word); " + COUNTED,
}

# Nobody leaves before all have come: each PE's store is there, also that of a late one.
MEET = "late(); shmem_long_p(&counter, 5, right); %s %s CHECK_EQ(counter, 5, \"%%s\", called); finish();"
BARRIERS = {
    "shmem_barrier_all": MEET % ("", "{f}();"),
    "shmem_sync_all": MEET % ("shmem_quiet();", "{f}();"),
}

CACHE = {f"shmem_{name}": "{f}(); agree();" for name in ("clear_cache_inv", "set_cache_inv", "udcflush")}
CACHE |= {f"shmem_{name}": "{f}(target); agree();" for name in ("clear_cache_line_inv", "set_cache_line_inv", "udcflush_line")}

PLAIN = SETUP | MEMORY | CONTEXTS | SIGNALS | ORDERING | LOCKS | BARRIERS | CACHE
