// Providers as a user of the program meets them: with the wrong key, out of
// money, too slow, saying nonsense, and stopped in mid-answer.  Each trouble is
// one clear line, and the campaign goes on once it is mended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agents/provider/scripted_server.h"
#include "store/database.h"
#include "tests/campaign_process.h"
#include "tests/model_server.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using agents::HttpReplyText;
using agents::ScriptedServer;
using testing::HasSubstr;

constexpr const char* kKey = "sk-very-secret-0123456789";

std::string ChatReply(const std::string& content) {
  return HttpReplyText(
      200, R"({"choices": [{"index": 0, "finish_reason": "stop", "message":
           {"role": "assistant", "content": ")" +
               content + R"("}}], "usage": {"prompt_tokens": 5,
           "completion_tokens": 2}})");
}

std::string ErrorReply(int status, const std::string& message,
                       const std::string& param = "") {
  return HttpReplyText(
      status, R"({"error": {"message": ")" + message +
                  R"(", "type": "t", "code": "c", "param": ")" + param +
                  "\"}}");
}

class ProviderTest : public testing::Test, protected CampaignProcesses {
 protected:
  ProviderTest() {
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("OPENAI_API_KEY", kKey, 1);
  }

  using Options = std::map<std::string, std::string>;

  // A quiet campaign of one attempt, unless `options` say otherwise.
  Arguments Run(const std::string& model, Options options = {}) const {
    options.insert({{"--budget", "1"},
                    {"--model-failures", "1"},
                    {"--progress", "none"},
                    {"--plan-model", model},
                    {"--code-model", model},
                    {"--debug-model", model}});
    Arguments run = {"run", "sim:basic", "--db", Database("x")};
    for (const auto& [name, value] : options) {
      run.insert(run.end(), {name, value});
    }
    return run;
  }

  // A try at `url`, and no other.
  Arguments At(const std::string& url, Options options = {}) const {
    options.insert({{"--openai-base-url", url}, {"--model-retries", "0"}});
    return Run("openai:gpt-4.1", std::move(options));
  }

