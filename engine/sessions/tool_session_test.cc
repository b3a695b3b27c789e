#include "engine/sessions/tool_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agents/provider/process.h"
#include "store/scratch.h"
#include "store/write/wire_calls.h"

namespace coppice::sessions {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPassed = R"({"verdict":"passed"})";

class SetClock final : public engine::Clock {
 public:
  double UnixSeconds() const override { return 1001; }
  double Monotonic() const override { return 1; }
};

// A session of the code agent on node 0, whose tools answer what they are told
// to.  A client speaks to it by its socket.
class ToolSessionTest : public testing::Test {
 protected:
  ToolSessionTest() {
    std::signal(SIGPIPE, SIG_IGN);
    task_.root.language = Language::kCpp;
    services_.folder = directory_.File("sessions");
    services_.program = "/bin/coppice";
    services_.database = directory_.File("x.db");
    services_.limits = {1.0, 3, 100};
    services_.ask = [this](const Task&, std::string_view tool,
                           const std::string& arguments,
                           const service::Call&) -> Result<std::string> {
      asked_.push_back(std::string(tool) + " " + arguments);
      return answer_;
    };
  }

  // A run of the session, as of a process that took its attempt over.
  std::unique_ptr<ToolSession> Begin(Role role = Role::kCode) {
    if (runs_ > 0) {
      epoch_ = store::Must(
                   store::Attempts(database_).Adopt(attempt_, "o", 1e12, 2e12))
                   .epoch;
    }
    const CallIntent intent = store::IntentOf(role);
    call_ = store::Must(
        store::Calls(database_).Begin({attempt_, epoch_}, intent, {}));
    ++runs_;
    engine::SessionMatter matter{database_, mutex_,      clock_, task_,
                                 call_,     intent.uuid, uuid_};
    matter.role = role;
    matter.usd_left = left_;
    matter.campaign = "a";
    matter.parent = "old\n";
    matter.brief = "make it fast";
    matter.accepts = [](const std::string& answer) -> Result<void> {
      if (answer.find("forbidden") == answer.npos) return {};
      return Fail(Errc::kUsage, "that is forbidden");
    };
    run_ = intent.uuid;
    return store::Must(ToolSession::Open(services_, std::move(matter)));
  }

  // The result of a tool: its text, after "! " if it is an error.
  std::string Call(ToolSession& session, const std::string& tool,
                   const std::string& arguments) {
    const nlohmann::json message = {
        {"jsonrpc", "2.0"},
        {"id", 1},
        {"method", "tools/call"},
        {"params",
         {{"name", tool}, {"arguments", nlohmann::json::parse(arguments)}}}};
    auto in = agents::MakePipe();
    auto out = agents::MakePipe();
    const std::string line = message.dump() + "\n";
    EXPECT_EQ(write(in->write.get(), line.data(), line.size()),
              static_cast<ssize_t>(line.size()));
    std::jthread bridge([&] {
      (void)mcp::Bridge(session.start().arguments[2], in->read.get(),
                        out->write.get());
    });
    std::string said;
    for (char c = 0; read(out->read.get(), &c, 1) == 1 && c != '\n';) said += c;
    in->write.Close();
    const auto answer = nlohmann::json::parse(said);
    if (!answer.contains("result")) return said;
    const auto& result = answer["result"];
    std::string text = result.value("isError", false) ? "! " : "";
    for (const auto& block : result["content"]) {
      text += block["text"].get<std::string>() + "\n";
    }
    return text;
  }

