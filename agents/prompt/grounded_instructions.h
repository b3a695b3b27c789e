// Grounded instructions: parsing and checking what agents answer.
//
// A plan answer is advice in words and one fenced code block: the parent's
// whole source with at least one span between comments that hold
// `<<<IMPROVE BEGIN>>>` and `<<<IMPROVE END>>>` (agents/prompt/anchors.h).  A
// line `Technique: <short label>` in the words names the idea.  A code or debug
// answer is one fenced code block with the whole new source.
//
// If there are several blocks, the last counts; in a plan, the last with an
// anchor.  Lines may end in CR LF; what is returned ends them in LF.
#pragma once

#include <string>
#include <string_view>

#include "agents/prompt/anchors.h"
#include "agents/prompt/request_options.h"
#include "store/records/plan.h"
#include "store/records/result.h"

namespace coppice::agents {

// Error kCorrupt, in words fit for an agent, if the answer holds no code block
// or its anchors are unbalanced, nested or absent.  A source that differs from
// the parent's outside the anchors is no error: `grounded` is false and the
// plan is used as it is.
//
// `grounded` compares without anchors, line by line: trailing blanks and the
// end of the last line do not matter, nor do comments and blank lines that the
// plan adds within a span, where the paper has it write its advice.
//
// By kRequired one that is not grounded is an error as well.  By kOff there are
// no anchors: all words are advice, and the source is the parent's.
Result<Plan> ParsePlanAnswer(std::string_view answer,
                             std::string_view parent_source,
                             Grounding grounding = Grounding::kUsed);

// The source in the answer's last fenced block, without anchors that it may
// have kept: the next plan sets its own.  Error kCorrupt if none.
Result<std::string> ParseCodeAnswer(std::string_view answer);

// How many lines of code the candidate changes in the plan's source, split by
// whether they lie in a marked span.  Comments and blank lines do not count.  A
// run of lines replaced by another counts as the longer of the two; lines put
// in at the edge of a span lie inside it. Lines come from a longest common
// subsequence; past 16 million pairs of lines that differ at head and tail,
// everything between counts as replaced.
EditFootprint MeasureEdits(std::string_view annotated,
                           std::string_view candidate);

}  // namespace coppice::agents
