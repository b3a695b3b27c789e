// The documents of FlashInfer-Bench as JSON, each both ways.  Readers check
// all that its own parser and validator check, except that Python is not
// parsed (torch/definition_syntax.h asks an interpreter): a reference needs a
// line that begins `def run(`.  They refuse one
// thing that it takes: an untyped axis or input with a bad value, which it
// silently reads as variable or random.  Errors name file, place and what is
// wrong with it.
#pragma once

#include <string>
#include <string_view>

#include "eval/formats/json_cursor.h"
#include "eval/formats/trace.h"
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

// How documents of ours name it.
std::string_view Name(Draw draw);

// What their parser takes: names and sizes are not held to a definition.
Result<Workload> ReadWorkload(const Cursor& document);

// What their validator takes.  Axes and inputs come out in the definition's
// order; an input that the document leaves out is random, as it is to
// FlashInfer-Bench.
Result<Workload> ReadWorkload(const Cursor& document,
                              const Definition& definition);
Json ToJson(const Workload& workload);

Result<Solution> ReadSolution(const Cursor& document, Rules rules);
Json ToJson(const Solution& solution);

Result<Trace> ReadTrace(const Cursor& document);
Json ToJson(const Trace& trace);  // With all fields, as in their JSONL.

// What FlashInfer-Bench writes of a document that it has read: fields in the
// order of its models, only those that were there, integers as such.
// REQUIRES: the reader above took it.
Json CanonicalDefinition(const Json& definition);
Json CanonicalSolution(const Json& solution);

// Text in its very bytes, without a newline at the end.  Its files are indented
// by 2, its lines (JSONL) not at all.
std::string DocumentText(const Json& document, int indent = -1);

// Those that JSON lacks are the strings "NaN", "Infinity" and "-Infinity".
Json NumberJson(double value);

// Text of a task's parts as data/ has them: indented, with a newline.
std::string PrettyText(const Json& document);

}  // namespace coppice::eval
