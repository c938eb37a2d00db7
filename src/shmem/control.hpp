// Bodies of the routines that are not generated over types: setup, queries, contexts, ordering, locks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem.h"

namespace weft::shmem {

void init() noexcept;
int init_thread(int requested, int* provided) noexcept;
void query_thread(int* provided) noexcept;
void query_initialized(int* initialized) noexcept;
void finalize() noexcept;
[[noreturn]] void global_exit(int status) noexcept;
void start_pes(int npes) noexcept;

int my_pe() noexcept;
int n_pes() noexcept;
int pe_accessible(int pe) noexcept;
int addr_accessible(const void* addr, int pe) noexcept;
void* address_of_peer(const void* dest, int pe) noexcept;
void info_get_version(int* major, int* minor) noexcept;
void info_get_name(char* name) noexcept;
void pcontrol(int level) noexcept;
double wtime() noexcept;
void cache_noop() noexcept;

int ctx_create(long options, shmem_ctx_t* ctx) noexcept;
int team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx) noexcept;
void ctx_destroy(shmem_ctx_t ctx) noexcept;
int ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) noexcept;

void ctx_session_start(shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config,
                       long config_mask) noexcept;
void ctx_session_stop(shmem_ctx_t ctx) noexcept;

void fence(shmem_ctx_t ctx) noexcept;
void quiet(shmem_ctx_t ctx) noexcept;
void pe_quiet(shmem_ctx_t ctx, const int* target_pes, std::size_t npes) noexcept;

void barrier_all() noexcept;
void sync_all() noexcept;

void set_lock(long* lock) noexcept;
int test_lock(long* lock) noexcept;
void clear_lock(long* lock) noexcept;

}  // namespace weft::shmem