  int ExitOf(const Arguments& arguments) const {
    const int status = Wait(Start(arguments));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // Expects that exit code, and one line that holds `what`; then the embedded
  // agents finish the campaign, which has lost nothing.
  void ExpectTrouble(const Arguments& arguments, int exit,
                     const std::string& what) const {
    EXPECT_EQ(ExitOf(arguments), exit) << what;
    const std::string said = Output();
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
    EXPECT_THAT(said, HasSubstr(what));
    if (!fs::exists(Database("x"))) return;  // It was seen before the start.
    EXPECT_THAT(said, HasSubstr("coppice resume --db "));
    Succeed({"db", "doctor", "--db", Database("x")});
    ExitOf({"resume", "--db", Database("x"), "--plan-model", "catalogue",
            "--code-model", "catalogue", "--debug-model", "catalogue"});
    EXPECT_EQ(Count(Database("x"), "attempts WHERE stage = 'committed'"), 1);
    fs::remove(Database("x"));
  }

  void ExpectTroubleWith(const std::string& reply, int exit,
                         const std::string& what) const {
    const ScriptedServer server({reply});
    ExpectTrouble(At(server.Url()), exit, what);
  }
};

TEST_F(ProviderTest, WhatAServiceRefusesIsTheUsersToMend) {
  ExpectTroubleWith(ErrorReply(401, "Bad key"), 2,
                    "HTTP 401: Bad key (check the key in OPENAI_API_KEY)");
  ExpectTroubleWith(ErrorReply(404, "No such model"), 2,
                    "HTTP 404: No such model (check the model's name, gpt-4.1");
  ExpectTroubleWith(ErrorReply(402, "Pay first"), 2,
                    "HTTP 402: Pay first (no credit or quota is left");
  ExpectTroubleWith(ErrorReply(429, "insufficient_quota: check your plan"), 2,
                    "(no credit or quota is left");
}

TEST_F(ProviderTest, WhatAServerSuffersIsNot) {
  ExpectTroubleWith(ErrorReply(429, "Slow down"), 1,
                    "HTTP 429: Slow down (the provider throttles: try later)");
  ExpectTroubleWith(ErrorReply(500, "Oh"), 1, "HTTP 500: Oh (the provider is");
  ExpectTrouble(At("http://127.0.0.1:1/v1"), 1,
                "(check the base URL, and the server)");
  const ScriptedServer silent({ScriptedServer::kHang});
  ExpectTrouble(At(silent.Url(), {{"--model-timeout-s", "1"}}), 1,
                "(model_timeout_s allows for more)");
  const ScriptedServer later(
      {HttpReplyText(503, "{}", "Retry-After: 3600\r\n")});
  ExpectTrouble(
      Run("openai:gpt-4.1", {{"--openai-base-url", later.Url()}}), 1,
      "it asks to wait 3600 s, and model_timeout_s leaves 600 s; then go on");
}

// One attempt at a time: two in a row are put off until the third is done.
TEST_F(ProviderTest, AnOutageIsSurvivedAndSaid) {
  const std::string away = ErrorReply(503, "Away");
  const std::string mute = ChatReply("");
  const ScriptedServer server({away, away, mute, mute, mute, mute, mute, mute});
  EXPECT_EQ(ExitOf(At(server.Url(), {{"--budget", "3"},
                                     {"--model-failures", "3"},
                                     {"--progress", "plain"},
                                     {"--max-output-tokens", "10"}})),
            3)
      << Output();
  EXPECT_THAT(Output(), HasSubstr("decision 1 is put off: "));
  EXPECT_THAT(Output(), HasSubstr("3 no_candidate"));
  EXPECT_EQ(Count(Database("x"), "wire_calls WHERE outcome = 'failed'"), 2);
  Succeed({"replay", "--db", Database("x"), "--check"});
}

TEST_F(ProviderTest, WhatCannotWorkIsSaidBeforeAnythingIsMade) {
  ExpectTrouble(At("127.0.0.1/v1"), 2, "expected a URL, http:// or https://");
  ExpectTrouble(At("http:///v1"), 2, "expected a URL with a host");
  ExpectTrouble(Run("opnai:m"), 2, "opnai: no such provider; there are");
  ExpectTrouble(Run("openai"), 2, "openai: name the model");
  ExpectTrouble(Run("exec"), 2, "exec: name the command");
  ExpectTrouble(
      At("http://127.0.0.1:1/v1", {{"--openai-key-command", "false"}}), 2,
      "key command 'false': exit code 1");
  unsetenv("OPENAI_API_KEY");
  ExpectTrouble(Run("openai:gpt-4.1"), 2,
                "openai: no key: set the variable OPENAI_API_KEY");
  EXPECT_FALSE(fs::exists(Database("x")));
}

TEST_F(ProviderTest, AnAnswerOfNoUseEndsTheAttemptAndNotTheCampaign) {
  const ScriptedServer server({ErrorReply(400,
                                          "Unsupported parameter: "
                                          "'temperature' is not supported",
                                          "temperature"),
                               ChatReply(""),
                               ChatReply("I would rather not.")});
  EXPECT_EQ(ExitOf(At(server.Url())), 3) << Output();
  EXPECT_THAT(Output(), HasSubstr("1 no_candidate"));
  ASSERT_EQ(server.Requests().size(), 3u);
  EXPECT_THAT(server.Requests()[0], HasSubstr("\"temperature\""));
  EXPECT_THAT(server.Requests()[1], testing::Not(HasSubstr("\"temperature\"")));
  EXPECT_THAT(server.Requests()[2], HasSubstr("Your answer could not be used"));
}

// "openai" at another host is the row "compatible", with its limits.
TEST_F(ProviderTest, TheLimitsAreThoseOfTheRowThatIsSpokenTo) {
  const fs::path table = directory() / "models.json";
  std::ofstream(table) << R"({"version": "1", "providers": [
      {"name": "compatible", "base_url": "http://h", "concurrent": 1}]})";
  const ModelServer server({.latency = std::chrono::milliseconds(5)});
  ExitOf(Run("openai:gpt-4.1", {{"--openai-base-url", server.Url()},
                                {"--models-file", table},
                                {"--budget", "6"},
                                {"--parallel", "3"}}));
  EXPECT_GE(Count(Database("x"), "wire_calls"), 6) << Output();
  EXPECT_EQ(Count(Database("x"),
                  "wire_calls a JOIN wire_calls b ON a.sent_at_s < b.sent_at_s"
                  " AND b.sent_at_s < a.sent_at_s + a.latency_s"),
            0);
}

