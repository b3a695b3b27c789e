// The verbs, in the order that help shows them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/documents/verb.h"

namespace coppice::cli {

struct VerbGroup {
  std::string_view title;
  std::vector<Verb> verbs;
};

const std::vector<VerbGroup>& VerbGroups();
std::vector<const Verb*> Verbs();  // Those of all groups.

const Verb* FindVerb(std::string_view name);  // Null if there is none.
// Finds an action by its last word, "doctor" of `db`.
const Verb* FindAction(const Verb& verb, std::string_view word);

// What was a verb once still is one: the words that stand for it now.
struct OldVerb {
  std::string_view name;
  std::vector<std::string> now;  // {"db", "doctor"}
};
std::span<const OldVerb> OldVerbs();
// The one that `words` begin with.  Null if there is none, or its name is that
// of a verb now, and the next word one of its actions or for help.
const OldVerb* FindOldVerb(const std::vector<std::string>& words);

Verb AskVerb();
Verb BenchVerb();
Verb BestVerb();
Verb CompareVerb();
Verb CompletionVerb();
Verb ConfigVerb();
Verb DbVerb();
Verb DiffVerb();
Verb EvalVerb();
Verb ExportVerb();
Verb ImportVerb();
Verb LessonsVerb();
Verb McpVerb();
Verb NewVerb();
Verb PromptVerb();
Verb ReplayVerb();
Verb ReportVerb();
Verb ResumeVerb();
Verb RunVerb();
Verb ServeVerb();
Verb SetupAgentVerb();
Verb ShowVerb();
Verb SpendVerb();
Verb SqlVerb();
Verb StatusVerb();
Verb SteerVerb();
Verb TicketVerb();
Verb SubmitVerb();
Verb TaskVerb();
Verb TreeVerb();
Verb TuneVerb();
Verb VerifyVerb();
Verb WatchVerb();

// Actions with files of their own.
Verb FitAction();     // Of `task`.
Verb ModelsAction();  // Of `report`.
Verb NoiseAction();   // Of `task`.
Verb SpendAction();   // Of `report`.

// What verbs do that have files for it.

// `db doctor --machine`: what this machine has, and what it lacks. kUnavailable
// if no campaign can run here, not even on the processor.
Result<Exit> LookAtMachine(const Invocation& invocation, Streams& streams);

// `export report`: a page that tells of a campaign.
Result<Exit> ExportReport(const Invocation& invocation, Streams& streams);

// `new policy FILE`: a policy in Python to begin with.  kUsage: there is no
// FILE.py, or it is there already.
Result<Exit> WriteNewPolicy(const Invocation& invocation, Streams& streams);

// `diff --prompts`: what two agents of a role were told, and what of it
// differs: the model, its sampling, the templates, the window, the prompts.  It
// compares the calls that made two nodes, role by role: the last call of each
// role that both have, or of the one that --role names.  A call may be named
// itself, by its uuid, and be of another campaign.
Result<Exit> DiffPrompts(const Invocation& invocation, Streams& streams);

// `eval TASK FILE --profile`: what it asks of the machine; and --sanitize: what
// sanitizers find in it.  REQUIRES: both arguments.
Result<Exit> ProfileKernel(const Invocation& invocation, Streams& streams);
Result<Exit> SanitizeKernel(const Invocation& invocation, Streams& streams);

// `compare [FILE] --in-memory`: thousands of campaigns on landscapes, of which
// a file keeps the scores; and whether settings.db holds such.
Result<Exit> CompareInMemory(const Invocation& invocation, Streams& streams);
bool HoldsScoresInMemory(const Invocation& invocation);

}  // namespace coppice::cli
