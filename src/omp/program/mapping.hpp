// Data mapping: arrays of the program whose pages are at home where somebody has said, instead of where they are
// written first.
#pragma once

#include <cstdint>

#include "weft/omp_directives.h"

namespace weft::omp::program {

/// In all processes, before the program's constructors; a barrier. Process 0 looks up what the option says, and ends
/// the program with a line where that cannot be. `option`: null, there are none.
void map_arrays(const char* option) noexcept;

/// By a directive that the program has come to, where memory is pages; `alone`: with the thread of main in process 0,
/// outside of regions, else there is a line unless it has been carried out before. `run_in_others` has the
/// other processes run a function, this one another, and waits until all are through.
using RunInOthers = void(void (*there)(void*), void* argument, void (*here)(void*) noexcept) noexcept;
void map_array(const weft_omp_mapping& directive, bool alone, RunInOthers* run_in_others) noexcept;

/// The process at which the byte there is to be at home; -1: nobody has said so. What lies from `from` on up to `to` is
/// there, too; `array` is where the array begins.
int home_of(std::uintptr_t at, std::uintptr_t* from, std::uintptr_t* to, std::uintptr_t* array) noexcept;

}  // namespace weft::omp::program
