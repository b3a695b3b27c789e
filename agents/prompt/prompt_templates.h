// Renders a PromptContext to the prompt of its role from the templates in
// data/prompts (structure of STARK's figures 4 to 10, wording our own).
//
// A template is a text with placeholders {{name}}; those that each one may use
// are listed in prompt_templates.cc.  What stays the same within a campaign
// comes first (task, machine, root), so that providers can cache it: then the
// latest attempt, the history, and the role's instruction, which demands the
// answer format of agents/prompt/grounded_instructions.h.
//
// What each part may have is in agents/prompt/prompt_limits.h.  Whatever code a
// template shows is held to be right by tests/prompt_examples_test.cc.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "agents/prompt/prompt.h"
#include "store/records/result.h"

namespace coppice::agents {

struct PromptContext;
struct PromptLimits;

class PromptTemplates {
 public:
  // Reads every template of `directory`; one that is missing there is that of
  // `otherwise`.  A template that is missing or that nobody reads, and an
  // unknown placeholder in one, is an error that names file, line and
  // placeholder.  `set` says whose they are.
  //
  // With "history" it is of the form of v1: an example of the root's kind comes
  // first, attempts of the window stand one after the other with their whole
  // sources, and there is nothing of others.
  static Result<PromptTemplates> Load(
      const std::filesystem::path& directory, std::string set = "coppice",
      const std::filesystem::path& otherwise = {});

  const std::string& set() const { return set_; }

  // Deterministic: equal situations give equal bytes.  A code agent without a
  // plan works alone: it plans, codes and repairs in one call.  REQUIRES: the
  // context has a task.
  Prompt Render(const PromptContext& context) const;
  // By other limits than those of its form.
  Prompt Render(const PromptContext& context, const PromptLimits& limits) const;

  // Asks again what `asked` did, whose answer could not be used: shows the
  // answer and what is wrong with it, in the words of
  // agents/prompt/grounded_instructions.h.
  Prompt RenderRepair(const Prompt& asked, std::string_view answer,
                      std::string_view fault) const;

  // The templates of a prompt as one text, to be hashed and kept beside it:
  // "==== NAME.txt", a line break and the file, by name.
  std::string TextsOf(const TemplateNames& names) const;

 private:
  std::string set_;
  std::map<std::string, std::string> texts_;  // By file stem.
};

}  // namespace coppice::agents