// The answer was paid for, and is used; the next would be lost to the cassette.
TEST_F(ProviderTest, ADiskThatIsFullCostsNoAnswer) {
  const ModelServer server({});
  EXPECT_EQ(ExitOf(Run("openai:gpt-4.1", {{"--openai-base-url", server.Url()},
                                          {"--record", "/dev/full"}})),
            1);
  EXPECT_THAT(Output(), HasSubstr("/dev/full: No space left on device"));
  EXPECT_EQ(server.Calls().size(), 1u);
  EXPECT_EQ(Count(Database("x"), "attempts WHERE stage = 'planned'"), 1);
}

// It takes no output limit, and nobody knows that of the model "mystery".
TEST_F(ProviderTest, ACapThatCannotBeKeptIsRefused) {
  const ScriptedServer server(
      {ErrorReply(400, "Unsupported parameter: max_tokens"),
       ErrorReply(400, "Unsupported parameter: max_completion_tokens")});
  ExpectTrouble(Run("openai:mystery", {{"--openai-base-url", server.Url()},
                                       {"--cap-tokens", "1000000"}}),
                2, "a cap for the campaign cannot be kept");
}

// It asks its model for more than was reserved, and says so.
TEST_F(ProviderTest, ACommandMayPassACapOnce) {
  const fs::path agent = directory() / "agent.sh";
  std::ofstream(agent) << R"(echo '{"type": "result", "result": "x",
      "modelUsage": {"m": {"inputTokens": 900000, "outputTokens": 9}}}')";
  const fs::path table = directory() / "models.json";
  std::ofstream(table) << R"({"version": "1", "providers": [{"name": "mine",
      "api": "exec", "answer": "claude", "command": "sh )"
                       << agent.string() << R"("}]})";
  ExitOf(Run("mine:m", {{"--models-file", table},
                        {"--budget", "3"},
                        {"--cap-tokens", "100000"}}));
  EXPECT_THAT(Output(),
              HasSubstr("for the campaign is passed: spent 900009 tokens"));
  EXPECT_EQ(Count(Database("x"), "wire_calls WHERE charged_tokens = 900009"),
            1);
}

TEST_F(ProviderTest, CommandsHaveTheirTroublesToo) {
  ExpectTrouble(Run("exec:./no-such-agent"), 2, "(is it installed?)");
  ExpectTrouble(Run("exec:false"), 1, "exec: exit code 1");
  ExpectTrouble(Run("exec:sleep 600", {{"--model-timeout-s", "1"}}), 1,
                "sleep: not done in 1 s (model_timeout_s allows for more)");
  EXPECT_EQ(ExitOf(Run("exec:echo garbage")), 3) << Output();
  EXPECT_THAT(Output(), HasSubstr("1 no_candidate"));
}

// With a key from the environment or a command, and a server that puts it into
// whatever it says.
TEST_F(ProviderTest, AKeyIsNowhereButOnTheWire) {
  const fs::path keys = directory() / "keys";
  std::ofstream(keys) << kKey << "\n";
  const std::string echo = std::string("You sent ") + kKey + ".";
  std::string seen;  // All that the program ever said.
  for (const bool by_command : {false, true}) {
    Options more = {{"--progress", "plain"},
                    {"--model-retries", "1"},
                    {"--record", directory() / "cassette.jsonl"}};
    if (by_command) {
      unsetenv("OPENAI_API_KEY");
      more["--openai-key-command"] = "cat " + keys.string();
    }
    const ScriptedServer server(
        {HttpReplyText(500, echo,
                       std::string("x-request-id: ") + kKey + "\r\n"),
         ChatReply(echo), ErrorReply(401, echo), ChatReply(echo)});
    EXPECT_EQ(ExitOf(At(server.Url(), more)), 2);
    seen += Output();
    EXPECT_THAT(Output(), HasSubstr("You sent [key]"));
    EXPECT_EQ(ExitOf(At(server.Url(), more)), 3);
    seen += Output();
    EXPECT_THAT(server.Requests().at(3), HasSubstr(kKey));
    const Arguments db = {"--db", Database("x")};
    for (Arguments words : std::vector<Arguments>{
             {"show", "1"},
             {"show", "1", "--prompts"},
             {"prompt", "0"},
             {"report", "spend", "--by", "role"},
             {"report", "spend", "--json"},
             {"status"},
             {"tree"},
             {"export", "trajectories"},
             {"export", "plain", "--output", directory() / "plain.db"},
             {"sql", "--json", "SELECT * FROM settings"},
             {"sql", "--json",
              "SELECT *, blob_text(request_blob), blob_text(answer_blob)"
              " FROM wire_calls"}}) {
      words.insert(words.end(), db.begin(), db.end());
      seen += Succeed(words);
    }
    for (const auto& entry : fs::recursive_directory_iterator(directory())) {
      if (!entry.is_regular_file() || entry.path() == keys) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      seen.append(std::istreambuf_iterator<char>(file), {});
    }
    fs::remove(Database("x"));
    fs::remove(directory() / "plain.db");
  }
  EXPECT_THAT(seen, HasSubstr("You sent [key]."));
  const std::size_t at = seen.find(kKey);
  EXPECT_EQ(at, std::string::npos)
      << seen.substr(at - std::min(at, 200ul), 400);
}

