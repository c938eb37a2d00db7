/// OpenSHMEM 1.6 for C++17 and later: types instead of names, and owners instead of pairs of calls.
///
///   #include <weft/shmem.hpp>
///
///   shmem::runtime library;                       // shmem_init ... shmem_finalize
///   shmem::symmetric<double> box(100);            // in the symmetric heap of every PE
///   shmem::put(box.data(), mine.data(), 100, pe); // shmem_double_put, inline body and all
///
/// Functions have the names of the specification without shmem_ and without a type: shmem_long_atomic_add and its kin
/// are shmem::atomic_add. Which C routine is meant is known when the program is compiled, and only that routine is
/// called. A context, where there is one, comes first. What a routine does, when it returns and what completes it is
/// as in the specification; the numbers in the comments are its sections. Everything of <shmem.h> stays usable.
///
///   runtime.hpp      runtime, my_pe, n_pes, barrier_all, sync_all, ptr, mutex
///   memory.hpp       symmetric<T>, symmetric_object<T>, view<T>
///   team.hpp         team, unique_team
///   context.hpp      context, fence, quiet, pe_quiet
///   rma.hpp          put, get, p, g, iput, iget, ibput, ibget, put_signal, signal_*, and their _nbi forms
///   collectives.hpp  sync, broadcast, collect, fcollect, alltoall, alltoalls
///   routines.hpp     atomic_*, wait_until*, test*, *_reduce, sum_inscan, sum_exscan; generated
///
/// Errors: what the specification calls undefined (wrong addresses, PE numbers) ends the program with a line that names
/// the routine and the value. Where it allows a routine to fail, the object made is false, see its comment.
#pragma once

#include <weft/cxx/collectives.hpp>
#include <weft/cxx/context.hpp>
#include <weft/cxx/memory.hpp>
#include <weft/cxx/rma.hpp>
#include <weft/cxx/routines.hpp>
#include <weft/cxx/runtime.hpp>
#include <weft/cxx/team.hpp>
