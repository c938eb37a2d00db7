// What the front ends call things that messages of the rooms below them speak of.
#pragma once

namespace weft::base {

/// Names as people know them from their programs. Null: this front end has no such thing.
struct Words {
  const char* interface = nullptr;    // "OpenSHMEM"
  const char* library = nullptr;      // "libweft.so"
  const char* begin = nullptr;        // the routine that begins: "shmem_init"
  const char* end = nullptr;          // "shmem_finalize"
  const char* exit_all = nullptr;     // "shmem_global_exit"
  const char* allocate = nullptr;     // what gives memory that others reach: "shmem_malloc"
  const char* address_of = nullptr;   // what gives addresses of others' memory: "shmem_ptr"
  const char* member = nullptr;       // what a process of the job is called where it has a number: "PE"
  const char* heap_option = nullptr;  // the option that says how large the heap is: "SHMEM_SYMMETRIC_SIZE"
};

/// In the constructor of a front end's library, before any thread. Of several front ends the first one that has a word
/// gives it.
void add_words(const Words& words) noexcept;

/// None of them is null: what no front end has a word for is described.
const Words& words() noexcept;

}  // namespace weft::base
