#include "agents/prompt/structured.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "agents/prompt/code_fences.h"
#include "agents/prompt/reply_json.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

constexpr std::string_view kPlanSchema =
    R"({"type":"object","properties":{"technique":{"type":"string"},)"
    R"("advice":{"type":"string"},"source":{"type":"string"}},)"
    R"("required":["technique","advice","source"],)"
    R"("additionalProperties":false})";
constexpr std::string_view kCodeSchema =
    R"({"type":"object","properties":{"source":{"type":"string"}},)"
    R"("required":["source"],"additionalProperties":false})";

// Three backticks, or one more than the longest run in `source`.
std::string FenceFor(std::string_view source) {
  std::size_t longest = 2, run = 0;
  for (const char c : source) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

// Nothing in it can be taken for the fence of the source.
std::string WithoutFences(std::string text) {
  std::ranges::replace(text, '`', '\'');
  std::ranges::replace(text, '~', '-');
  return text;
}

// The code of a "source", which may stand in a fence for all that was said.
std::string CodeOf(const json* source) {
  std::string code = TextOf(source);
  std::erase(code, '\r');
  while (true) {
    const std::size_t first = code.find_first_not_of(" \t\n");
    if (first == std::string::npos) return "";
    std::vector<FencedBlock> blocks = FindFencedBlocks(code);
    if (blocks.empty() || blocks.front().offset > first) return code;
    code = std::move(blocks.front().content);
  }
}

}  // namespace

std::string_view AnswerSchema(Role role) {
  return role == Role::kPlan ? kPlanSchema : kCodeSchema;
}

std::string_view StructuredInstruction() {
  return "\n\nGive the answer as one JSON object: what was asked for in a "
         "fenced code block is the value of \"source\", without the fence.";
}

Result<std::string> ProseOfStructured(Role role, std::string_view text) {
  const json answer = ParseReply(text);
  const json* source = Member(&answer, "source");
  const std::string code = CodeOf(source);
  // A plan may be words alone.
  const bool is_words = role == Role::kPlan && source != nullptr;
  if (code.empty() && !is_words) {
    return Fail(Errc::kCorrupt,
                "the answer is no JSON object with a \"source\"");
  }
  std::string prose;
  if (role == Role::kPlan) {
    std::string technique = WithoutFences(TextOf(Member(&answer, "technique")));
    std::ranges::replace(technique, '\n', ' ');
    std::ranges::replace(technique, '\r', ' ');
    if (!technique.empty()) prose += "Technique: " + technique + "\n\n";
    const std::string advice = WithoutFences(TextOf(Member(&answer, "advice")));
    if (!advice.empty()) prose += advice + "\n\n";
  }
  const std::string fence = FenceFor(code);
  prose += fence + "\n" + code;
  if (!code.ends_with('\n')) prose += '\n';
  return prose + fence + "\n";
}

}  // namespace coppice::agents
