// GET /api/questions, GET /api/turns, POST /api/ask: questions in words, of
// which some need a model.  POST /api/cites: what the answer of a model in the
// browser cites.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/assistant/canned.h"
#include "engine/assistant/dialogue.h"
#include "engine/assistant/marked_text.h"
#include "engine/assistant/turn_ledger.h"
#include "engine/documents/document.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/post_body.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/canned_queries.h"
#include "store/records/formatted.h"
#include "store/write/assistant_turns.h"

namespace coppice::inspector {
namespace {

constexpr std::int64_t kTurns = 100;
constexpr std::int64_t kMostTurns = 1000;
constexpr std::size_t kLongestQuestion = 20'000;  // Bytes.

// A name as a segment of a path, as the page has them: "." and "..", which no
// path can hold, get a tilde before them, and what begins with one.
std::string Segment(const std::string& name) {
  std::string segment;
  if (name == "." || name == ".." || name.starts_with('~')) segment = "~";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 ||
        std::string_view("-_.!~*'()").find(c) != std::string_view::npos) {
      segment += c;
      continue;
    }
    segment += Formatted("%%%02X", static_cast<unsigned>(byte));
  }
  return segment;
}

struct InWords {
  std::size_t file = 0;
  std::string campaign;
  std::string text;
  std::optional<Uuid> conversation;  // None: it begins one.
};

constexpr std::string_view kQuestionForm =
    "not a question: send {\"db\": 0, \"c\": \"CAMPAIGN\", \"question\": "
    "\"...\", \"conversation\": null or what the last answer named}";

Result<InWords> WordsIn(const std::string& body) {
  TRY(document, ParsePosted(body, kQuestionForm));
  TRY(text, TextIn(document, "question"));
  TRY(conversation, TextIn(document, "conversation"));
  Addressee addressee = AddresseeOf(document);
  InWords question{addressee.file, std::move(addressee.campaign),
                   std::move(text), ParseUuid(conversation)};
  if (question.text.find_first_not_of(" \t\r\n") == question.text.npos ||
      (!conversation.empty() && !question.conversation)) {
    return Fail(Errc::kUsage, std::string(kQuestionForm));
  }
  if (question.text.size() > kLongestQuestion) {
    return Fail(Errc::kUsage, "a question of more than 20 kB");
  }
  return question;
}

std::string EventText(const char* event, const Json& data) {
  return "event: " + std::string(event) + "\ndata: " + cli::LineOf(data) +
         "\n\n";
}

// The page on which what is cited is shown: of a decision, its node's.
Result<std::string> AddressOf(store::Database& database, std::size_t in_file,
                              const std::string& asked_of,
                              const assistant::Citation& cited) {
  const std::string& campaign =
      cited.campaign.empty() ? asked_of : cited.campaign;
  std::string address = "/c/" + Segment(campaign);
  const std::string file = in_file == 0 ? "" : "db=" + std::to_string(in_file);
  if (cited.what == assistant::Cited::kNode) {
    return address + "/n/" + std::to_string(cited.first) +
           (file.empty() ? "" : "?" + file);
  }
  TRY(found, store::Look(database, store::Lookup::kHasDecision,
                         {{":campaign", campaign}, {":d", cited.first}}));
  const auto* node = found.rows.empty()
                         ? nullptr
                         : std::get_if<std::int64_t>(&found.rows[0][1]);
  if (node == nullptr) return address + (file.empty() ? "" : "?" + file);
  return address + "/n/" + std::to_string(*node) + "?" +
         (file.empty() ? "" : file + "&") + "tab=decision";
}

// The citations among them, as links to what is there.
Result<Json> CitesJson(store::Database& database, std::size_t file,
                       const std::string& asked_of,
                       const std::vector<assistant::MarkedSpan>& pieces) {
  Json cites = Json::array();
  for (const assistant::MarkedSpan& piece : pieces) {
    if (piece.mark == assistant::Mark::kMissing) {
      cites.push_back(
          {{"text", piece.text}, {"href", nullptr}, {"exists", false}});
    } else if (piece.mark == assistant::Mark::kCited) {
      TRY(href, AddressOf(database, file, asked_of, piece.citation));
      cites.push_back({{"text", piece.text}, {"href", href}, {"exists", true}});
    }
  }
  return cites;
}

