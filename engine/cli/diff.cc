// coppice diff: what the sources of two nodes do not share, and which is
// faster; or what their agents were told that others were not.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/diff_text.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/prompt_text.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/interrupts.h"
#include "engine/process/terminal_text.h"
#include "eval/judge/evaluator.h"
#include "store/database.h"
#include "store/records/node.h"
#include "store/records/tier.h"
#include "store/records/unified_diff.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::cli {
namespace {

std::string Label(const NodeRecord& node) {
  std::string label =
      NodeText(node.id) + " (" + std::string(Name(node.worth.verdict));
  if (node.plan && !node.plan->technique.empty()) {
    label += ", " + engine::Shorten(node.plan->technique, 40);
  }
  return label + ")";
}

Result<NodeRecord> Load(store::Database& database,
                        const store::CampaignRow& campaign,
                        const std::string& word) {
  TRY(id, ChooseNode(database, campaign, word));
  TRY(node, store::Nodes(database).Load(campaign.id, id));
  if (!node.candidate) return tl::unexpected<Error>(NoSource(campaign, id));
  return node;
}

// None unless both passed, as two kernels.
std::optional<Speedup> CompareStored(const NodeRecord& a, const NodeRecord& b) {
  if (!a.worth.speedup || !b.worth.speedup) return std::nullopt;
  if (a.same_as.value_or(a.id) == b.same_as.value_or(b.id)) return std::nullopt;
  return Over(*b.worth.speedup, *a.worth.speedup);
}

// B with A in the place of the root: both in one session, in turn.
Result<std::optional<Speedup>> Measure(const Invocation& invocation,
                                       const store::CampaignRow& campaign,
                                       const NodeRecord& a,
                                       const NodeRecord& b) {
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  TRY(task, factory->TaskOf(campaign.spec));
  task.root.sources = {{task.root.entry_file, a.candidate->source}};
  TRY(evaluator, factory->EvaluatorFor(task));
  TRY(evaluation, evaluator->Evaluate(task, *b.candidate, Tier::kFull));
  if (!evaluation.speedup) {
    return Fail(Errc::kUsage, Label(b) + ": does not pass again (" +
                                  std::string(Name(evaluation.verdict)) +
                                  "): " + evaluation.log);
  }
  return evaluation.speedup;
}

Result<Exit> RunDiff(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("prompts")) return DiffPrompts(invocation, streams);
  TRY_DONE(invocation.MustNotHave({"role"}, "goes with --prompts"));
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  TRY(a, Load(database, campaign, invocation.arguments[0]));
  TRY(b, Load(database, campaign, invocation.arguments[1]));
  const std::string diff = UnifiedDiff(
      {Label(a), a.candidate->source}, {Label(b), b.candidate->source},
      static_cast<std::size_t>(invocation.Count("context").value_or(3)));
  std::optional<Speedup> comparison = CompareStored(a, b);
  if (invocation.Has("measure")) {
    TRY_ASSIGN(comparison, Measure(invocation, campaign, a, b));
  }
  if (invocation.Has("json")) {
    const auto json = [](const Speedup& one) { return ComparisonJson(one); };
    PrintDocument({{"a", Index(a.id)},
                   {"b", Index(b.id)},
                   {"b_over_a", OrNull(comparison, json)},
                   {"diff", diff}},
                  streams.out);
    return Exit::kDone;
  }
  PrintDiff(diff, streams);
  if (diff.empty()) streams.err << "the sources are equal\n";
  if (comparison) {
    streams.err << NodeText(b.id) << " against " << NodeText(a.id)
                << (invocation.Has("measure") ? ", in turn: " : ": ")
                << Describe(*comparison) << "\n";
  }
  return Exit::kDone;
}

}  // namespace

Verb DiffVerb() {
  return {
      .name = "diff",
      .summary = "what two nodes do not share, and whether B is faster",
      .arguments = "A B",
      .examples =
          "  coppice diff root best\n"
          "  coppice diff 3 17 --context 10\n"
          "  coppice diff 3 17 --measure\n"
          "  coppice diff 3 17 --prompts --role code\n",
      .options = {kCampaignOption,
                  {"prompts", Takes::kNothing, "",
                   "what their agents were told, instead; A and B may be "
                   "calls, by uuid"},
                  kRoleOption,
                  {"context", Takes::kCount, "N", "unchanged lines around (3)"},
                  {"measure", Takes::kNothing, "",
                   "now, one against the other in one session"},
                  kJsonOption},
      .settings =
          config::NamesIn({config::Group::kDatabase, config::Group::kThreads,
                           config::Group::kTimeouts, config::Group::kDevices,
                           config::Group::kData, config::Group::kCache}),
      .run = RunDiff,
  };
}

}  // namespace coppice::cli
