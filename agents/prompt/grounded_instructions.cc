#include "agents/prompt/grounded_instructions.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "agents/prompt/code_fences.h"
#include "agents/prompt/source_lines.h"
#include "store/records/utf8.h"

namespace coppice::agents {
namespace {

constexpr std::size_t kLongestTechnique = 64;  // Bytes.

std::string UnixLines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kBlanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlanks) + 1 - from);
}

// An answer that wraps its whole text in a block begins that block with the
// fence of the real one.
std::string WithoutLeadingFence(std::string content) {
  if (content.starts_with("```")) content.erase(0, content.find('\n') + 1);
  return content;
}

// The blocks that may hold the source.  An unclosed last one with nothing in it
// is a stray fence.
Result<std::vector<FencedBlock>> SourceBlocks(std::string_view answer,
                                              std::string_view expected) {
  const std::string what(expected);
  std::vector<FencedBlock> blocks = FindFencedBlocks(answer);
  if (!blocks.empty() && !blocks.back().closed &&
      Trim(blocks.back().content).empty()) {
    blocks.pop_back();
  }
  if (blocks.empty()) {
    return Fail(Errc::kCorrupt,
                "the answer has no code block; end it with " + what);
  }
  if (!blocks.back().closed) {
    return Fail(Errc::kCorrupt, "the code block that opens on line " +
                                    std::to_string(blocks.back().line) +
                                    " is never closed; end the answer with " +
                                    what);
  }
  for (FencedBlock& block : blocks) {
    block.content = WithoutLeadingFence(std::move(block.content));
  }
  return blocks;
}

// Without the marks that Markdown puts around a text.
std::string_view Undecorated(std::string_view text) {
  constexpr std::string_view kMarks = "*`_#- \t";
  const auto first = text.find_first_not_of(kMarks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kMarks) - first + 1);
}

// The label if the line is `Technique: <label>`, perhaps in bold or a list.
std::string TechniqueOf(std::string_view line) {
  const std::string_view text = Undecorated(line);
  constexpr std::string_view kKey = "technique:";
  const bool named =
      std::ranges::equal(text.substr(0, kKey.size()), kKey, {}, [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      });
  if (!named) return {};
  const std::string_view label = Undecorated(text.substr(kKey.size()));
  return std::string(
      label.substr(0, WholeCharacters(label, kLongestTechnique)));
}

// Splits the words of a plan into its technique and the rest.
void ReadProse(std::string_view prose, Plan& plan) {
  // Models that think aloud close this tag before they answer.
  constexpr std::string_view kThought = "</think>";
  if (const std::size_t end = prose.rfind(kThought);
      end != std::string_view::npos) {
    prose.remove_prefix(end + kThought.size());
  }
  std::string advice;
  for (std::size_t at = 0; at < prose.size();) {
    const std::size_t end = std::min(prose.find('\n', at), prose.size());
    const std::string_view line = prose.substr(at, end - at);
    std::string technique =
        plan.technique.empty() ? TechniqueOf(line) : std::string();
    if (technique.empty()) {
      advice += line;
      advice += '\n';
    } else {
      plan.technique = std::move(technique);
    }
    at = end + 1;
  }
  plan.advice = Trim(advice);
}

// True if `line` is `parent` with at most a comment put after it.
bool SameCode(std::string_view line, std::string_view parent, bool in_span) {
  if (line == parent) return true;
  return in_span && !parent.empty() && line.starts_with(parent) &&
         OnlyComment(line.substr(parent.size()));
}

bool IsGrounded(const AnchoredSource& plan, std::string_view parent_source) {
  if (plan.source == parent_source) return true;
  const std::vector<SourceLine> lines = SplitLines(plan.source);
  const std::vector<SourceLine> parent = SplitLines(parent_source);
  std::size_t matched = 0;
  auto span = plan.spans.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int line = static_cast<int>(i);
    while (span != plan.spans.end() && span->end <= line) ++span;
    const bool in_span = span != plan.spans.end() && span->begin <= line;
    if (matched < parent.size() &&
        SameCode(lines[i].text, parent[matched].text, in_span)) {
      ++matched;
    } else if (!in_span || lines[i].code) {
      return false;
    }
  }
  return matched == parent.size();
}

// A source that comes with it all the same, as in an answer by a schema, says
// nothing.
Result<Plan> ReadWords(std::string_view text, std::string_view parent_source) {
  const std::vector<FencedBlock> blocks = FindFencedBlocks(text);
  Plan plan;
  ReadProse(text.substr(0, blocks.empty() ? text.npos : blocks.back().offset),
            plan);
  plan.annotated_source = parent_source;
  if (!plan.advice.empty()) return plan;
  return Fail(Errc::kCorrupt, "the answer holds no advice in words");
}

}  // namespace

Result<Plan> ParsePlanAnswer(std::string_view answer,
                             std::string_view parent_source,
                             Grounding grounding) {
  const std::string text = UnixLines(answer);
  if (grounding == Grounding::kOff) return ReadWords(text, parent_source);
  TRY(blocks,
      SourceBlocks(text,
                   "the whole given source, its lines to change between "
                   "comments `<<<IMPROVE BEGIN>>>` and `<<<IMPROVE END>>>`, in "
                   "one fenced code block"));
  const auto anchored = std::find_if(
      blocks.rbegin(), blocks.rend(), [](const FencedBlock& block) {
        return block.content.find("<<<IMPROVE ") != std::string::npos;
      });
  FencedBlock& block = anchored == blocks.rend() ? blocks.back() : *anchored;
  TRY(parsed, ParseAnchors(block.content));
  Plan plan;
  ReadProse(std::string_view(text).substr(0, block.offset), plan);
  plan.anchors = static_cast<int>(parsed.spans.size());
  plan.grounded = IsGrounded(parsed, UnixLines(parent_source));
  plan.annotated_source = std::move(block.content);
  if (grounding == Grounding::kRequired && !plan.grounded) {
    return Fail(Errc::kCorrupt,
                "the code block differs from the latest attempt outside of the "
                "marked spans; copy the source exactly, but for the marks and "
                "for comments within them");
  }
  return plan;
}

Result<std::string> ParseCodeAnswer(std::string_view answer) {
  constexpr std::string_view kExpected =
      "the whole new source in one fenced code block";
  const std::string text = UnixLines(answer);
  TRY(blocks, SourceBlocks(text, kExpected));
  std::string source = WithoutAnchors(blocks.back().content);
  if (Trim(source).empty()) {
    return Fail(Errc::kCorrupt,
                "the last code block is empty; end the answer with " +
                    std::string(kExpected));
  }
  return source;
}

}  // namespace coppice::agents
