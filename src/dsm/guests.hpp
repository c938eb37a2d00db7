// What a PE answers of its pages: PEs of other nodes come to those that are at home here, which may have gone
// (answers.cpp calls these, in handlers of messages: one at a time).
#pragma once

#include "dsm/questions.hpp"

namespace weft::dsm {

void answer_fetch(const Question& question, const transport::Arrival& arrival, transport::Answerer& answerer) noexcept;
void answer_diff(const Question& question, const transport::Arrival& arrival, transport::Answerer& answerer) noexcept;
void answer_take(const Question& question, const transport::Arrival& arrival, transport::Answerer& answerer) noexcept;
Reply answer_fix(const Question& question, int pe) noexcept;

}  // namespace weft::dsm
