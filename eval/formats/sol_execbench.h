// NVIDIA's SOL-ExecBench, whose documents are FlashInfer-Bench's but for what
// is translated here; the readers of trace_json.h then read them.  What these
// functions do not know they leave as it is, for those readers to complain.
#pragma once

#include "eval/formats/json_cursor.h"
#include "store/records/result.h"

namespace coppice::eval {

// - op_type, which may be missing, is then "unspecified".
// - A number in a shape becomes a constant axis of that name.
// - An axis of type expr is constant if its expression is.  Else it varies,
//   and a constraint `AXIS == (EXPRESSION)` says how.
// - float4_e2m1fn_x2 is float4_e2m1.
Result<Json> TranslatedDefinition(const Cursor& definition);

// With the sizes that such constraints give, and the way in which random
// tensors are drawn there: by name, description and shape (src/sol_execbench/
// core/bench/io.py; its documents do not tell).  `definition` is translated.
Result<Json> TranslatedWorkload(const Json& definition, const Cursor& workload);

// A list of languages becomes one.  C++ is bound by torch, and compiled with
// CUDA where a source's name asks for it.
Result<Json> TranslatedSolution(const Cursor& solution);

// Whether a solution is in these words.
bool IsSolExecBench(const Json& solution);

// Two statuses, REWARD_HACK and INVALID_REFERENCE, are RUNTIME_ERROR, and the
// log begins with them.
Json TranslatedTrace(Json trace);

}  // namespace coppice::eval
