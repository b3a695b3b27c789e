// What verbs that are asked by others say before they listen: serve, mcp and
// ticket.  Listening itself is tried in tests/.
#include "engine/cli/listening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(ListeningTest, OnlyAddressesThatOthersReachAreWarnedOf) {
  const auto warning = [](const std::string& address) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Streams streams{in, out, err};
    const bool warns = WarnIfOthersReach(address, streams);
    EXPECT_EQ(warns, !err.str().empty()) << address;
    return err.str();
  };
  for (const char* own : {"127.0.0.1", "127.1.2.3", "::1"}) {
    EXPECT_EQ(warning(own), "") << own;
  }
  for (const char* others : {"0.0.0.0", "::", "192.0.2.1", "::2", "12.7.0.1"}) {
    EXPECT_THAT(warning(others), StartsWith("warning: " + std::string(others) +
                                            " is reached from other machines"));
  }
}

class ServeRefusalTest : public ::testing::Test, protected Rehearsal {
 protected:
  std::string Refused(const std::vector<std::string>& words) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.err;
    EXPECT_EQ(said.out, "");
    return said.err;
  }
};

TEST_F(ServeRefusalTest, APlaceIsAPortOrASocket) {
  EXPECT_EQ(Refused({"serve", "--port", "65536"}),
            "coppice serve: --port 65536: 65535 at most\n");
  EXPECT_THAT(Refused({"serve", "--port", "-1"}), HasSubstr("--port"));
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--port", "0"}, {"--listen", "127.0.0.1"}}) {
    std::vector<std::string> words = {"serve", "--socket",
                                      File("s.sock").string()};
    words.insert(words.end(), other.begin(), other.end());
    EXPECT_EQ(Refused(words),
              "coppice serve: --socket or --port and --listen, not both\n");
  }
  EXPECT_EQ(Refused({"serve", "--listen", ","}),
            "coppice serve: --listen: say which, as --listen 192.0.2.1\n");
  EXPECT_EQ(Refused({"serve", "--host", ",,"}),
            "coppice serve: --host: say which, as --host build.lan\n");
}

TEST_F(ServeRefusalTest, EachDatabaseIsThereOnce) {
  const std::string same = (File("") / "." / "x.db").string();
  EXPECT_EQ(Refused({"serve", Path(), same}),
            "coppice serve: " + same + ": named twice\n");
  EXPECT_THAT(Refused({"serve", Path(), File("no.db").string()}),
              HasSubstr("no.db"));
  EXPECT_FALSE(std::filesystem::exists(File("no.db")));
}

TEST_F(ServeRefusalTest, AProgramThatStartedItIsServedAlone) {
  const std::vector<std::vector<std::string>> kOthers = {
      {"--port", "1"}, {"--listen", "::1"}, {"--socket", "s"},
      {"--host", "h"}, {"--read-only"},     {"--models-folder", "d"}};
  for (const std::vector<std::string>& other : kOthers) {
    std::vector<std::string> words = {"serve", "--stdio"};
    words.insert(words.end(), other.begin(), other.end());
    EXPECT_EQ(Refused(words), "coppice serve: --stdio: does not go with " +
                                  other.front() + ": nobody else is served\n");
  }
  EXPECT_EQ(Refused({"serve", "--stdio", "a.db", "b.db"}),
            "coppice serve: --stdio: serves one database\n");
}

// A link leads to the same file, and a text is no database.
TEST_F(ServeRefusalTest, ADatabaseIsOneHoweverItIsNamed) {
  std::filesystem::create_symlink(Path(), File("link.db"));
  EXPECT_EQ(Refused({"serve", Path(), File("link.db").string()}),
            "coppice serve: " + File("link.db").string() + ": named twice\n");
  EXPECT_THAT(Refused({"serve", Put("text.db", "no database")}),
              HasSubstr("text.db"));
}

TEST_F(ServeRefusalTest, AFolderOfModelsHasThem) {
  const std::string folder = File("models").string();
  const auto lacks = [&] {
    return Refused({"serve", "--models-folder", folder});
  };
  EXPECT_THAT(lacks(), HasSubstr(folder + ": has no web-llm.js; it holds"));
  Put("models/web-llm.js", "");
  EXPECT_THAT(lacks(), HasSubstr(folder + ": has no models.json; it holds"));
}

TEST_F(ServeRefusalTest, TheAssistantHasOneModel) {
  EXPECT_EQ(Refused({"serve", "--assistant-model", "openai:a,openai:b"}),
            "coppice serve: assistant_model: the assistant has one model\n");
}

class McpRefusalTest : public ServeRefusalTest {
 protected:
  nlohmann::json Server(std::vector<std::string> words) {
    words.insert(words.begin(), {"mcp", "--show-config"});
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    return nlohmann::json::parse(said.out).at("mcpServers").at("coppice");
  }
};

TEST_F(McpRefusalTest, AConfigurationStartsTheProgramOnThisDatabase) {
  const auto server = Server({});
  EXPECT_EQ(server.at("type"), "stdio");
  EXPECT_EQ(server.at("args"), (nlohmann::json{"mcp", "--db", Path()}));
  EXPECT_THAT(server.at("command").get<std::string>(), StartsWith("/"));
}

