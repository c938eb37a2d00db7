// All bodies that the generated bindings call.
#pragma once

#include "rma/node.hpp"
#include "shmem/collectives.hpp"
#include "shmem/control.hpp"
#include "shmem/memory.hpp"
#include "shmem/requests.hpp"
#include "shmem/teams.hpp"
#include "shmem/typed.hpp"

namespace weft::shmem {

using rma::enter;

}  // namespace weft::shmem
