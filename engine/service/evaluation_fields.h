// What is answered of an evaluation: a JSON object, short enough for who reads
// it with a model.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/service/json.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice {
struct Evaluation;
struct Task;
}  // namespace coppice

namespace coppice::service {

class OperationContext;

// "verdict", "passed", "speedup", "interval", ...; a log that is longer than an
// answer may be is left in a file of `room` that begins with `name`.
std::string FieldsOf(const Task& task, const Evaluation& evaluation,
                     const OperationContext& room, const std::string& name);

// The same once the file of the log that they name is gone: naming none.
std::string WithoutLostFile(std::string fields);

// JSON Schema of their properties, without braces, for schemas of results.
const std::string& FieldsSchema();

// What such an object says, for who has it from before.
struct Known {
  Verdict verdict = Verdict::kInconclusive;
  std::optional<Speedup> speedup;
};
// None: it is no such object.
std::optional<Known> KnownOf(std::string_view fields);

// As schemas have it; null: it is not known.
Json IntervalJson(const std::optional<Speedup>& speedup);

// Whether it would be the same if it were judged again.
bool IsForGood(const Evaluation& evaluation);

}  // namespace coppice::service
