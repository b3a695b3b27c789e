// The documents of FlashInfer-Bench as JSON, each both ways.  Readers check
// all that its own parser and validator check, except that Python is not
// parsed: a reference needs a line that begins `def run(`.  Errors name file,
// place and what is wrong with it.
#pragma once

#include <string>

#include "eval/json_cursor.h"
#include "store/records/evaluation.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// A simulated task is no program: its language is "sim", and it may lack a
// reference, sources, an entry point and the other texts.  A KernelBench
// problem's reference is a file without `run`, and it has no oracle.  Only our
// own task documents hold such tasks; trace sets do not.
enum class Rules { kTraceSet, kSimulation, kKernelBench };

Result<Definition> ReadDefinition(const Cursor& document, Rules rules);
Json ToJson(const Definition& definition);

// Axes and inputs come out in the definition's order; an input that the
// document leaves out is random, as it is to FlashInfer-Bench.
Result<Workload> ReadWorkload(const Cursor& document,
                              const Definition& definition);
Json ToJson(const Workload& workload);

Result<Solution> ReadSolution(const Cursor& document, Rules rules);
Json ToJson(const Solution& solution);

// The `evaluation` of a trace of one workload.
Json ToJson(const WorkloadResult& result, const Evaluation& evaluation,
            const std::string& timestamp);

// Text of a document for a file (indented) or for a line of JSONL.
std::string PrettyText(const Json& document);
std::string LineText(const Json& document);

}  // namespace coppice::eval
