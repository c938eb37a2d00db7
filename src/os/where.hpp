// Where in the source this process is, by weft-where, a program that comes with Weft. For messages of a process that is
// about to end, but for ask_where(): signal handlers may call this, and one thread at a time does; others are told that
// nothing is known.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::os {

/// Looks for the program beside the library that this code is part of, before it is needed. False: it is not there.
bool find_where() noexcept;

/// "solve at solver.c:88" for what a call returns to. False when nothing is known of it.
bool tell_place(std::uintptr_t address, char* text, std::size_t size) noexcept;

/// Writes the calls that this thread is in to standard error, each line after the prefix; where the system does not let
/// a process be looked into, only the place of `pc`.
void show_stack(const char* prefix, std::uintptr_t pc) noexcept;

/// What the program says to these words, the first of which is its name; it has a minute. For a process that goes on:
/// `take` gets the text in pieces. False: the program is not there.
using TakeText = void(const char* text, std::size_t bytes, void* into);
bool ask_where(char* const* words, TakeText* take, void* into) noexcept;

}  // namespace weft::os
