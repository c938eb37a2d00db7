// What libweft_fortran.so and the tools need of libweft.so beyond the interface of programs. C names: they are in the
// symbol map (api/types.toml, [support]) and change only together with these libraries.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// [lo, hi) of this PE's symmetric memory; empty outside a job.
struct weft_support_ranges {
  std::uintptr_t heap_lo, heap_hi, statics_lo, statics_hi;
};

/// "weft: PE 2: <routine>: <text>" and the end of the program.
[[noreturn]] void weft_support_fail(const char* routine, const char* text) noexcept;

/// From now on messages name the routine that `name` gives, where it gives one, and the place `site` as the one that
/// called it. Null pointers end that.
void weft_support_set_caller(const char* (*name)(), const void* (*site)()) noexcept;

/// For tools between the program and this library: what the call that a thread is in returns to in the program.
void weft_support_set_tool_site(const void* (*tell)()) noexcept;

/// base::no_memory.
void weft_support_no_memory(std::size_t bytes) noexcept;

/// The same line, and the program goes on.
void weft_support_say(const char* routine, const char* text) noexcept;

/// The routine of another language that this thread has called; null where it is the C routine itself.
const char* weft_support_caller_name() noexcept;
/// What that routine returns to in the program.
const void* weft_support_caller_site() noexcept;

/// base::set_place_hook.
void weft_support_set_place(bool (*hook)(char* text, std::size_t size)) noexcept;

void weft_support_memory(struct weft_support_ranges* ranges) noexcept;

/// What lies at an address that is not symmetric: "on the stack", "allocated with malloc", ... Valid until the next
/// call.
const char* weft_support_describe(const void* address) noexcept;

/// Of the symmetric heap, in bytes: what its blocks take now, and all of it. 0 while the library is not started.
std::uint64_t weft_support_heap_in_use() noexcept;
std::uint64_t weft_support_heap_bytes() noexcept;

/// What lies at an address, in the numbers of SHPDEALLC: 0 a block begins here, -3 not in the symmetric heap,
/// -4 in the heap but in no block, -5 inside a block.
int weft_support_block(const void* address) noexcept;

/// The PE whose copy of the word is the lock.
int weft_support_lock_home(const long* lock) noexcept;

/// What the program has asked for as its symmetric heap, in bytes: safe mode's room is not in it.
std::uint64_t weft_support_heap_asked() noexcept;

/// Locks in a default INTEGER.
void weft_support_set_lock(int* lock) noexcept;
void weft_support_clear_lock(int* lock) noexcept;
/// 0 when taken, else 1.
int weft_support_test_lock(int* lock) noexcept;

/// Reductions of REAL*16 over an active set, as C's shmem_longdouble_..._to_all: that is another type on x86.
/// operation: 0 max, 1 min, 2 sum, 3 prod.
void weft_support_reduce_real16(int operation, void* dest, const void* source, int nreduce, int first, int log_stride,
                                int size, void* psync) noexcept;

}  // extern "C"
