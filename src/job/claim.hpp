// When the addresses of symmetric memory are taken, and when static data moves: as soon as a front end has told that it
// needs them and it is known where they may lie.
#pragma once

#include "base/result.hpp"
#include "job/front_end.hpp"

namespace weft::job {

/// The addresses of the symmetric memory that the front end needs, unless they are taken. Where another one has taken
/// some without static data they are taken anew, as long as nothing is mapped there.
base::Result<void> need_space(const FrontEnd& front_end) noexcept;

}  // namespace weft::job
