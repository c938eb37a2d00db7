// Start of a front end: what all of them do, in the order that holds for all. What it makes of its own comes between
// the two calls.
#pragma once

#include "base/options.hpp"
#include "base/result.hpp"
#include "job/front_end.hpp"

namespace weft::coll {

/// Joins the job (job::start) and sets up the teams and collectives that stand on it. On failure the front end has not
/// started. Nobody uses another PE's memory yet.
base::Result<void> start(const job::FrontEnd& front_end, const base::Options& options) noexcept;

/// What this PE shows others is there: meets all PEs, and from then on they use each other's. An error: not all were
/// told to do things the same way; the others are past the meeting already.
base::Result<void> meet_all(const base::Options& options) noexcept;

}  // namespace weft::coll
