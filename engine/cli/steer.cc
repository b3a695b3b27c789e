// coppice steer: what a person asks of a campaign, whether or not it runs.

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/process_lock.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/prompt_text.h"
#include "engine/cli/user_name.h"
#include "engine/cli/verbs.h"
#include "engine/documents/input.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/process/clock.h"
#include "engine/steering/directive_text.h"
#include "search/policy.h"
#include "store/records/model_call.h"
#include "store/records/parse_number.h"
#include "store/write/campaigns.h"
#include "store/write/directives.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Option kFromOption{"from", Takes::kCount, "DECISION",
                             "not before this one; by default the next"};
constexpr Option kNodeOption{"node", Takes::kText, "NODE",
                             "only for attempts on it and on what is below"};
constexpr Option kRoleOption{"role", Takes::kText, "plan|code|debug",
                             "only for the agent of this role"};

Result<double> NumberIn(const std::string& word) {
  if (const auto number = ParseNumber<double>(word)) return *number;
  return Fail(Errc::kUsage, "'" + word + "' is no number");
}

Result<DirectiveId> DirectiveIn(const std::string& word) {
  const auto number = ParseNumber<std::int64_t>(word);
  if (number && *number > 0) return DirectiveId{*number};
  return Fail(Errc::kUsage, "'" + word +
                                "' is no directive: `coppice steer list` has "
                                "their numbers");
}

// A database, and the campaign in it that is steered.
struct Helm {
  store::Database database;
  store::CampaignRow campaign;
};

Result<Helm> TakeHelm(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToWrite(invocation, store::Access::kReadWrite));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  return Helm{std::move(database), std::move(campaign)};
}

Directive Blank(DirectiveKind kind, const Invocation& invocation) {
  const engine::SystemClock clock;
  Directive directive;
  directive.uuid = engine::FreshUuid(clock);
  directive.at_s = clock.UnixSeconds();
  directive.author = UserName();
  directive.kind = kind;
  directive.not_before = invocation.Count("from").value_or(0);
  directive.role = RoleOf(invocation);
  return directive;
}

// When what was asked will hold.
Result<std::string> When(const Helm& helm, const Invocation& invocation,
                         const Directive& directive) {
  if (!Steers(directive.kind)) return std::string("noted");
  TRY(is_run, engine::ProcessLock::IsAnyone(invocation.settings().db,
                                            helm.campaign.id));
  std::string when = "takes effect ";
  when += directive.not_before > helm.campaign.attempts
              ? "at decision " + std::to_string(directive.not_before)
              : "at the next decision";
  if (!is_run) when += ", when the campaign is resumed";
  return when;
}

Result<Exit> Append(Helm& helm, const Invocation& invocation,
                    const Directive& directive, Streams& streams) {
  TRY_DONE(engine::CheckSaid(directive));
  TRY(appended,
      store::AppendDirective(helm.database, helm.campaign.id, directive));
  TRY(when, When(helm, invocation, directive));
  streams.out << Printable("directive " + std::to_string(Index(appended.id)) +
                           ", " + DirectiveText(directive) + ": " + when)
              << "\n";
  return Exit::kDone;
}

// TEXT, or ASPECT TEXT, of the campaign or of what is below --node.
Result<Exit> Say(DirectiveKind kind, const Invocation& invocation,
                 Streams& streams) {
  TRY(helm, TakeHelm(invocation, streams));
  Directive directive = Blank(kind, invocation);
  directive.text = invocation.arguments.back();
  if (invocation.arguments.size() > 1) {
    directive.aspect = invocation.arguments.front();
  }
  if (const auto node = invocation.Text("node")) {
    TRY_ASSIGN(directive.node, ChooseNode(helm.database, helm.campaign, *node));
  }
  return Append(helm, invocation, directive, streams);
}

Result<Exit> OnNode(DirectiveKind kind, const Invocation& invocation,
                    Streams& streams) {
  TRY(helm, TakeHelm(invocation, streams));
  Directive directive = Blank(kind, invocation);
  TRY_ASSIGN(directive.node, ChooseNode(helm.database, helm.campaign,
                                        invocation.arguments.front()));
  if (kind == DirectiveKind::kBoost) {
    TRY_ASSIGN(directive.amount, NumberIn(invocation.arguments[1]));
  }
  if (kind == DirectiveKind::kInsert) {
    const std::string& file = invocation.arguments[1];
    TRY_ASSIGN(directive.text, file == "-"
                                   ? ReadAll(streams.in, "standard input")
                                   : ReadFile(file));
  }
  return Append(helm, invocation, directive, streams);
}

Result<Exit> OnCampaign(DirectiveKind kind, const Invocation& invocation,
                        Streams& streams) {
  TRY(helm, TakeHelm(invocation, streams));
  return Append(helm, invocation, Blank(kind, invocation), streams);
}

