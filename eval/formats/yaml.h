// What people write of YAML in a file of settings: mappings and lists by
// indentation or in one line, plain and quoted scalars, comments.  Anchors,
// tags, texts of several lines and lists of mappings are refused.
#pragma once

#include <string>

#include "eval/formats/json_cursor.h"
#include "store/records/result.h"

namespace coppice::eval {

// Scalars are texts, for readers that are lax about numbers, but for nulls and
// truth values.  An empty document is an empty object.  kCorrupt names file and
// line.
Result<Json> ParseYaml(const std::string& text, const std::string& file);

}  // namespace coppice::eval