// Those of a text, as they are now.
Result<Json> CitesIn(const std::string& text, store::Database& database,
                     std::size_t file, const std::string& campaign,
                     const engine::Clock& clock) {
  assistant::Tools tools(database, campaign,
                         [&clock] { return clock.Monotonic(); });
  TRY(pieces, assistant::MarkText(text, tools));
  return CitesJson(database, file, campaign, pieces);
}

// One question, on a thread of its own, with connections of its own.
class Telling {
 public:
  Telling(Inspector& inspector, InWords question, const http::Tell& tell,
          const std::atomic<bool>& is_gone)
      : inspector_(inspector),
        question_(std::move(question)),
        tell_(tell),
        is_gone_(is_gone) {}

  void Run() {
    const auto done = Answer();
    if (!done) Say("error", {{"error", done.error().what}});
  }

 private:
  void Say(const char* event, const Json& data) {
    tell_(EventText(event, data));
  }

  // What came new; a text that starts anew says so first.
  void SayText(std::string_view so_far) {
    if (!so_far.starts_with(shown_)) {
      Say("restart", Json::object());
      shown_.clear();
    }
    const std::string_view more = so_far.substr(shown_.size());
    if (!more.empty()) Say("token", {{"text", more}});
    shown_ = so_far;
  }

  assistant::Listener ListenerHere() {
    assistant::Listener listener;
    listener.text = [this](std::string_view so_far) { SayText(so_far); };
    listener.tool = [this](const agents::ToolCall& call,
                           const assistant::ToolResult& result) {
      shown_.clear();  // What is said next is another text.
      Say("tool", {{"name", call.name},
                   {"arguments", call.arguments},
                   {"rows", result.rows},
                   {"error", result.error},
                   {"result", result.text}});
    };
    listener.card = [this](const assistant::Card& card) {
      Say("card", CardJson(card));
    };
    listener.setback = [this](const Error& why) {
      Say("waiting", {{"why", why.what}});
    };
    return listener;
  }

  Result<void> Answer() {
    const engine::Clock& clock = inspector_.clock();
    const auto path = inspector_.files().paths().at(question_.file);
    TRY(model, inspector_.terms().assistant());
    TRY(database, store::Database::Open(path, store::Access::kReadOnly));
    TRY(ledger_file, store::Database::Open(path, store::Access::kReadWrite));
    TRY(campaign, store::Campaigns(database).Find(question_.campaign));
    const Uuid conversation =
        question_.conversation.value_or(engine::FreshUuid(clock));
    assistant::Questioning questioning;
    questioning.question = question_.text;
    questioning.cancel = &is_gone_;
    store::AssistantTurns turns(ledger_file);
    TRY_ASSIGN(questioning.earlier, turns.ReadConversation(conversation));
    assistant::TurnLedger ledger(
        ledger_file,
        {conversation, std::ssize(questioning.earlier) + 1, campaign.id,
         question_.text},
        inspector_.terms().assistant_usd_day,
        [&clock] { return clock.UnixSeconds(); });
    questioning.ledger = &ledger;
    assistant::Tools tools(database, question_.campaign,
                           [&clock] { return clock.Monotonic(); });
    TRY(response,
        assistant::Converse(*model, tools, questioning, ListenerHere()));
    TRY(spent_usd, turns.SpentOn(clock.UnixSeconds()));
    return SayEnd(response, conversation, spent_usd, database, tools);
  }

  Result<void> SayEnd(const assistant::Response& response,
                      const Uuid& conversation, double spent_usd,
                      store::Database& database, assistant::Tools& tools) {
    TRY(pieces, assistant::MarkText(response.text, tools));
    TRY(cites, CitesJson(database, question_.file, question_.campaign, pieces));
    Json not_found = Json::array();
    for (const assistant::MarkedSpan& piece : pieces) {
      if (piece.mark == assistant::Mark::kNotFound) {
        not_found.push_back(piece.text);
      }
    }
    Say("done",
        {{"text", response.text},
         {"fault", response.fault},
         {"cites", std::move(cites)},
         {"not_found", std::move(not_found)},
         {"cards", ArrayOf(response.cards, assistant::CardJson)},
         {"conversation", ToString(conversation)},
         {"requests", response.rounds},
         {"input_tokens", response.input_tokens},
         {"output_tokens", response.output_tokens},
         {"cost_usd", OrNull(response.cost_usd)},
         {"spent_today_usd", spent_usd},
         {"cap_usd_day", OrNull(inspector_.terms().assistant_usd_day)}});
    return {};
  }