// Its command heeds no request to end, and neither does what that has started.
// Whatever is left behind becomes this process's child.
class LeavingTest : public ProviderTest {
 protected:
  LeavingTest() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGINT, SIG_DFL);
  }

  struct Family {
    pid_t program, command, child;
  };

  Family StartFamily() const {
    const fs::path agent = directory() / "agent.sh";
    const fs::path pids = directory() / "pids";
    std::ofstream(agent) << "trap '' TERM INT HUP\nsleep 1000 &\n"
                         << "echo $$ $! > " << pids.string() << ".new\nmv "
                         << pids.string() << ".new " << pids.string()
                         << "\nwait\n";
    Family family{};
    family.program = Start(Run("exec:sh " + agent.string()));
    while (!fs::exists(pids) &&
           waitpid(family.program, nullptr, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::ifstream(pids) >> family.command >> family.child;
    return family;
  }

  // A signal to the process 0 would end whatever runs the tests.
  static bool IsWhole(const Family& family) {
    return family.program > 0 && family.command > 0 && family.child > 0;
  }

  static void ExpectKilled(pid_t child) {
    const int status = Wait(child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
  }
};

TEST_F(LeavingTest, ASecondSignalEndsCommandsAndWhatTheyStarted) {
  const Family family = StartFamily();
  ASSERT_TRUE(IsWhole(family)) << Output();
  kill(family.program, SIGINT);
  kill(family.program, SIGTERM);
  const int status = Wait(family.program);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_GT(WEXITSTATUS(status), 128);
  ExpectKilled(family.command);
  ExpectKilled(family.child);
}

TEST_F(LeavingTest, ACommandDiesWithTheProgram) {
  const Family family = StartFamily();
  ASSERT_TRUE(IsWhole(family)) << Output();
  kill(family.program, SIGKILL);
  ExpectKilled(family.program);
  ExpectKilled(family.command);
  kill(family.child, SIGKILL);  // Its own to end.
  Wait(family.child);
}

class GivingUpTest : public ProviderTest,
                     public testing::WithParamInterface<int> {
 protected:
  // What runs the tests may ignore it, and what is ignored is inherited.
  GivingUpTest() { signal(GetParam(), SIG_DFL); }
};

INSTANTIATE_TEST_SUITE_P(Signals, GivingUpTest,
                         testing::Values(SIGINT, SIGTERM, SIGHUP));

// Its answers would take an hour.
TEST_P(GivingUpTest, CallsAreGivenUpAtOnceAndAskedAnewLater) {
  const ModelServer slow({.latency = std::chrono::hours(1)});
  const Arguments run =
      At(slow.Url(), {{"--budget", "6"}, {"--parallel", "3"}});
  const pid_t child = Start(run);
  while (slow.Calls().size() < 3 && waitpid(child, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, GetParam());
  const int status = Wait(child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130) << Output();
  const fs::path database = Database("x");
  EXPECT_EQ(Count(database, "calls WHERE outcome = 'outcome_unknown'"), 3);
  EXPECT_EQ(Count(database,
                  "wire_calls WHERE outcome = 'outcome_unknown'"
                  " AND error LIKE '%: cancelled'"
                  " AND charged_tokens > 0"),
            3);
  EXPECT_EQ(Count(database, "attempts WHERE stage = 'reserved'"), 3);
  EXPECT_THAT(Succeed({"status", "--db", database}), HasSubstr("paused"));
  Succeed({"db", "doctor", "--db", database});

  // Where the key goes is not the database's to say.
  EXPECT_EQ(ExitOf({"resume", "--db", database}), 2);
  EXPECT_THAT(Output(), HasSubstr("give --openai-base-url again"));
  const ModelServer quick({});
  EXPECT_EQ(
      ExitOf({"resume", "--db", database, "--openai-base-url", quick.Url()}), 0)
      << Output();
  ExpectEachAnswerUsedOnce(database, 6);
}

}  // namespace
}  // namespace coppice
