#include "engine/sessions/tool_session.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "agents/prompt/describe.h"
#include "agents/provider/session_output.h"
#include "engine/service/error_json.h"
#include "engine/sessions/own_file.h"
#include "engine/sessions/tool_table.h"
#include "eval/host/whole_file.h"
#include "store/database.h"
#include "store/records/task.h"
#include "store/records/unified_diff.h"
#include "store/write/wire_calls.h"

namespace coppice::sessions {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kMostSource = 256 << 10;
constexpr std::uintmax_t kMostOutput = 17 << 20;
// Calls without a row, once all are used up.
constexpr std::int64_t kMostRefused = 20;
// Kernels may be handed in once the calls are used up.
constexpr std::int64_t kMoreToHandIn = 3;

Result<ordered_json> ObjectIn(const std::string& text) {
  ordered_json object =
      ordered_json::parse(text.empty() ? "{}" : text, nullptr, false);
  if (object.is_object()) return object;
  return Fail(Errc::kUsage, "the arguments are no JSON object");
}

// Null: it is not there.
ordered_json Member(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? ordered_json() : *found;
}

// A request as rows have it: a file of the agent's by what it says now, and
// members by name, so that equal calls are equal texts.
Result<std::string> Canonical(const std::string& request,
                              const fs::path& folder) {
  TRY(object, ObjectIn(request));
  const ordered_json path = Member(object, "path");
  // No tool is given a path: it would open what we may read and the agent may
  // not.
  object.erase("path");
  if (!path.is_null()) {
    if (!path.is_string()) return Fail(Errc::kUsage, "path: expected a text");
    if (!Member(object, "source").is_null()) {
      return Fail(Errc::kUsage, "source: give it or path, one of them");
    }
    TRY(source, ReadOwnFile(folder, path.get<std::string>(), kMostSource));
    object["source"] = source;
  }
  return nlohmann::json(object).dump(-1, ' ', false,
                                     nlohmann::json::error_handler_t::replace);
}

Result<std::string> TextIn(const std::string& arguments, const char* name) {
  TRY(object, ObjectIn(arguments));
  if (!object.contains(name) || !object[name].is_string()) {
    return Fail(Errc::kUsage, std::string(name) + ": expected a text");
  }
  return object[name].get<std::string>();
}

bool HasPassed(const SessionCall& call) {
  if (call.tool != "evaluate_kernel" ||
      call.state != SessionCallState::kAnswered) {
    return false;
  }
  const auto answer = ordered_json::parse(call.answer, nullptr, false);
  return answer.is_object() && answer.value("verdict", "") == "passed";
}

ordered_json AsJson(const std::string& text) {
  ordered_json value = ordered_json::parse(text, nullptr, false);
  return value.is_discarded() ? ordered_json(text) : value;
}

}  // namespace

Result<std::unique_ptr<ToolSession>> ToolSession::Open(
    const SessionServices& services, engine::SessionMatter matter) {
  std::unique_ptr<ToolSession> session(
      new ToolSession(services, std::move(matter)));
  TRY_DONE(session->TakeUpRuns());
  TRY_DONE(session->Furnish());
  ToolSession* const ours = session.get();
  session->terms_.operations = ToolsFor(session->matter_.role);
  session->terms_.ask = [ours](const service::Operation& tool,
                               const service::Call& call,
                               std::string_view request) {
    return ours->Ask(tool.name, std::string(request), call);
  };
  session->terms_.keep = [ours](std::string_view whole) -> Result<std::string> {
    const std::lock_guard lock(ours->mutex_);
    const fs::path path = ours->start_.home /
                          ("answer-" + std::to_string(++ours->kept_) + ".json");
    TRY_DONE(eval::WriteWhole(path, whole));
    return path.string();
  };
  TRY_ASSIGN(session->socket_,
             mcp::Local::Open(session->start_.arguments[2], session->terms_,
                              session->matter_.clock, "session"));
  return session;
}