  std::vector<std::string> Rows() {
    return store::Rows(database_,
                       "SELECT number, tool, state, starts FROM session_calls");
  }

  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  const CampaignId campaign_ = store::Plant(database_, "a");
  const Reservation reservation_ = store::ReservationOf(0, kRootNode);
  const AttemptId attempt_ =
      store::Must(store::Attempts(database_).Reserve(campaign_, reservation_));
  const Uuid uuid_ = reservation_.uuid;
  std::int64_t epoch_ = 0;
  int runs_ = 0;
  std::optional<double> left_{};
  CallId call_{};
  Uuid run_;
  std::mutex mutex_;
  SetClock clock_;
  Task task_;
  SessionServices services_;
  Result<std::string> answer_ = std::string(kPassed);
  std::vector<std::string> asked_;
};

TEST_F(ToolSessionTest, ACallIsARowAndHandingInEndsIt) {
  auto session = Begin();
  EXPECT_FALSE(session->HasCalled());
  EXPECT_THAT(Call(*session, "evaluate_kernel", R"({"source":"k"})"),
              HasSubstr("passed"));
  EXPECT_THAT(asked_,
              ElementsAre(R"(evaluate_kernel {"source":"k","tier":"check"})"));
  EXPECT_THAT(Call(*session, "hand_in", R"({"source":"k"})"),
              HasSubstr("handed_in"));
  EXPECT_TRUE(session->HasHandedIn());
  EXPECT_THAT(Call(*session, "diff", R"({"source":"k"})"),
              HasSubstr("you have handed in"));
  EXPECT_EQ(session->Close().answer, "```cpp\nk\n```");
  EXPECT_THAT(Rows(), ElementsAre("1|evaluate_kernel|answered|1",
                                  "2|hand_in|answered|1"));
}

TEST_F(ToolSessionTest, WhatTheAgentNeedsLiesInItsHome) {
  const auto session = Begin();
  const agents::SessionStart& start = session->start();
  EXPECT_EQ(start.folder, start.home / "work");
  EXPECT_TRUE(std::filesystem::is_directory(start.folder));
  EXPECT_EQ(std::filesystem::status(start.home).permissions(),
            std::filesystem::perms::owner_all);
  std::ifstream brief(start.home / "BRIEF.md");
  std::string words;
  std::getline(brief, words);
  EXPECT_EQ(words, "make it fast");
  std::ifstream file(start.config);
  const auto config = nlohmann::json::parse(file);
  EXPECT_EQ(config["mcpServers"]["coppice"]["command"], "/bin/coppice");
  EXPECT_EQ(config["mcpServers"]["coppice"]["args"], start.arguments);
  EXPECT_THAT(start.hidden,
              ElementsAre(directory_.File("x.db"), directory_.File("x.db-wal"),
                          directory_.File("x.db-shm")));
  EXPECT_EQ(start.runs_before, 0);
  EXPECT_EQ(start.calls_left, 3);
  EXPECT_EQ(start.usd_left, 1.0);
}

TEST_F(ToolSessionTest, ATranscriptHasAllCallsAndIsNone) {
  auto session = Begin();
  Call(*session, "evaluate_kernel", R"({"source":"k"})");
  answer_ = Fail(Errc::kUsage, "no such part");
  Call(*session, "get_node", R"({"node":0})");
  const std::string transcript = Call(*session, "transcript", "{}");
  EXPECT_THAT(transcript,
              testing::AllOf(HasSubstr(R"("tool":"evaluate_kernel")"),
                             HasSubstr(R"("state":"answered")"),
                             HasSubstr(R"("state":"refused")"),
                             HasSubstr("no such part")));
  EXPECT_EQ(Rows().size(), 2U);
}

TEST_F(ToolSessionTest, ANodeIsOfTheSessionsCampaign) {
  auto session = Begin();
  Call(*session, "get_node", R"({"node":0})");
  EXPECT_THAT(asked_, ElementsAre(R"(get_node {"node":0,"campaign":"a"})"));
}

// Members come in any order.
TEST_F(ToolSessionTest, EqualArgumentsAreOneCallHoweverTheyAreWritten) {
  auto session = Begin();
  Call(*session, "evaluate_kernel", R"({"tier":"check","source":"k"})");
  session.reset();
  session = Begin();
  EXPECT_THAT(
      Call(*session, "evaluate_kernel", R"({"source":"k","tier":"check"})"),
      HasSubstr("passed"));
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(ToolSessionTest, APlanThatWasNotHandedInIsNone) {
  auto session = Begin(Role::kPlan);
  Call(*session, "evaluate_kernel", R"({"source":"k"})");
  const agents::SessionProduct product = session->Close();
  EXPECT_EQ(product.answer, "");
  EXPECT_FALSE(product.is_handed_in);
}

TEST_F(ToolSessionTest, WhatPassedAgainstARuleDoesNotCount) {
  auto session = Begin();
  Call(*session, "evaluate_kernel", R"({"source":"forbidden"})");
  EXPECT_EQ(session->Close().answer, "");
}

// In the form that the brief asks for, whatever else it is.
TEST_F(ToolSessionTest, APlanAgentHandsInItsAnswer) {
  auto session = Begin(Role::kPlan);
  EXPECT_THAT(Call(*session, "hand_in", R"({"source":"k"})"),
              HasSubstr("answer: expected a text"));
  Call(*session, "evaluate_kernel", R"({"source":"k"})");
  EXPECT_THAT(Call(*session, "hand_in", R"({"answer":"tile it"})"),
              HasSubstr("handed_in"));
  EXPECT_EQ(session->Close().answer, "tile it");
}

TEST_F(ToolSessionTest, AFaultIsToldAndMayBeMended) {
  auto session = Begin();
  EXPECT_THAT(Call(*session, "hand_in", R"({"source":"forbidden"})"),
              HasSubstr("! that is forbidden"));
  EXPECT_FALSE(session->HasHandedIn());
  EXPECT_THAT(Call(*session, "hand_in", R"({})"), HasSubstr("expected a text"));
  EXPECT_THAT(Call(*session, "hand_in", R"({"source":"k"})"),
              HasSubstr("handed_in"));
  EXPECT_THAT(Rows(), ElementsAre("1|hand_in|refused|1", "2|hand_in|refused|1",
                                  "3|hand_in|answered|1"));
}

TEST_F(ToolSessionTest, AFileOfTheAgentsIsReadAndNoOther) {
  auto session = Begin();
  std::ofstream(session->start().folder / "k.cc") << "new\n";
  EXPECT_THAT(Call(*session, "diff", R"({"path":"k.cc"})"),
              testing::AllOf(HasSubstr("-old"), HasSubstr("+new")));
  EXPECT_THAT(Call(*session, "evaluate_kernel", R"({"path":"../BRIEF.md"})"),
              HasSubstr("! path: ../BRIEF.md: is not in your folder"));
  EXPECT_TRUE(asked_.empty());
}

TEST_F(ToolSessionTest, CallsAreCountedAndOneMayHandInAllTheSame) {
  auto session = Begin();
  for (const char* source : {"1", "2", "3"}) {
    Call(*session, "evaluate_kernel",
         std::string(R"({"source":")") + source + "\"}");
  }
  EXPECT_THAT(Call(*session, "evaluate_kernel", R"({"source":"4"})"),
              HasSubstr("! your 3 calls are used up"));
  EXPECT_EQ(asked_.size(), 3u);
  EXPECT_FALSE(session->IsSpent());
  for (int i = 0; i < 20; ++i)
    Call(*session, "profile_kernel", R"({"source":"4"})");
  EXPECT_TRUE(session->IsSpent());
  EXPECT_THAT(Call(*session, "hand_in", R"({"source":"2"})"),
              HasSubstr("handed_in"));
}

TEST_F(ToolSessionTest, WithoutHandingInTheLastThatPassedCounts) {
  auto session = Begin();
  Call(*session, "evaluate_kernel", R"({"source":"good"})");
  answer_ = std::string(R"({"verdict":"wrong_output"})");
  Call(*session, "evaluate_kernel", R"({"source":"bad"})");
  const auto product = session->Close();
  EXPECT_EQ(product.answer, "```cpp\ngood\n```");
  EXPECT_FALSE(product.is_handed_in);
}

TEST_F(ToolSessionTest, WhatWasAnsweredIsAnsweredByItsRow) {
  Call(*Begin(), "evaluate_kernel", R"({"source":"k","tier":"fast"})");
  asked_.clear();
  answer_ = std::string(R"({"verdict":"crashed"})");
  auto session = Begin();
  EXPECT_EQ(session->start().runs_before, 1);
  EXPECT_EQ(session->start().calls_left, 2);
  // Members stand in any order.
  EXPECT_THAT(
      Call(*session, "evaluate_kernel", R"({"tier":"fast","source":"k"})"),
      HasSubstr("passed"));
  EXPECT_TRUE(asked_.empty());
  // Each row answers once in a run.
  EXPECT_THAT(
      Call(*session, "evaluate_kernel", R"({"source":"k","tier":"fast"})"),
      HasSubstr("crashed"));
  EXPECT_THAT(Rows(), ElementsAre("1|evaluate_kernel|answered|1",
                                  "2|evaluate_kernel|answered|1"));
  EXPECT_THAT(Call(*session, "transcript", "{}"), HasSubstr("passed"));
}

TEST_F(ToolSessionTest, WhatHadNotEndedIsRunAgainInItsRow) {
  Begin();
  store::Must(store::SessionCalls(database_).Begin(call_, "evaluate_kernel",
                                                   R"({"source":"k"})", 1000));
  auto session = Begin();
  EXPECT_THAT(Call(*session, "evaluate_kernel", R"({"source":"k"})"),
              HasSubstr("passed"));
  EXPECT_EQ(asked_.size(), 1u);
  EXPECT_THAT(Rows(), ElementsAre("1|evaluate_kernel|answered|2"));
}

TEST_F(ToolSessionTest, WhatWasHandedInCountsInALaterRun) {
  Call(*Begin(), "hand_in", R"({"source":"k"})");
  auto session = Begin();
  EXPECT_TRUE(session->HasHandedIn());
  EXPECT_EQ(session->Close().answer, "```cpp\nk\n```");
}

TEST_F(ToolSessionTest, ALostRunHasUsedWhatItTold) {
  auto session = Begin();
  WireIntent intent;
  intent.sent_at_s = 1000;
  intent.cost_usd_bound = 1.0;
  store::Must(store::WireCalls(database_).Begin(call_, intent, {}));
  std::ofstream(session->start().output)
      << "{\"session_id\":\"mine\",\"total_cost_usd\":0.25}\n";
  session.reset();
  session = Begin();
  EXPECT_EQ(session->start().own_id, "mine");
  EXPECT_EQ(session->start().usd_left, 0.75);
  EXPECT_THAT(store::Rows(database_,
                          "SELECT cost_usd, charged_usd, outcome"
                          " FROM wire_calls"),
              ElementsAre("0.25|0.25|answered"));
}

TEST_F(ToolSessionTest, ACapOfTheCampaignHoldsForItsSessions) {
  left_ = 0.25;
  EXPECT_EQ(Begin()->start().usd_left, 0.25);
  // Refused by the ledger, and not here.
  left_ = 0.0;
  EXPECT_EQ(Begin()->start().usd_left, 1.0);
}

TEST_F(ToolSessionTest, ALostRunThatToldNothingStaysLost) {
  Begin();
  WireIntent intent;
  intent.sent_at_s = 1000;
  intent.cost_usd_bound = 1.0;
  store::Must(store::WireCalls(database_).Begin(call_, intent, {}));
  auto session = Begin();
  EXPECT_EQ(session->start().usd_left, 1.0);
  EXPECT_THAT(
      store::Rows(database_, "SELECT charged_usd, outcome FROM wire_calls"),
      ElementsAre("1|outcome_unknown"));
}

TEST_F(ToolSessionTest, WhoHasLostTheAttemptIsAnsweredNothing) {
  auto session = Begin();
  store::Must(store::Attempts(database_).Adopt(attempt_, "o", 1e12, 2e12));
  EXPECT_THAT(Call(*session, "evaluate_kernel", R"({"source":"k"})"),
              HasSubstr("taken over"));
  EXPECT_TRUE(asked_.empty());
  EXPECT_TRUE(session->IsSpent());
}

// An empty source, or none, let the path through to whoever reads with our
// rights, and the compiler quoted what lies there.
TEST_F(ToolSessionTest, NoToolIsGivenAPathThatIsNotTheAgents) {
  auto session = Begin();
  services_.limits.calls = 100;
  const std::string secret = directory_.File("secret").string();
  std::ofstream(secret) << "theirs";
  for (const char* tool :
       {"evaluate_kernel", "profile_kernel", "sanitize_kernel", "diff"}) {
    for (const std::string source : {"\"\"", "null", "\"k\"", "7", "[]"}) {
      const std::string said =
          Call(*session, tool,
               R"({"path":")" + secret + R"(","source":)" + source + "}");
      EXPECT_THAT(said, testing::StartsWith("! ")) << tool << source;
      EXPECT_THAT(said, testing::Not(HasSubstr("theirs")));
    }
    for (const char* path : {"7", "[]", "{}", "true"}) {
      EXPECT_THAT(Call(*session, tool, std::string(R"({"path":)") + path + "}"),
                  HasSubstr("! path: expected a text"));
    }
  }
  EXPECT_THAT(asked_, ElementsAre());
}

TEST_F(ToolSessionTest, ANullIsAsIfItWereNotThere) {
  auto session = Begin();
  std::ofstream(session->start().folder / "k.cc") << "new\n";
  EXPECT_THAT(Call(*session, "diff", R"({"path":"k.cc","source":null})"),
              HasSubstr("+new"));
  Call(*session, "evaluate_kernel",
       R"({"path":null,"source":"k","tier":null})");
  EXPECT_THAT(asked_,
              ElementsAre(R"(evaluate_kernel {"source":"k","tier":"check"})"));
}

// It checks and times; that somebody leads is proven by the campaign alone.
TEST_F(ToolSessionTest, AnAgentHasNothingProven) {
  auto session = Begin();
  services_.limits.calls = 100;
  for (const char* tier : {"\"full\"", "\"\"", "7", "[\"fast\"]", "true"}) {
    EXPECT_THAT(Call(*session, "evaluate_kernel",
                     std::string(R"({"source":"k","tier":)") + tier + "}"),
                HasSubstr("! tier: expected one of check, fast"));
  }
  EXPECT_THAT(asked_, ElementsAre());
  Call(*session, "evaluate_kernel", R"({"source":"k","tier":"fast"})");
  EXPECT_THAT(asked_,
              ElementsAre(R"(evaluate_kernel {"source":"k","tier":"fast"})"));
}

// What is no object of JSON is refused, and counts as a call.
TEST_F(ToolSessionTest, OtherToolsAreNone) {
  auto session = Begin();
  for (const char* tool :
       {"start_campaign", "query", "list_tasks", "", "ask"}) {
    EXPECT_THAT(Call(*session, tool, "{}"), HasSubstr("no tool")) << tool;
  }
  EXPECT_THAT(Rows(), ElementsAre());
  EXPECT_THAT(asked_, ElementsAre());
}

// Another agent's campaign is none of this session's, whoever names it.
TEST_F(ToolSessionTest, TheCampaignIsTheSessionsWhateverIsSaid) {
  auto session = Begin();
  Call(*session, "get_node", R"({"node":0,"campaign":"other"})");
  EXPECT_THAT(asked_, ElementsAre(R"(get_node {"campaign":"a","node":0})"));
}

// Somebody who cancels wants no answer: the row stays, and is run again.
TEST_F(ToolSessionTest, WhatWasCancelledHasNoAnswer) {
  auto session = Begin();
  answer_ = Fail(Errc::kCancelled, "cancelled");
  Call(*session, "evaluate_kernel", R"({"source":"k"})");
  EXPECT_THAT(Rows(), ElementsAre("1|evaluate_kernel|begun|1"));
  answer_ = std::string(kPassed);
  session.reset();
  session = Begin();
  EXPECT_THAT(Call(*session, "evaluate_kernel", R"({"source":"k"})"),
              HasSubstr("passed"));
  EXPECT_THAT(Rows(), ElementsAre("1|evaluate_kernel|answered|2"));
}

}  // namespace
}  // namespace coppice::sessions