  Inspector& inspector_;
  const InWords question_;
  const http::Tell& tell_;
  const std::atomic<bool>& is_gone_;
  std::string shown_;
};

}  // namespace

Result<http::Answer> AnswerQuestions(const QueryParameters& asked) {
  const std::string words = asked.TextOr("q", "");
  if (words.empty()) {
    Json all = Json::array();
    for (const store::CannedQuestion& canned : store::CannedQuestions()) {
      all.push_back({{"name", canned.name},
                     {"question", canned.question},
                     {"numbers", canned.numbers}});
    }
    return JsonAnswer(all);
  }
  TRY(meant, assistant::WhatIsMeant(words));
  TRY(chosen, asked.Choose());
  TRY(sheet, assistant::AnswerCanned(chosen.database(),
                                     chosen.campaign.spec.name, meant));
  return JsonAnswer({{"name", meant.question->name},
                     {"question", meant.InWords()},
                     {"columns", sheet.columns},
                     {"rows", ArrayOf(sheet.rows, ValuesJson)},
                     {"truncated", sheet.is_cut}});
}

Result<http::Answer> AnswerTurns(const QueryParameters& asked) {
  TRY(file, asked.File());
  TRY(limit, asked.CountOr("limit", kTurns));
  TRY(loan, asked.Borrow(file));
  TRY(turns, store::AssistantTurns(*loan).Read(std::min(limit, kMostTurns)));
  Json all = Json::array();
  const engine::Clock& clock = asked.inspector().clock();
  for (const store::AskedTurn& turn : turns) {
    TRY(cites, CitesIn(turn.answer, *loan, file, turn.campaign, clock));
    all.push_back({{"conversation", ToString(turn.conversation)},
                   {"question_number", turn.question_number},
                   {"c", turn.campaign},
                   {"question", turn.question},
                   {"answer", turn.answer},
                   {"cites", std::move(cites)},
                   {"error", turn.error},
                   {"provider", turn.provider},
                   {"model", turn.model},
                   {"at_s", turn.asked_at_s},
                   {"requests", turn.requests},
                   {"input_tokens", turn.input_tokens},
                   {"output_tokens", turn.output_tokens},
                   {"cost_usd", turn.cost_usd}});
  }
  return JsonAnswer(all);
}

Result<http::Answer> AnswerCites(const QueryParameters& asked) {
  constexpr std::string_view kForm =
      "not an answer: send {\"db\": 0, \"c\": \"CAMPAIGN\", \"text\": \"...\"}";
  TRY(document, ParsePosted(asked.request().body, kForm));
  TRY(text, TextIn(document, "text"));
  const Addressee addressee = AddresseeOf(document);
  TRY(loan, asked.Borrow(addressee.file));
  TRY_DONE(store::Campaigns(*loan).Find(addressee.campaign));
  TRY(cites, CitesIn(text, *loan, addressee.file, addressee.campaign,
                     asked.inspector().clock()));
  return JsonAnswer(cites);
}

Result<http::Answer> AnswerAsk(const QueryParameters& asked) {
  Inspector& inspector = asked.inspector();
  if (!inspector.terms().assistant) {
    return Fail(Errc::kUsage,
                "there is no model to ask: write assistant_model = "
                "PROVIDER:MODEL into coppice.conf, and serve again; "
                "GET /api/questions needs none");
  }
  TRY(question, WordsIn(asked.request().body));
  {
    // What cannot be asked is said before anything is told.
    TRY(loan, asked.Borrow(question.file));
    TRY_DONE(store::Campaigns(*loan).Find(question.campaign));
  }
  http::Answer answer{200, "text/event-stream"};
  answer.pieces = [&inspector, question = std::move(question)](
                      const http::Tell& tell,
                      const std::atomic<bool>& is_gone) {
    Telling(inspector, question, tell, is_gone).Run();
  };
  return answer;
}

}  // namespace coppice::inspector