// What its runs have used, and what the agent calls its session.
Result<void> ToolSession::TakeUpRuns() {
  start_.home = services_.folder / (ToString(matter_.attempt) + "-" +
                                    std::string(Name(matter_.role)));
  start_.folder = start_.home / "work";
  start_.output = start_.home / (ToString(matter_.run) + ".out");
  const std::lock_guard lock(matter_.mutex);
  store::SessionCalls rows(matter_.database);
  TRY_ASSIGN(calls_, rows.Read(matter_.call));
  TRY(runs, rows.ReadRuns(matter_.call));
  is_used_.assign(calls_.size(), false);
  start_.runs_before = std::ssize(runs);
  double usd = 0.0;
  double seconds = 0.0;
  for (store::SessionRun& run : runs) {
    TakeOver(run);
    usd += run.cost_usd;
    seconds += run.used_s;
  }
  const SessionLimits& limits = services_.limits;
  start_.usd_left = limits.usd - usd;
  // Where a cap leaves nothing, the ledger says so.
  if (matter_.usd_left.value_or(0.0) > 0) {
    start_.usd_left = std::min(start_.usd_left, *matter_.usd_left);
  }
  start_.seconds_left = limits.seconds - seconds;
  start_.calls_left =
      std::max<std::int64_t>(0, limits.calls - std::ssize(calls_));
  for (const SessionCall& call : calls_) {
    if (call.tool == "hand_in" && call.state == SessionCallState::kAnswered) {
      handed_in_ = AnswerIn(call.arguments);
    }
  }
  return {};
}

// One that was lost has used what it told before it was: as much as is known of
// it.  What told nothing stays as lost calls are.
void ToolSession::TakeOver(store::SessionRun& run) {
  const fs::path told = start_.home / (ToString(run.uuid) + ".out");
  const auto text = eval::ReadWhole(told, kMostOutput);
  if (!text) return;
  agents::SessionOutput output(services_.form, services_.prices);
  output.Add(*text);
  if (!output.own_id().empty()) start_.own_id = output.own_id();
  if (!run.is_unknown || (!output.cost_usd() && !output.has_usage())) return;
  EndedWireCall ended;
  ended.call = *run.wire;
  ended.end.error = "cut off; it counts as what it told until then";
  ended.end.usage = output.usage();
  ended.end.cost_usd = output.cost_usd();
  ended.end.price_version = output.price_version();
  ended.end.ended_at_s = matter_.clock.UnixSeconds();
  // If it cannot be written, it stays lost.
  if (store::WireCalls(matter_.database).End(ended)) {
    run.cost_usd = output.cost_usd().value_or(0.0);
  }
}

Result<void> ToolSession::Furnish() {
  std::error_code error;
  fs::create_directories(start_.folder, error);
  if (error) {
    return Fail(Errc::kIo, start_.folder.string() + ": " + error.message());
  }
  fs::permissions(start_.home, fs::perms::owner_all, error);
  const std::string socket =
      "mcp-" + ToString(matter_.run).substr(24) + ".socket";
  start_.program = services_.program.string();
  const std::string place = (start_.home / socket).string();
  start_.arguments = {"mcp", "--bridge", place};
  const ordered_json config = {
      {"mcpServers",
       {{"coppice",
         {{"command", start_.program}, {"args", start_.arguments}}}}}};
  start_.config = start_.home / "mcp.json";
  const fs::path brief = start_.home / "BRIEF.md";
  TRY_DONE(eval::WriteWhole(start_.config, config.dump(2) + "\n"));
  TRY_DONE(eval::WriteWhole(brief, matter_.brief));
  for (const char* end : {"", "-wal", "-shm"}) {
    start_.hidden.push_back(services_.database.string() + end);
  }
  start_.variables = {"SESSION_NAME=" + start_.home.filename().string(),
                      "SESSION_BRIEF=" + brief.string(),
                      "SESSION_MCP_CONFIG=" + start_.config.string(),
                      "SESSION_MCP_SOCKET=" + place};
  return start_.runs_before > 0 ? WriteTranscript() : Result<void>();
}

