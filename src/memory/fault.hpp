// Says what a memory fault means when it lies in the symmetric memory's own address ranges.
#pragma once

#include <signal.h>

#include <cstdint>

#include "memory/own_areas.hpp"
#include "memory/space.hpp"

namespace weft::memory {

struct FaultHooks {
  /// A fault elsewhere that nobody handles is about to end the process.
  void (*before_end)(const siginfo_t& fault, std::uintptr_t pc) = nullptr;
  /// The number in the job of a PE of this node.
  int (*pe_of)(int number) = nullptr;
  /// Where the PEs' own areas lie, if there are some.
  const OwnAreas* own = nullptr;
  /// That PE's static data is not symmetric, though it runs the same program.
  bool (*keeps_statics)(int pe) = nullptr;
};

/// Handles SIGSEGV and SIGBUS from now on, so that copies may be made that end with a fault and not with the process
/// (os/guarded_copy.hpp). Any other fault goes to whoever handled the signal before, or kills as ever. Once is enough.
void catch_faults() noexcept;

/// From shmem_init on. A fault elsewhere goes to whoever handled the signal before, or kills as ever.
void explain_faults(const Space& space, const FaultHooks& hooks) noexcept;

/// Asked first about each fault that the processor found: true, it has been handled, and the instruction may run again.
/// In the thread that faulted, with whatever locks the program has, so it waits for nothing that a program could
/// hold. The access is what the processor says of it, and the instruction the one that made it.
enum class FaultAccess : std::uint8_t { kUnknown, kRead, kWrite };
using FaultOwner = bool (*)(std::uintptr_t at, FaultAccess access, std::uintptr_t instruction) noexcept;
/// One at a time; null: nobody. Handles the signals from now on, also where another library has taken them since.
void set_fault_owner(FaultOwner owner) noexcept;

/// For an owner that is about to end the program by a line about that fault; 0: its instruction is not known.
void explain_next(std::uintptr_t instruction) noexcept;

/// The instruction whose fault is being explained, by a line that ends the program; 0 outside of that.
std::uintptr_t explained_fault() noexcept;

/// The instruction that a signal has interrupted, by its handler's third argument.
std::uintptr_t interrupted_at(const void* context) noexcept;

/// "the stack", "allocated with malloc", "memory of PE 3 as shmem_ptr gives it", the file mapped there, ...: for
/// messages about addresses that are not symmetric. The text is valid until the next call.
const char* describe_address(const Space& space, std::uintptr_t address) noexcept;

}  // namespace weft::memory
