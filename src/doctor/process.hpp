// What the kernel says of a process.
#pragma once

namespace weft::doctor {

/// It is there, and no zombie.
bool lives(int pid);

/// Through parents, or is it.
bool descends_from(int pid, int ancestor);

/// 0 when nothing is known.
int threads_of(int pid);

bool has_thread(int pid, int thread);

/// A library whose file's name holds this.
bool has_loaded(int pid, const char* library);

}  // namespace weft::doctor
