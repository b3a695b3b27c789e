// Answers as JSON, for models that can be held to a schema: an answer then
// always parses.  They become the text that
// agents/prompt/grounded_instructions.h reads, so that there is one grammar of
// answers behind this.
#pragma once

#include <string>
#include <string_view>

#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::agents {

// A JSON Schema, strict in OpenAI's sense: {"advice", "technique", "source"} of
// a plan, {"source"} of code.
std::string_view AnswerSchema(Role role);

// What a prompt must say beside it, since it asks for a fenced block.
std::string_view StructuredInstruction();

// "Technique: ...", the advice, and the source in a fence that is longer than
// any within it; of a source that has a fence already, what is in that.
// kCorrupt if it is no JSON after the schema.
Result<std::string> ProseOfStructured(Role role, std::string_view json);

}  // namespace coppice::agents
