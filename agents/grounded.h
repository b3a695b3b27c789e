// Grounded instructions: parsing and checking what agents answer.
//
// A plan answer is advice in words and one fenced code block: the parent's
// whole source with at least one span between comments that hold
// `<<<IMPROVE BEGIN>>>` and `<<<IMPROVE END>>>`.  A code or debug answer is one
// fenced code block with the whole new source.
#pragma once

#include <string>
#include <string_view>

#include "store/records/plan.h"
#include "store/records/result.h"

namespace coppice::agents {

// Error kCorrupt, in words fit for a repair request, if the answer holds no
// code block or its anchors are unbalanced, nested or absent.  A source that
// differs from the parent's outside the anchors is no error: `grounded` is
// false and the plan is used as it is.
Result<Plan> ParsePlanAnswer(std::string_view answer,
                             std::string_view parent_source);

// The source in the answer's last fenced block.  Error kCorrupt if none.
Result<std::string> ParseCodeAnswer(std::string_view answer);

// The source without anchor comments (whole lines that hold only an anchor,
// and comments that hold only one).
std::string WithoutAnchors(std::string_view annotated);

// Line difference between the plan's source and the candidate's, split by
// whether the changed lines lie in a marked span.
EditFootprint MeasureEdits(std::string_view annotated,
                           std::string_view candidate);

}  // namespace coppice::agents
