#include "engine/mcp/prompts.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "engine/mcp/clean_text.h"

namespace coppice::mcp {
namespace {

using nlohmann::ordered_json;

// To be filled in by whoever asks for the prompt.
struct Blank {
  const char* name;
  const char* description;
  const char* otherwise;  // Null: it must be given.
};

// In `text`, {task} stands for the argument.
struct Prompt {
  const char* name;
  const char* title;
  const char* description;
  std::span<const Blank> words;
  const char* text;
};

constexpr std::array kOptimiseWords = {
    Blank{"task", "A task of list_tasks, or a folder", nullptr},
    Blank{"minutes", "How long to work", "30"}};
constexpr std::array kExplainWords = {
    Blank{"campaign", "Its name, or a part of it", nullptr}};
constexpr std::array kDebugWords = {
    Blank{"node", "Its number", nullptr},
    Blank{"campaign", "Its name; by default the one that ran last", ""}};

constexpr std::array kPrompts = {
    Prompt{
        "optimise", "Make a kernel faster",
        "Works on one task until it stops getting faster.", kOptimiseWords,
        "Make the kernel of the coppice task {task} faster, within {minutes} "
        "minutes.\n"
        "1. Call describe_task for its summary, and for its parts reference "
        "and root.\n"
        "2. Say in one sentence what limits the root; profile_kernel tells.\n"
        "3. Write one candidate with one idea. Call evaluate_kernel with tier "
        "check until it computes right, then with tier fast.\n"
        "4. Keep it only if it passed and its interval lies above that of the "
        "best so far; if cannot_tell is true, it is no gain.\n"
        "5. Go on from the best. Stop when the time is over, or when five "
        "candidates in a row brought no gain.\n"
        "6. Judge the best with tier full, and report its speedup with the "
        "interval, and which ideas failed.\n"
        "A verdict other than passed is an observation: read error_head. Never "
        "tune to the workloads' values, and never skip work that the task "
        "asks for: hidden shapes are judged, too."},
    Prompt{"explain", "Explain a campaign",
           "Tells how a campaign's best kernel came to be.", kExplainWords,
           "Explain the coppice campaign {campaign}.\n"
           "1. Call status for it, then query its nodes; coppice://schema says "
           "which views there are.\n"
           "2. Follow the best node to the root by its parents; get_node with "
           "part diff shows what each step changed.\n"
           "3. Tell which changes gained how much, which failed and why, and "
           "what is still untried. Name nodes by number, and give speedups "
           "with their intervals only."},
    Prompt{"debug", "Debug a node", "Finds out why a node did not pass.",
           kDebugWords,
           "Find out why node {node} of the coppice campaign {campaign} did "
           "not pass (without a campaign's name: of the one that ran last).\n"
           "1. Call get_node for its parts summary, log, source and diff.\n"
           "2. Name the line that is wrong and say why.\n"
           "3. Write the smallest repair, and call evaluate_kernel with tier "
           "check; with sanitize_kernel if it crashes or its answers change "
           "from run to run.\n"
           "4. Report the repair as a diff."}};

using Values = std::map<std::string, std::string, std::less<>>;

// Fills the marks in one pass, so that what a value says is no mark.
std::string Filled(std::string_view text, const Values& values) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('{'), text.size());
    filled += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const std::size_t end = text.find('}');
    filled += values.find(text.substr(1, end - 1))->second;
    text.remove_prefix(end + 1);
  }
  return filled;
}

}  // namespace

ordered_json PromptList() {
  ordered_json prompts = ordered_json::array();
  for (const Prompt& prompt : kPrompts) {
    ordered_json words = ordered_json::array();
    for (const Blank& word : prompt.words) {
      words.push_back({{"name", word.name},
                       {"description", word.description},
                       {"required", word.otherwise == nullptr}});
    }
    prompts.push_back({{"name", prompt.name},
                       {"title", prompt.title},
                       {"description", prompt.description},
                       {"arguments", std::move(words)}});
  }
  return {{"prompts", std::move(prompts)}};
}

Result<ordered_json> GetPrompt(
    std::string_view name,
    const std::map<std::string, std::string, std::less<>>& arguments) {
  const auto found = std::ranges::find_if(
      kPrompts, [&](const Prompt& prompt) { return prompt.name == name; });
  if (found == kPrompts.end()) {
    return Fail(Errc::kNotFound, "no prompt '" + Cleaned(name) +
                                     "'; there are optimise, explain, debug");
  }
  Values values;
  std::string wrong;
  for (const Blank& word : found->words) {
    const auto given = arguments.find(word.name);
    if (given == arguments.end() && word.otherwise == nullptr) {
      wrong +=
          (wrong.empty() ? "" : "; ") + std::string(word.name) + ": is missing";
      continue;
    }
    values[word.name] = given == arguments.end() ? std::string(word.otherwise)
                                                 : Cleaned(given->second);
  }
  if (!wrong.empty()) return Fail(Errc::kUsage, wrong);
  ordered_json messages = ordered_json::array();
  messages.push_back(
      {{"role", "user"},
       {"content", {{"type", "text"}, {"text", Filled(found->text, values)}}}});
  return ordered_json{{"description", found->description},
                      {"messages", std::move(messages)}};
}

}  // namespace coppice::mcp
