#include "engine/cli/verbs.h"

#include <algorithm>

namespace coppice::cli {

const std::vector<VerbGroup>& VerbGroups() {
  static const std::vector<VerbGroup> kGroups = {
      {"search",
       {RunVerb(), ResumeVerb(), SteerVerb(), TicketVerb(), BenchVerb(),
        CompareVerb()}},
      {"judge",
       {EvalVerb(), SubmitVerb(), NewVerb(), TuneVerb(), TaskVerb(),
        VerifyVerb()}},
      {"look",
       {StatusVerb(), WatchVerb(), BestVerb(), TreeVerb(), ShowVerb(),
        DiffVerb(), PromptVerb(), ReplayVerb(), ServeVerb()}},
      {"history",
       {AskVerb(), SqlVerb(), ReportVerb(), ExportVerb(), ImportVerb(),
        LessonsVerb()}},
      {"agents", {McpVerb(), SetupAgentVerb()}},
      {"keep", {DbVerb(), SpendVerb(), ConfigVerb(), CompletionVerb()}},
  };
  return kGroups;
}

std::vector<const Verb*> Verbs() {
  std::vector<const Verb*> verbs;
  for (const VerbGroup& group : VerbGroups()) {
    for (const Verb& verb : group.verbs) verbs.push_back(&verb);
  }
  return verbs;
}

const Verb* FindVerb(std::string_view name) {
  const std::vector<const Verb*> verbs = Verbs();
  const auto found = std::ranges::find(verbs, name, &Verb::name);
  return found == verbs.end() ? nullptr : *found;
}

const Verb* FindAction(const Verb& verb, std::string_view word) {
  const auto found = std::ranges::find_if(
      verb.actions,
      [&](const Verb& action) { return LastWord(action.name) == word; });
  return found == verb.actions.end() ? nullptr : &*found;
}

bool NamesDatabase(const Verb& verb) {
  return verb.arguments == "[FILE]" || verb.arguments == "[DB]";
}

std::string_view LastWord(std::string_view name) {
  return name.substr(name.rfind(' ') + 1);  // All of it, if it has but one.
}

std::span<const OldVerb> OldVerbs() {
  static const std::vector<OldVerb> kOld = {
      {"profile", {"eval", "--profile"}},
      {"sanitize", {"eval", "--sanitize"}},
      {"noise", {"task", "noise"}},
      {"spend", {"report", "spend"}},
      {"doctor", {"db", "doctor"}},
      {"backup", {"db", "backup"}},
      {"compact", {"db", "compact"}},
      {"fingerprint", {"db", "fingerprint"}},
      {"list", {"task", "list"}},
  };
  return kOld;
}

const OldVerb* FindOldVerb(const std::vector<std::string>& words) {
  const auto old = OldVerbs();
  const auto found = std::ranges::find(old, words.front(), &OldVerb::name);
  if (found == old.end()) return nullptr;
  const Verb* now = FindVerb(words.front());
  const bool is_of_now =
      now != nullptr && words.size() > 1 &&
      (words[1] == "--help" || words[1] == "-h" || FindAction(*now, words[1]));
  return is_of_now ? nullptr : &*found;
}

}  // namespace coppice::cli
