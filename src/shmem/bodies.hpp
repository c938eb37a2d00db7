// All bodies that the generated bindings call.
#pragma once

#include "shmem/calls.hpp"
#include "shmem/collectives.hpp"
#include "shmem/control.hpp"
#include "shmem/memory.hpp"
#include "shmem/requests.hpp"
#include "shmem/teams.hpp"
#include "shmem/typed.hpp"