// NUMBER, or LIMIT NUMBER.
Result<Exit> Allow(DirectiveKind kind, const Invocation& invocation,
                   Streams& streams) {
  TRY(amount, NumberIn(invocation.arguments.back()));
  TRY(helm, TakeHelm(invocation, streams));
  Directive directive = Blank(kind, invocation);
  directive.amount = amount;
  if (invocation.arguments.size() > 1) {
    directive.aspect = invocation.arguments.front();
  }
  return Append(helm, invocation, directive, streams);
}

// An action that is told by its kind.
template <auto kAct, DirectiveKind kKind>
Result<Exit> By(const Invocation& invocation, Streams& streams) {
  return kAct(kKind, invocation, streams);
}

Result<Exit> SteerPolicy(const Invocation& invocation, Streams& streams) {
  TRY(policy, search::MakePolicy(invocation.arguments.front()));
  TRY(helm, TakeHelm(invocation, streams));
  Directive directive = Blank(DirectiveKind::kPolicy, invocation);
  directive.text = policy->Name();
  return Append(helm, invocation, directive, streams);
}

// What waits is taken back; what holds is lifted by another.
Result<Exit> SteerWithdraw(const Invocation& invocation, Streams& streams) {
  TRY(id, DirectiveIn(invocation.arguments.front()));
  TRY(helm, TakeHelm(invocation, streams));
  TRY(directives, store::ReadDirectives(helm.database, helm.campaign.id));
  const auto found = std::ranges::find(directives, id, &Directive::id);
  if (found == directives.end()) {
    return Fail(Errc::kUsage, helm.campaign.spec.name + ": no directive " +
                                  std::to_string(Index(id)));
  }
  if (found->outcome == DirectiveOutcome::kApplied && Steers(found->kind)) {
    Directive lift = Blank(DirectiveKind::kLift, invocation);
    lift.target = id;
    return Append(helm, invocation, lift, streams);
  }
  TRY_DONE(store::WithdrawDirective(helm.database, helm.campaign.id, id));
  streams.out << "directive " << Index(id) << " is withdrawn\n";
  return Exit::kDone;
}

// "since decision 12", "waits for decision 40", ...
std::string StateText(const Directive& directive) {
  switch (directive.outcome) {
    case DirectiveOutcome::kPending:
      return directive.not_before > 0
                 ? "waits for decision " + std::to_string(directive.not_before)
                 : "pending";
    case DirectiveOutcome::kApplied:
      return directive.effective_decision
                 ? "since decision " +
                       std::to_string(*directive.effective_decision)
                 : "noted";
    case DirectiveOutcome::kRefused:
      return "refused: " + directive.refusal;
    case DirectiveOutcome::kWithdrawn:
      return "withdrawn";
  }
  return "";
}

Json DirectiveJson(const Directive& directive) {
  return {{"directive", Index(directive.id)},
          {"uuid", ToString(directive.uuid)},
          {"at_s", directive.at_s},
          {"author", directive.author},
          {"kind", Name(directive.kind)},
          {"node", OrNull(directive.node)},
          {"role", NameOrNull(directive.role)},
          {"aspect", TextOrNull(directive.aspect)},
          {"amount", OrNull(directive.amount)},
          {"target", OrNull(directive.target)},
          {"text", directive.text},
          {"not_before", directive.not_before},
          {"outcome", Name(directive.outcome)},
          {"effective_decision", OrNull(directive.effective_decision)},
          {"refusal", TextOrNull(directive.refusal)},
          {"attempts", directive.attempts}};
}

RowSheet SheetOf(const std::vector<Directive>& directives) {
  RowSheet sheet{
      "directives",
      {ForPeople("directive"), ForPeople("author"), ForPeople("state"),
       ForPeople("attempts"), ForPeople("what"), ForPrograms("")},
      {},
      "",
      "-"};
  for (const Directive& each : directives) {
    const bool counts = each.kind == DirectiveKind::kBoost ||
                        each.kind == DirectiveKind::kInsert;
    sheet.rows.push_back({Index(each.id), each.author, StateText(each),
                          counts ? Json(each.attempts) : Json(),
                          DirectiveText(each), DirectiveJson(each)});
  }
  return sheet;
}

Result<Exit> SteerList(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  TRY(directives, store::ReadDirectives(database, campaign.id));
  if (directives.empty() && !invocation.Has("json")) {
    streams.out << "nobody has steered " << Printable(campaign.spec.name)
                << "\n";
    return Exit::kDone;
  }
  PrintRows(invocation, SheetOf(directives), streams);
  return Exit::kDone;
}

Verb Action(std::string_view name, std::string_view arguments,
            std::string_view summary, std::string_view examples,
            Result<Exit> (*run)(const Invocation&, Streams&),
            std::vector<Option> options) {
  options.push_back(kCampaignOption);
  return {.name = name,
          .summary = summary,
          .arguments = arguments,
          .examples = examples,
          .options = std::move(options),
          .settings = config::NamesIn({config::Group::kDatabase}),
          .run = run};
}

