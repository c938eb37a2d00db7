// Between the two halves of far.hpp: the questions that this PE has asked, whose answers its handlers get.
#pragma once

#include "transport/questions.hpp"

namespace weft::win {

transport::Questions& far_questions() noexcept;

}  // namespace weft::win
