// coppice show: everything about one node.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/portrait.h"
#include "engine/cli/portrait_json.h"
#include "engine/cli/prompt_text.h"
#include "engine/cli/show_prompts.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "eval/formats/trace_set.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/read/node_decision.h"
#include "store/records/node.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::cli {
namespace {

Result<Exit> RunShow(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  TRY(id, ChooseNode(database, campaign, invocation.arguments.front()));
  if (invocation.Has("prompts")) {
    TRY_DONE(invocation.MustNotHave({"source"}, "does not go with --prompts"));
    return ShowPrompts(invocation, database, campaign, id, streams);
  }
  TRY_DONE(invocation.MustNotHave({"role"}, "goes with --prompts"));
  TRY(node, store::Nodes(database).Load(campaign.id, id));
  if (invocation.Has("source")) {
    if (!node.candidate) return tl::unexpected<Error>(NoSource(campaign, id));
    const std::string& source = node.candidate->source;
    if (invocation.Has("json")) {
      PrintDocument({{"node", Index(id)}, {"source", source}}, streams.out);
    } else {
      streams.out << source;
    }
    return Exit::kDone;
  }
  TRY(decision, store::ReadDecision(database, campaign.id, id));
  TRY(evaluations, store::ReadEvaluations(database, campaign.id, id));
  TRY(lineage, store::ReadLineage(database, campaign.id, id));
  const Portrait portrait{std::move(node), std::move(decision),
                          std::move(evaluations),
                          lineage.back().line.is_quarantined};
  if (invocation.Has("json")) {
    PrintDocument(PortraitJson(portrait), streams.out);
  } else {
    const auto task = eval::ParseTask(campaign.spec.task_json);
    PrintPortrait(portrait, campaign,
                  task ? task->protocol : Protocol::kCoppice, streams);
  }
  return Exit::kDone;
}

}  // namespace

Verb ShowVerb() {
  return {
      .name = "show",
      .summary = "everything about a node: a number, root or best",
      .arguments = "NODE",
      .examples =
          "  coppice show best\n"
          "  coppice show 17 --source > kernel.cc\n"
          "  coppice show 17 --prompts   # what its agents were asked\n",
      .options = {kCampaignOption,
                  {"source", Takes::kNothing, "", "its source and no more"},
                  {"prompts", Takes::kNothing, "",
                   "what the agents were asked that made it"},
                  kRoleOption,
                  kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunShow,
  };
}

}  // namespace coppice::cli
