// coppice ask: a question to the history, in words.
#include <functional>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "config/keys.h"
#include "config/model_list.h"
#include "engine/assistant/canned.h"
#include "engine/assistant/turn_ledger.h"
#include "engine/cli/assistant_text.h"
#include "engine/cli/counted.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/input.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/row_sheet.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "engine/process/terminal_text.h"
#include "store/records/joined.h"
#include "store/records/own_providers.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

constexpr double kCannedSeconds = 30.0;

Result<config::ModelChoice> ChosenModel(const Invocation& invocation) {
  config::ModelList models = invocation.settings().assistant_model;
  if (const auto named = invocation.Text("model")) {
    auto parsed = config::ParseModelList(*named);
    if (!parsed) {
      return Fail(Errc::kUsage,
                  "--model " + *named + ": " + parsed.error().what);
    }
    models = std::move(*parsed);
  }
  if (models.size() == 1) return models.front();
  return Fail(Errc::kUsage, "the assistant has one model, not " +
                                std::to_string(models.size()));
}

Result<Exit> ListQuestions(const Invocation& invocation, Streams& streams) {
  RowSheet sheet{"questions", {"name", "question"}};
  for (const store::CannedQuestion& canned : store::CannedQuestions()) {
    sheet.rows.push_back({canned.name, canned.question});
  }
  PrintRows(invocation, sheet, streams);
  if (invocation.Has("json")) return Exit::kDone;
  streams.out << "\nN and M are nodes. Ask by name or in words: "
                 "coppice ask why did node 14 fail\n";
  return Exit::kDone;
}

void PrintCommands(const std::vector<std::string>& commands, Streams& streams) {
  if (!commands.empty()) streams.out << "\n";
  for (const std::string& command : commands) {
    streams.out << engine::Printable(command) << "\n";
  }
}

// Answers from the database alone.
Result<void> AnswerWithoutModel(const Invocation& invocation, Streams& streams,
                                const std::string& question) {
  TRY(meant, assistant::WhatIsMeant(question));
  const engine::SystemClock clock;
  const double end_s = clock.Monotonic() + kCannedSeconds;
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  database.GiveUpWhen([&] { return clock.Monotonic() >= end_s; });
  TRY(sheet, assistant::AnswerCanned(database, campaign.spec.name, meant));
  if (invocation.Has("json")) {
    PrintDocument(SheetJson(meant.InWords(), sheet), streams.out);
    return {};
  }
  streams.out << meant.InWords() << "\n\n";
  PrintSheet(sheet, streams);
  PrintCommands(
      CommandsFor(sheet, campaign.spec.name, invocation.settings().db.string()),
      streams);
  return {};
}

std::string CostLine(const assistant::Response& response, double today_usd,
                     const std::optional<double>& cap_usd) {
  std::string line =
      response.cost_usd ? DollarText(*response.cost_usd) : "unknown cost";
  line += ", " + Counted(response.rounds, "request") + ", " +
          std::to_string(response.input_tokens) + " + " +
          std::to_string(response.output_tokens) + " tokens; today " +
          DollarText(today_usd);
  if (cap_usd) line += " of " + DollarText(*cap_usd);
  return line;
}

void PrintCards(const assistant::Response& response, Streams& streams) {
  for (const assistant::Card& card : response.cards) {
    streams.out << "\nproposed: " << engine::OneLine(card.kind)
                << (card.subject.empty() ? ""
                                         : " " + engine::OneLine(card.subject))
                << " - " << engine::OneLine(card.why) << "\n";
    if (!card.payload.empty())
      streams.out << engine::Printable(card.payload) << "\n";
    streams.out << "Nothing is done unless you do it.\n";
  }
}

// A conversation, of one question or of those that are typed.
class Talk {
 public:
  Talk(const Invocation& invocation, Streams& streams,
       engine::CampaignFactory& factory, store::Database& database,
       store::CampaignRow campaign, agents::Model& model)
      : invocation_(invocation),
        streams_(streams),
        factory_(factory),
        database_(database),
        campaign_(std::move(campaign)),
        model_(model),
        conversation_(engine::FreshUuid(factory.clock())) {}

  Result<Exit> Ask(const std::string& question) {
    const bool as_json = invocation_.Has("json");
    store::AssistantTurns turns(database_);
    assistant::Questioning questioning;
    questioning.question = question;
    TRY_ASSIGN(questioning.earlier, turns.ReadConversation(conversation_));
    assistant::TurnLedger ledger(
        database_, {conversation_, ++questions_, campaign_.id, question},
        invocation_.settings().assistant_usd_day,
        [this] { return factory_.clock().UnixSeconds(); });
    questioning.ledger = &ledger;
    questioning.cancel = &factory_.drain();
    assistant::Tools tools(database_, campaign_.spec.name,
                           [this] { return factory_.clock().Monotonic(); });
    AnswerPrinter printer(streams_, tools);
    auto response = assistant::Converse(model_, tools, questioning,
                                        ListenerFor(printer, as_json));
    if (!as_json) printer.Finish();
    if (!response) return tl::unexpected<Error>(std::move(response).error());
    TRY(pieces, assistant::MarkText(response->text, tools));
    if (as_json) {
      PrintDocument(ResponseJson(question, *response, pieces), streams_.out);
    } else {
      TRY(today_usd, turns.SpentOn(factory_.clock().UnixSeconds()));
      PrintAfter(*response, pieces, today_usd);
    }
    return response->fault.empty() ? Exit::kDone : Exit::kFailure;
  }

