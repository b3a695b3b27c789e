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

}  // namespace coppice::cli