Result<void> ToolSession::WriteTranscript() {
  TRY(transcript, Transcript());
  const fs::path path = start_.home / "TRANSCRIPT.json";
  TRY_DONE(eval::WriteWhole(path, transcript));
  start_.variables.push_back("SESSION_TRANSCRIPT=" + path.string());
  return {};
}

bool ToolSession::HasHandedIn() const {
  const std::lock_guard lock(mutex_);
  return handed_in_.has_value();
}

bool ToolSession::HasCalled() const {
  const std::lock_guard lock(mutex_);
  return !calls_.empty();
}

bool ToolSession::IsSpent() const {
  const std::lock_guard lock(mutex_);
  return is_lost_ || refused_ > kMostRefused;
}

agents::SessionProduct ToolSession::Close() {
  socket_.reset();
  const std::lock_guard lock(mutex_);
  if (handed_in_) return {*handed_in_, true};
  return {LastPassed().value_or(""), false};
}

std::optional<std::string> ToolSession::LastPassed() const {
  if (matter_.role == Role::kPlan) return std::nullopt;
  const auto last = std::find_if(calls_.rbegin(), calls_.rend(), HasPassed);
  if (last == calls_.rend()) return std::nullopt;
  std::string answer = AnswerIn(last->arguments);
  if (!matter_.accepts(answer)) return std::nullopt;
  return answer;
}

// Writes the answer in the grammar of the role.
std::string ToolSession::AnswerIn(const std::string& arguments) const {
  if (matter_.role == Role::kPlan) {
    return TextIn(arguments, "answer").value_or("");
  }
  return agents::SourceBlock(TextIn(arguments, "source").value_or(""),
                             matter_.task.root.language);
}

Result<std::string> ToolSession::Ask(std::string_view tool,
                                     const std::string& request,
                                     const service::Call& call) {
  if (tool == "transcript") {
    const std::lock_guard lock(mutex_);
    return Transcript();
  }
  auto canonical = Canonical(request, start_.folder);
  const bool is_sound = canonical.has_value();
  const std::string arguments = is_sound ? *canonical : request;
  Result<std::string> answer = std::string();
  TRY(number, Take(tool, arguments, answer));
  if (!number) return answer;
  if (!is_sound) return Finish(*number, tl::unexpected(canonical.error()));
  return Finish(*number, Execute(tool, arguments, call));
}

Result<std::optional<std::int64_t>> ToolSession::Take(
    std::string_view tool, const std::string& arguments,
    Result<std::string>& answer) {
  const std::lock_guard lock(mutex_);
  store::SessionCalls rows(matter_.database);
  const auto lose = [this](Error error) {
    is_lost_ = true;
    return tl::unexpected<Error>(std::move(error));
  };
  for (std::size_t i = 0; i < is_used_.size(); ++i) {
    SessionCall& known = calls_[i];
    if (is_used_[i] || known.tool != tool || known.arguments != arguments) {
      continue;
    }
    is_used_[i] = true;
    if (known.state == SessionCallState::kBegun) {
      const std::lock_guard database(matter_.mutex);
      auto again = rows.BeginAgain(known.id, matter_.call);
      if (!again) return lose(again.error());
      ++known.starts;
      return known.number;
    }
    answer = known.answer;
    if (known.state == SessionCallState::kRefused) {
      answer = Fail(Errc::kUsage, known.answer);
    }
    return std::nullopt;
  }
  if (handed_in_) return Fail(Errc::kUsage, "you have handed in: end now");
  const std::int64_t most =
      services_.limits.calls + (tool == "hand_in" ? kMoreToHandIn : 0);
  if (std::ssize(calls_) >= most) {
    ++refused_;
    return Fail(Errc::kUsage,
                "your " + std::to_string(services_.limits.calls) +
                    " calls are used up: hand in what you have, and end");
  }
  const std::lock_guard database(matter_.mutex);
  auto begun = rows.Begin(matter_.call, std::string(tool), arguments,
                          matter_.clock.UnixSeconds());
  if (!begun) return lose(begun.error());
  calls_.push_back(*begun);
  return begun->number;
}