// The token of the file is what a client sends.
TEST_F(McpRefusalTest, AConfigurationForHttpHasAddressAndToken) {
  const std::string file = File("token").string();
  const struct {
    const char* typed;
    const char* url;
  } kCases[] = {
      {"127.0.0.1:8765", "http://127.0.0.1:8765/mcp"},
      {"8765", "http://127.0.0.1:8765/mcp"},
      {"[::1]:8765", "http://[::1]:8765/mcp"},
      {"::1:8765", "http://[::1]:8765/mcp"},
      {"box.lan:65535", "http://box.lan:65535/mcp"},
  };
  for (const auto& [typed, url] : kCases) {
    const auto server = Server({"--http", typed, "--token-file", file});
    EXPECT_EQ(server.at("type"), "http");
    EXPECT_EQ(server.at("url"), url);
    EXPECT_THAT(server.at("headers").at("Authorization").get<std::string>(),
                MatchesRegex("Bearer [0-9a-f]{64}"));
    EXPECT_THAT(ReadBack(file),
                HasSubstr(server.at("headers")
                              .at("Authorization")
                              .get<std::string>()
                              .substr(std::string("Bearer ").size())));
  }
}

TEST_F(McpRefusalTest, WhatIsNoPlaceIsRefused) {
  const std::string file = File("token").string();
  for (const char* place :
       {"x", "127.0.0.1", "127.0.0.1:", ":8765", "127.0.0.1:65536",
        "127.0.0.1:-1", "[]:8765", "127.0.0.1:80x"}) {
    EXPECT_EQ(Refused({"mcp", "--show-config", "--http", place, "--token-file",
                       file}),
              "coppice mcp: --http " + std::string(place) +
                  ": expected ADDRESS:PORT, as 127.0.0.1:0\n");
  }
  EXPECT_EQ(Refused({"mcp", "--show-config", "--http", "127.0.0.1:0",
                     "--token-file", file}),
            "coppice mcp: --http 127.0.0.1:0: give the port that was printed, "
            "for clients to be told\n");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(McpRefusalTest, ATokenIsForHttp) {
  EXPECT_EQ(Refused({"mcp", "--show-config", "--http", "8765"}),
            "coppice mcp: --http: give --token-file FILE; it is made if it is "
            "not there\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"mcp"}, {"mcp", "--show-config"}}) {
    std::vector<std::string> with = words;
    with.insert(with.end(), {"--token-file", File("token").string()});
    EXPECT_EQ(Refused(with), "coppice mcp: --token-file: is of --http\n");
  }
  EXPECT_FALSE(std::filesystem::exists(File("token")));
}

// An agent's bridge speaks of one campaign, and to nobody else.
TEST_F(McpRefusalTest, ABridgeIsNothingElse) {
  const std::vector<std::vector<std::string>> kOthers = {
      {"--http", "8765"}, {"--token-file", "t"}, {"--show-config"}};
  for (const std::vector<std::string>& other : kOthers) {
    std::vector<std::string> words = {"mcp", "--bridge",
                                      File("s.sock").string()};
    words.insert(words.end(), other.begin(), other.end());
    EXPECT_EQ(Refused(words), "coppice mcp: " + other.front() +
                                  ": does not go with --bridge\n");
  }
}

class TicketRefusalTest : public ServeRefusalTest {};

TEST_F(TicketRefusalTest, WhatIsAskedForIsChecked) {
  EXPECT_EQ(Refused({"ticket", "ask"}),
            "coppice ticket ask: --agent NAME: say who asks\n");
  const struct {
    const char* option;
    const char* value;
    const char* why;
  } kCases[] = {
      {"--roles", "boss", "--roles boss: expected plan, code or debug, with "},
      {"--roles", "plan,", "--roles plan,: expected plan, code or debug, with"},
      {"--lease", "long", "--lease: 'long' is no number"},
      {"--lease", "10 s", "--lease: '10 s' is no number"},
      {"--wait", "", "--wait: expected a value"},
      {"--max-cost-usd", "$1", "--max-cost-usd: '$1' is no number"},
      {"--count", "-1", "--count: expected a whole number of at least 0"},
      {"--parent", "root", "--parent: expected a whole number of at least 0"},
  };
  for (const auto& [option, value, why] : kCases) {
    EXPECT_THAT(Refused({"ticket", "ask", "--agent", "me", option, value}),
                HasSubstr(why));
  }
}

TEST_F(TicketRefusalTest, ATicketIsWhatWasPrinted) {
  for (const char* action : {"tell", "renew", "give-up"}) {
    EXPECT_EQ(Refused({"ticket", action, "17"}),
              "coppice ticket " + std::string(action) +
                  ": '17' is no ticket: `coppice ticket ask` prints one\n");
    EXPECT_THAT(Refused({"ticket", action}), HasSubstr("missing TICKET"));
  }
}

TEST_F(TicketRefusalTest, WhatIsToldIsReadBeforeAnythingIsOpened) {
  const std::string ticket = "0190163d-8694-739b-aea5-966c26f8ad91";
  EXPECT_EQ(Refused({"ticket", "tell", ticket, "--plan", "-", "--source", "-"}),
            "coppice ticket tell: -: standard input can be read but once\n");
  EXPECT_THAT(
      Refused({"ticket", "tell", ticket, "--source", File("no.cc").string()}),
      HasSubstr("no.cc"));
  EXPECT_THAT(Refused({"ticket", "tell", ticket, "--cost-usd", "much"}),
              HasSubstr("--cost-usd: 'much' is no number"));
  EXPECT_THAT(Refused({"ticket", "renew", ticket, "--lease", "soon"}),
              HasSubstr("--lease: 'soon' is no number"));
}

}  // namespace
}  // namespace coppice::cli
