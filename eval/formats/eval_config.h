// FlashInfer-Bench's configuration of a benchmark: how its own protocol judges
// a definition, by op_type and by name.
#pragma once

#include <string>

#include "eval/formats/json_cursor.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// Reads a file as its BenchmarkConfig.from_yaml does, and returns what holds
// for the definition: the defaults, then op_type_config, then
// definition_config, then what stands at the top.  An op_type that the file
// does not name has what the bundled file says of it.  A key that is no field
// of theirs is an error, which it is not there, and so is a file without any.
// Errors begin with `file`.
Result<EvalConfig> EvalConfigOf(const std::string& yaml,
                                const std::string& file,
                                const Definition& definition);

// One layer of it: what it says wins.
Result<void> TakeEvalConfig(const Cursor& layer, EvalConfig& config);
Json ToJson(const EvalConfig& config);

// By the file that comes with it (its commit 40e6ca78).
EvalConfig BundledEvalConfig(const Definition& definition);

}  // namespace coppice::eval