Result<std::string> ToolSession::Finish(std::int64_t number,
                                        Result<std::string> answer) {
  const std::lock_guard lock(mutex_);
  // Who cancels wants no answer, and nobody knows it: the row stays open.
  if (!answer && answer.error().code == Errc::kCancelled) return answer;
  SessionCall& call = Numbered(number);
  const auto state =
      answer ? SessionCallState::kAnswered : SessionCallState::kRefused;
  if (!answer) {
    const std::string hint(service::HintOf(answer.error().code));
    if (!hint.empty())
      answer = Fail(answer.error().code, answer.error().what + "\n" + hint);
  }
  const std::string text = answer ? *answer : answer.error().what;
  {
    const std::lock_guard database(matter_.mutex);
    const auto ended =
        store::SessionCalls(matter_.database)
            .End(call.id, state, text, matter_.clock.UnixSeconds());
    if (!ended) {
      is_lost_ = true;
      return tl::unexpected<Error>(ended.error());
    }
  }
  call.state = state;
  call.answer = text;
  if (call.tool == "hand_in" && answer) handed_in_ = AnswerIn(call.arguments);
  return answer;
}

Result<std::string> ToolSession::Execute(std::string_view tool,
                                         const std::string& arguments,
                                         const service::Call& call) {
  if (tool == "hand_in") return HandIn(arguments);
  if (tool == "diff") {
    TRY(source, TextIn(arguments, "source"));
    const std::string text = UnifiedDiff(
        {"node " + std::to_string(Index(matter_.node)), matter_.parent},
        {"your kernel", source});
    return ordered_json{{"text", text}}.dump(
        -1, ' ', false, ordered_json::error_handler_t::replace);
  }
  if (tool == "get_node") {
    TRY(object, ObjectIn(arguments));
    object["campaign"] = matter_.campaign;
    return services_.ask(matter_.task, tool, object.dump(), call);
  }
  if (tool == "evaluate_kernel") {
    TRY(object, ObjectIn(arguments));
    const ordered_json tier = Member(object, "tier");
    // The full one is the campaign's own, by which it proves who leads.
    if (!tier.is_null() && tier != "check" && tier != "fast") {
      return Fail(Errc::kUsage, "tier: expected one of check, fast");
    }
    if (tier.is_null()) object["tier"] = "check";
    return services_.ask(matter_.task, tool, object.dump(), call);
  }
  return services_.ask(matter_.task, tool, arguments, call);
}

Result<std::string> ToolSession::HandIn(const std::string& arguments) {
  TRY_DONE(
      TextIn(arguments, matter_.role == Role::kPlan ? "answer" : "source"));
  const std::lock_guard lock(mutex_);
  if (handed_in_) return Fail(Errc::kUsage, "you have handed in: end now");
  if (auto accepted = matter_.accepts(AnswerIn(arguments)); !accepted) {
    return Fail(Errc::kUsage, accepted.error().what);
  }
  return std::string(R"({"handed_in":true})");
}

Result<std::string> ToolSession::Transcript() const {
  ordered_json calls = ordered_json::array();
  for (const SessionCall& call : calls_) {
    calls.push_back({{"number", call.number},
                     {"tool", call.tool},
                     {"arguments", AsJson(call.arguments)},
                     {"state", Name(call.state)},
                     {"answer", AsJson(call.answer)}});
  }
  return ordered_json{{"rows", std::move(calls)}}.dump(
      -1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace coppice::sessions
