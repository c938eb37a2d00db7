// What the library tells the job of this front end when it is loaded.
#pragma once

#include "job/front_end.hpp"

namespace weft::mpi {

const job::FrontEnd& front_end() noexcept;

/// Before the first message: what a tool wants to hear of messages, if one does.
void let_tools_listen() noexcept;

/// What programs may use before MPI_Init: error handlers, info objects, the names of predefined handles. Once.
void set_up() noexcept;

}  // namespace weft::mpi