std::vector<Verb> WordActions() {
  using enum DirectiveKind;
  return {
      Action("steer advise", "TEXT", "tell agents what you would try",
             "  coppice steer advise \"Tile for the L2 cache first.\"\n"
             "  coppice steer advise \"Vectorise j.\" --node 7 --role plan\n",
             By<Say, kAdvise>, {kNodeOption, kRoleOption, kFromOption}),
      Action("steer forbid", "WHAT TEXT",
             "a candidate that has it is none: a technique, a pattern, a "
             "header",
             "  coppice steer forbid technique tile\n"
             "  coppice steer forbid pattern 'omp +parallel' --node 7\n"
             "  coppice steer forbid header mma.h\n",
             By<Say, kForbid>, {kNodeOption, kFromOption}),
      Action("steer require", "WHAT TEXT",
             "a candidate that lacks it is none; or that breaks a constraint",
             "  coppice steer require constraint no-atomics\n"
             "  coppice steer require constraint no-tensor-cores\n"
             "  coppice steer require constraint 'keep-loop:for (int k'\n",
             By<Say, kRequire>, {kNodeOption, kFromOption}),
      Action("steer note", "TEXT", "a line for people; no agent sees it",
             "  coppice steer note \"Driver was updated here.\"\n",
             By<Say, kNote>, {kNodeOption}),
  };
}

std::vector<Verb> NodeActions() {
  using enum DirectiveKind;
  return {
      Action("steer freeze", "NODE",
             "select neither the node nor anything below it",
             "  coppice steer freeze 7\n", By<OnNode, kFreeze>, {kFromOption}),
      Action("steer unfreeze", "NODE", "select it and what is below again",
             "  coppice steer unfreeze 7\n", By<OnNode, kUnfreeze>,
             {kFromOption}),
      Action(
          "steer boost", "NODE ATTEMPTS", "make the next attempts on this node",
          "  coppice steer boost best 3\n", By<OnNode, kBoost>, {kFromOption}),
      Action("steer insert", "NODE FILE",
             "have a kernel of your own judged as a child of the node",
             "  coppice steer insert 7 mine.cc\n"
             "  coppice steer insert root - < mine.cc\n",
             By<OnNode, kInsert>, {kFromOption}),
      Action("steer judge", "NODE",
             "have it judged again, in full, by who runs the campaign",
             "  coppice steer judge best\n", By<OnNode, kJudge>, {kFromOption}),
      Action("steer pin", "NODE", "mark a node to find it again",
             "  coppice steer pin 12\n", By<OnNode, kPin>, {}),
  };
}

std::vector<Verb> CampaignActions() {
  using enum DirectiveKind;
  return {
      Action("steer pause", "", "begin no attempt; those under way end",
             "  coppice steer pause\n", By<OnCampaign, kPause>, {kFromOption}),
      Action("steer resume", "", "go on after a pause",
             "  coppice steer resume\n", By<OnCampaign, kResume>,
             {kFromOption}),
      Action("steer gate", "",
             "let no attempt begin but those that somebody approves",
             "  coppice steer gate\n", By<OnCampaign, kGate>, {kFromOption}),
      Action("steer approve", "LIMIT NUMBER",
             "let attempts begin: so many, or up to so many dollars in all",
             "  coppice steer approve attempts 1\n"
             "  coppice steer approve usd 2.50\n",
             By<Allow, kApprove>, {kFromOption}),
      Action("steer budget", "LIMIT NUMBER",
             "another limit of attempts, seconds, usd or tokens",
             "  coppice steer budget attempts 200\n"
             "  coppice steer budget seconds 3600\n"
             "  coppice steer budget usd 5\n",
             By<Allow, kBudget>, {kFromOption}),
      Action("steer model", "MODEL", "have agents ask another model",
             "  coppice steer model openai:gpt-5.4-mini --role code\n",
             By<Say, kModel>, {kRoleOption, kFromOption}),
      Action("steer policy", "POLICY", "have another policy decide",
             "  coppice steer policy greedy\n", SteerPolicy, {kFromOption}),
      Action("steer temperature", "NUMBER",
             "another sampling temperature of the language models",
             "  coppice steer temperature 0.7 --role plan\n",
             By<Allow, kTemperature>, {kRoleOption, kFromOption}),
      Action("steer list", "", "what was asked, and what became of it",
             "  coppice steer list\n  coppice steer list --json\n", SteerList,
             {kJsonOption}),
      Action("steer withdraw", "DIRECTIVE",
             "take back what waits, or lift what holds",
             "  coppice steer withdraw 3\n", SteerWithdraw, {kFromOption}),
  };
}

}  // namespace

Verb SteerVerb() {
  Verb verb = {.name = "steer",
               .summary = "say something to a campaign, running or not"};
  for (auto actions : {WordActions(), NodeActions(), CampaignActions()}) {
    std::ranges::move(actions, std::back_inserter(verb.actions));
  }
  return verb;
}

}  // namespace coppice::cli
