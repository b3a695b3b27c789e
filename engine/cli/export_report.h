// Reports of campaigns, as `coppice export` makes them.
#pragma once

#include "engine/documents/verb.h"

namespace coppice::cli {

Result<Exit> ExportReport(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
