// All that the generated bindings call.
#pragma once

#include "mpi/abi.hpp"
#include "mpi/attributes.hpp"
#include "mpi/calls.hpp"
#include "mpi/checked.hpp"
#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/environment.hpp"
#include "mpi/errors.hpp"
#include "mpi/groups.hpp"
#include "mpi/info.hpp"
#include "mpi/later.hpp"
#include "mpi/ops.hpp"
#include "mpi/packing.hpp"
#include "mpi/statuses.hpp"
#include "mpi/type_contents.hpp"
#include "mpi/type_make.hpp"
