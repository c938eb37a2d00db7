// What the library tells the job of this front end when it is loaded.
#pragma once

#include "job/front_end.hpp"

namespace weft::shared {

const job::FrontEnd& front_end() noexcept;

}  // namespace weft::shared