 private:
  assistant::Listener ListenerFor(AnswerPrinter& printer, bool as_json) {
    assistant::Listener listener;
    listener.setback = [this](const Error& why) {
      streams_.err << "waiting: " << engine::OneLine(why.what) << std::endl;
    };
    if (as_json) return listener;
    listener.text = [&printer](std::string_view so_far) {
      printer.Add(so_far);
    };
    listener.tool = [this, &printer](const agents::ToolCall& call,
                                     const assistant::ToolResult& result) {
      printer.Finish();
      streams_.err << engine::OneLine(ToolLine(call, result)) << std::endl;
    };
    return listener;
  }

  void PrintAfter(const assistant::Response& response,
                  const std::vector<assistant::MarkedSpan>& pieces,
                  double today_usd) {
    PrintCards(response, streams_);
    PrintCommands(CommandsFor(pieces, campaign_.spec.name,
                              invocation_.settings().db.string()),
                  streams_);
    streams_.out << "\n"
                 << CostLine(response, today_usd,
                             invocation_.settings().assistant_usd_day)
                 << std::endl;
    if (response.fault.empty()) return;
    streams_.err << "coppice ask: " << engine::OneLine(response.fault) << "\n";
  }

  const Invocation& invocation_;
  Streams& streams_;
  engine::CampaignFactory& factory_;
  store::Database& database_;
  const store::CampaignRow campaign_;
  agents::Model& model_;
  const Uuid conversation_;
  std::int64_t questions_ = 0;
};

// A question a line, until there are no more.
Result<Exit> AskLines(
    const std::function<Result<Exit>(const std::string&)>& ask,
    Streams& streams) {
  Exit exit = Exit::kDone;
  std::string line;
  while (streams.err << "? " << std::flush, std::getline(streams.in, line)) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    auto asked = ask(line);
    if (!asked && asked.error().code == Errc::kCancelled) {
      return tl::unexpected<Error>(std::move(asked).error());
    }
    if (asked) {
      exit = *asked;
      continue;
    }
    streams.err << "coppice ask: " << engine::OneLine(asked.error().what)
                << "\n";
    exit = Exit::kFailure;
  }
  streams.err << "\n";
  return exit;
}

Result<Exit> AskAll(const std::function<Result<Exit>(const std::string&)>& ask,
                    const Invocation& invocation, Streams& streams) {
  std::string question = Joined(invocation.arguments, " ");
  if (question.empty() && streams.out_is_terminal) {
    return AskLines(ask, streams);
  }
  if (question.empty()) {
    TRY_ASSIGN(question, ReadAll(streams.in, "standard input"));
    while (question.ends_with('\n')) question.pop_back();
  }
  if (question.find_first_not_of(" \t\r\n") == question.npos) {
    return Fail(Errc::kUsage,
                "there is no question; `coppice ask --list` shows some");
  }
  return ask(question);
}

Result<Exit> RunAsk(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("list")) return ListQuestions(invocation, streams);
  TRY(choice, ChosenModel(invocation));
  if (OwnProviderOf(choice.provider).answerer == Answerer::kCatalogue) {
    return AskAll(
        [&](const std::string& question) -> Result<Exit> {
          TRY_DONE(AnswerWithoutModel(invocation, streams, question));
          return Exit::kDone;
        },
        invocation, streams);
  }
  TRY(factory, OpenFactory(invocation));
  TRY(model, factory->ChatModelFor(choice));
  TRY(database, OpenToWrite(invocation, store::Access::kReadWrite));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  Talk talk(invocation, streams, *factory, database, std::move(campaign),
            *model);
  return AskAll([&](const std::string& question) { return talk.Ask(question); },
                invocation, streams);
}

std::vector<std::string_view> SettingsOfAsk() {
  std::vector<std::string_view> settings =
      config::NamesIn({config::Group::kDatabase, config::Group::kProviders,
                       config::Group::kAssistant, config::Group::kData});
  settings.insert(settings.end(),
                  {"model_timeout_s", "model_retries", "record"});
  return settings;
}

}  // namespace

Verb AskVerb() {
  return {
      .name = "ask",
      .summary = "a question in words; of a model, or canned ones of none",
      .arguments = "[QUESTION...]",
      .examples =
          "  coppice ask --list\n"
          "  coppice ask why did node 14 fail\n"
          "  coppice ask which of 7 and 30 is really faster\n"
          "  coppice ask --model openai:gpt-5-mini what should I try next\n",
      .options = {{"list", Takes::kNothing, "",
                   "the questions that need no model"},
                  {"model", Takes::kText, "MODEL",
                   "who answers, instead of assistant_model"},
                  kCampaignOption,
                  kJsonOption},
      .settings = SettingsOfAsk(),
      .first = {"list", "model", "campaign", "db"},
      .run = RunAsk,
  };
}

}  // namespace coppice::cli
