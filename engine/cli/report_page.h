// The report of a campaign as one page that needs nothing else: no network, no
// server, and no script for what matters.  Pure, and the same for the same
// facts: it has no clock.
//
// Texts of others are Escaped, and pass a Redaction before that.
#pragma once

#include <string>

#include "engine/cli/report_facts.h"
#include "engine/tools/redaction.h"

namespace coppice::cli {

std::string PageOf(const ReportFacts& facts,
                   const engine::Redaction& redaction);

// The best so far over attempts, as a drawing with a title and a description:
// speed by logarithms, a dot for each kernel that passed, and below them a mark
// for each that failed.  With more than 2,000 nodes each column of the drawing
// has one dot, the fastest's.
std::string CurveDrawing(const std::vector<store::Improvement>& steps,
                         const std::vector<CurveNode>& points);

}  // namespace coppice::cli
