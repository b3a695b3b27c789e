// coppice prompt NODE: what an agent would be asked if the next attempt were
// on that node.
#include "agents/prompt/prompt.h"

#include <nlohmann/json.hpp>

#include "config/keys.h"
#include "engine/campaign/prompt_inputs.h"
#include "engine/cli/next_prompt.h"
#include "engine/cli/prompt_text.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "store/database.h"
#include "store/records/model_call.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

Result<Exit> RunPrompt(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  TRY(id, ChooseNode(database, campaign, invocation.arguments.front()));
  TRY(next, PromptOn(invocation, database, campaign, id));
  const agents::Prompt& prompt = next.prompt;
  if (!invocation.Has("json")) {
    PrintPrompt(next.role, prompt.system, prompt.user, streams);
    return Exit::kDone;
  }
  PrintDocument({{"role", Name(next.role)},
                 {"node", Index(id)},
                 {"decision", campaign.attempts},
                 {"window", WindowJson(next.inputs.window.shown)},
                 {"nodes_cut", next.inputs.window.NodesCut()},
                 {"system", prompt.system},
                 {"user", prompt.user},
                 {"stable_bytes", prompt.stable_bytes}},
                streams.out);
  return Exit::kDone;
}

}  // namespace

Verb PromptVerb() {
  return {
      .name = "prompt",
      .summary = "what an agent would be asked about a node now",
      .arguments = "NODE",
      .examples =
          "  coppice prompt best\n"
          "  coppice prompt 3 --role code --plan-of 7\n"
          "  coppice show 7 --prompts --role plan   # what it was asked "
          "then\n",
      .options = {kCampaignOption,
                  kRoleOption,
                  {"plan-of", Takes::kText, "NODE",
                   "a child whose plan the code agent shall realise; default: "
                   "the last"},
                  kJsonOption},
      .settings =
          config::NamesIn({config::Group::kDatabase, config::Group::kPrompts,
                           config::Group::kThreads, config::Group::kData}),
      .run = RunPrompt,
  };
}

}  // namespace coppice::cli
