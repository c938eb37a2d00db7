// Programs that are more than OpenSHMEM programs.
#pragma once

namespace weft::shmem {

/// Of a program that has an MPI in it too, PE 0 of a job that oshrun started says whose processes MPI will not find.
void note_mpi() noexcept;

}  // namespace weft::shmem
