// Keeps what a function that can fail returns in a place that is there already.
#pragma once

#include <utility>

#include "store/records/result.h"

// TRY_INTO(parts.plan, planner.Propose(context));  assigns it, or returns the
// error.
#define TRY_INTO(place, expression)              \
  do {                                           \
    auto into_result = (expression);             \
    if (!into_result) {                          \
      return ::tl::unexpected<::coppice::Error>( \
          std::move(into_result).error());       \
    }                                            \
    (place) = std::move(*into_result);           \
  } while (false)
