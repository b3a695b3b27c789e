// YAML as JSON, so that documents of both are read by one Cursor.
#pragma once

#include <string>

#include "eval/formats/json_cursor.h"
#include "store/records/result.h"

namespace coppice::eval {

// Scalars without quotes are null, truth or numbers where YAML 1.2's core
// schema has them so, and texts otherwise; keys are texts.  kCorrupt names the
// file and the line.
Result<Json> ParseYaml(const std::string& text, const std::string& file);

}  // namespace coppice::eval
