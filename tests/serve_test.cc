// The server as a user starts it: a tour of all that it answers, viewers while
// a campaign runs, and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "store/database.h"
#include "tests/campaign_process.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A connection to the server on this machine.
class Line {
 public:
  explicit Line(int port) : file_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(file_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("nobody listens");
    }
    const timeval limit{30, 0};
    ::setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~Line() { ::close(file_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void Send(const std::string& text) {
    ASSERT_EQ(::send(file_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // Reads until `end` has come, or all has.
  std::string Until(const std::string& end) {
    while (text_.find(end) == text_.npos) {
      char bytes[65536];
      const ssize_t count = ::recv(file_, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      text_.append(bytes, static_cast<std::size_t>(count));
    }
    return text_;
  }
  std::string All() { return Until(std::string("\0never\0", 7)); }

 private:
  int file_;
  std::string text_;
};

// `coppice serve` of a file.
class Served {
 public:
  Served(const std::string& place, const Arguments& arguments)
      : processes_(place) {
    Arguments all = {"serve", "--port", "0", "--no-open"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    child_ = processes_.Start(all);
    const std::string begin = "http://localhost:";
    for (int i = 0; i < 3000; ++i) {
      const std::string output = processes_.Output();
      const std::size_t at = output.find(begin);
      if (at != output.npos && output.find("Ctrl-C") != output.npos) {
        port_ = std::stoi(output.substr(at + begin.size()));
        const std::size_t token = output.find("token=") + 6;
        token_ = output.substr(token, 64);
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw std::runtime_error("no address: " + processes_.Output());
  }
  ~Served() {
    if (child_ > 0) End(SIGKILL);
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  int port() const { return port_; }
  const std::string& token() const { return token_; }

  std::string Head(const std::string& request) const {
    const std::string port = std::to_string(port_);
    return request + " HTTP/1.1\r\nHost: localhost:" + port +
           "\r\nCookie: coppice-" + port + "=" + token_ + "\r\n";
  }
  // The status line, headers and all.
  std::string Ask(const std::string& request, const std::string& more = "",
                  const std::string& body = "") const {
    Line line(port_);
    line.Send(Head(request) + more + "Connection: close\r\n\r\n" + body);
    return line.All();
  }
  json Get(const std::string& target) const {
    const std::string answer = Ask("GET " + target);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200")) << target;
    return json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }
  std::string Post(const std::string& path, const json& body) const {
    const std::string text = body.dump();
    return Ask("POST " + path,
               "Origin: http://localhost:" + std::to_string(port_) +
                   "\r\nX-Coppice: 1\r\nContent-Type: application/json\r\n"
                   "Content-Length: " +
                   std::to_string(text.size()) + "\r\n",
               text);
  }
  std::unique_ptr<Line> View() const {
    auto line = std::make_unique<Line>(port_);
    line->Send(Head("GET /events") + "\r\n");
    return line;
  }

  // The status of waitpid().
  int End(int signal) {
    ::kill(child_, signal);
    return CampaignProcesses::Wait(std::exchange(child_, 0));
  }

 private:
  CampaignProcesses processes_;
  pid_t child_ = 0;
  int port_ = 0;
  std::string token_;
};

class ServeTest : public ::testing::Test {
 protected:
  void Run(const std::string& task, int budget) {
    const int status = CampaignProcesses::Wait(
        runs_.Start({"run", task, "--db", Db(), "--budget",
                     std::to_string(budget), "--progress", "none"}));
    // 3: nothing beat the root, which is none of this test's business.
    ASSERT_THAT(WEXITSTATUS(status), ::testing::AnyOf(0, 3)) << runs_.Output();
  }
  std::string Db() const { return runs_.Database("x").string(); }

  CampaignProcesses runs_{"runs"};
};

const std::vector<std::string> kOfCampaign = {
    "/api/campaign?",    "/api/tree?",       "/api/nodes?",
    "/api/node?n=3&",    "/api/source?n=3&", "/api/samples?n=3&",
    "/api/lineage?n=3&", "/api/calls?n=3&",  "/api/decision?d=5&",
    "/api/failures?",    "/api/history?n=3&"};

TEST_F(ServeTest, ATourReadOnlyLeavesTheFileAsItWas) {
  Run("sim:hill/1", 30);
  const std::string before = Contents(Db());
  Served served("server", {Db(), "--read-only"});
  for (const std::string path :
       {"/api/state", "/api/campaigns", "/api/leaderboard", "/api/spend",
        "/api/compare", "/api/schema"}) {
    EXPECT_FALSE(served.Get(path).is_null()) << path;
  }
  const std::string campaign = served.Get("/api/campaigns")[0]["c"];
  for (const std::string& path : kOfCampaign) {
    EXPECT_THAT(served.Ask("GET " + path + "c=" + campaign),
                StartsWith("HTTP/1.1 200"))
        << path;
  }
  const json decision = served.Get("/api/decision?d=5&c=" + campaign);
  EXPECT_EQ(decision["again"]["same"], true);
  EXPECT_EQ(decision["again"]["node"], decision["parent"]);
  EXPECT_THAT(served.Post("/api/sql", {{"sql", "SELECT count(*) FROM nodes"}}),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("[[31]]")));
  EXPECT_THAT(served.Post("/api/directives", json::object()),
              StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(served.Ask("GET /c/" + campaign + "/tree"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/html")));
  EXPECT_THAT(served.Ask("GET /assets/none.js"),
              ::testing::Not(HasSubstr("javascript")));
  EXPECT_EQ(served.End(SIGTERM), 0);
  EXPECT_EQ(Contents(Db()), before);
}

TEST_F(ServeTest, TheTokenIsAskedForAndNotShownAgain) {
  Run("sim:hill/1", 3);
  Served served("server", {Db()});
  Line line(served.port());
  const std::string host =
      " HTTP/1.1\r\nHost: localhost:" + std::to_string(served.port()) +
      "\r\nConnection: close\r\n\r\n";
  line.Send("GET /api/campaigns" + host);
  EXPECT_THAT(line.All(), StartsWith("HTTP/1.1 403"));
  Line first(served.port());
  first.Send("GET /?token=" + served.token() + host);
  EXPECT_THAT(first.All(), AllOf(StartsWith("HTTP/1.1 303"),
                                 HasSubstr("Set-Cookie: coppice-")));
  for (const std::string path : {"/api/state", "/", "/api/campaigns"}) {
    EXPECT_THAT(served.Ask("GET " + path),
                ::testing::Not(HasSubstr(served.token())));
  }
}

TEST_F(ServeTest, ACampaignThatRunsIsSeenByAllViewers) {
  Run("sim:hill/1", 3);
  Served served("server", {Db()});
  // Eight of 200 viewers come before anything happens.
  std::vector<std::unique_ptr<Line>> viewers;
  for (int i = 0; i < 8; ++i) viewers.push_back(served.View());
  for (const auto& viewer : viewers) {
    EXPECT_THAT(viewer->Until("\"nodes\":4"), HasSubstr("\"nodes\":4"));
  }
  while (viewers.size() < 200) viewers.push_back(served.View());
  Run("sim:hill/2", 20);
  for (const auto& viewer : viewers) {
    EXPECT_THAT(viewer->Until("\"nodes\":21"), HasSubstr("\"nodes\":21"));
  }
  EXPECT_EQ(served.Get("/api/campaigns").size(), 2U);
  EXPECT_EQ(served.End(SIGINT), 0);
  for (const auto& viewer : viewers) viewer->All();  // It was closed.
}

TEST_F(ServeTest, AReplacedFileIsReadAnew) {
  Run("sim:hill/1", 3);
  Served served("server", {Db()});
  EXPECT_EQ(served.Get("/api/campaigns")[0]["nodes"], 4);
  fs::rename(Db(), Db() + ".before");
  EXPECT_THAT(served.Ask("GET /api/campaigns"), StartsWith("HTTP/1.1 503"));
  Run("sim:hill/1", 5);
  EXPECT_EQ(served.Get("/api/campaigns")[0]["nodes"], 6);
}

TEST_F(ServeTest, WhatCannotBeServedIsSaidInALine) {
  const auto refusal = [&](const Arguments& arguments) {
    Arguments all = {"serve", "--no-open", "--port", "0"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const int status = CampaignProcesses::Wait(runs_.Start(all));
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_NE(WEXITSTATUS(status), 0);
    return runs_.Output();
  };
  EXPECT_THAT(refusal({Db()}), HasSubstr("no such file"));
  std::ofstream(Db()).close();
  EXPECT_THAT(refusal({Db()}), HasSubstr("empty"));
  std::ofstream(Db()) << "no database, but long enough to look like a file";
  EXPECT_THAT(refusal({Db()}), HasSubstr("not a SQLite file"));
  fs::remove(Db());
  Run("sim:hill/1", 3);
  EXPECT_THAT(refusal({Db(), Db()}), HasSubstr("named twice"));
  EXPECT_THAT(refusal({Db(), "--listen", "nowhere"}), HasSubstr("no address"));
  EXPECT_THAT(refusal({Db(), "--socket", "x"}), HasSubstr("not both"));
}

}  // namespace
}  // namespace coppice
