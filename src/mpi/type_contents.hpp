// How datatypes were made, given back to the program.
#pragma once

#include <mpi.h>

#include "mpi/datatypes.hpp"

namespace weft::mpi {

int type_get_envelope(const Datatype& datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                      int* combiner) noexcept;
int type_get_envelope(const Datatype& datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                      MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) noexcept;
int type_get_contents(const Datatype& datatype, int max_integers, int max_addresses, int max_datatypes,
                      int* array_of_integers, MPI_Aint* array_of_addresses, MPI_Datatype* array_of_datatypes) noexcept;
int type_get_contents(const Datatype& datatype, MPI_Count max_integers, MPI_Count max_addresses,
                      MPI_Count max_large_counts, MPI_Count max_datatypes, int* array_of_integers,
                      MPI_Aint* array_of_addresses, MPI_Count* array_of_large_counts,
                      MPI_Datatype* array_of_datatypes) noexcept;

}  // namespace weft::mpi
