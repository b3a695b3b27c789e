#include "engine/http/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace coppice::http {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kSecret(64, 'a');

// A connection, by which the test says what it likes.
class Line {
 public:
  explicit Line(std::uint16_t port, const char* address = "127.0.0.1") {
    file_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, address, &to.sin_addr);
    is_open_ =
        ::connect(file_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    WaitAtMost(10);
  }
  explicit Line(const std::string& socket) {
    file_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    socket.copy(to.sun_path, sizeof to.sun_path - 1);
    is_open_ =
        ::connect(file_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    WaitAtMost(10);
  }
  ~Line() { ::close(file_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  bool is_open() const { return is_open_; }

  void WaitAtMost(int seconds) {
    const timeval limit{seconds, 0};
    ::setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  void Send(const std::string& text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t now =
          ::send(file_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;
      sent += static_cast<std::size_t>(now);
    }
  }

  // Until `end` is there, or nothing comes any more.
  std::string Until(const std::string& end) {
    while (text_.find(end) == text_.npos && Take()) {
    }
    return text_;
  }
  // All until the other side closes.
  std::string All() {
    while (Take()) {
    }
    return text_;
  }
  void Forget() { text_.clear(); }

 private:
  bool Take() {
    char bytes[4096];
    const ssize_t count = ::recv(file_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    text_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int file_ = -1;
  bool is_open_ = false;
  std::string text_;
};

class ServerTest : public ::testing::Test {
 protected:
  void Start(ServerLimits limits = {}, Place place = {}) {
    auto started = Server::Start(
        place, {kSecret},
        [this](const Request& request) {
          ++asked_;
          return Answer{200, "text/plain",
                        request.method + request.path + request.body};
        },
        limits);
    if (!started) throw std::runtime_error(started.error().what);
    server_ = *std::move(started);
    port_ = server_->port();
  }

  std::string Head(const std::string& request) const {
    return request + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port_) +
           "\r\nCookie: coppice-" + std::to_string(port_) + "=" + kSecret +
           "\r\n";
  }
  // What comes of it, the connection being closed after it.
  std::string Ask(const std::string& head, const std::string& body = "") {
    Line line(port_);
    line.Send(head + "Connection: close\r\n\r\n" + body);
    return line.All();
  }

  std::unique_ptr<Server> server_;
  std::uint16_t port_ = 0;
  std::atomic<int> asked_ = 0;
};

TEST_F(ServerTest, AnAnswerHasTheHeadersThatKeepOthersOut) {
  Start();
  const std::string answer = Ask(Head("GET /x"));
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("GET/x"),
                            HasSubstr("default-src 'none'"),
                            HasSubstr("frame-ancestors 'none'"),
                            HasSubstr("Referrer-Policy: no-referrer"),
                            HasSubstr("X-Content-Type-Options: nosniff"),
                            HasSubstr("Cache-Control: no-store")));
  EXPECT_THAT(answer, Not(HasSubstr("Access-Control")));
  EXPECT_THAT(answer, Not(HasSubstr(kSecret)));
}

TEST_F(ServerTest, WithoutTheTokenNothingIsAsked) {
  Start();
  const std::string host =
      " HTTP/1.1\r\nHost: localhost:" + std::to_string(port_) + "\r\n";
  for (const std::string path : {"/", "/api/x", "/events", "/assets/x.js"}) {
    EXPECT_THAT(Ask("GET " + path + host), StartsWith("HTTP/1.1 403")) << path;
  }
  EXPECT_EQ(asked_, 0);
  const std::string welcome = Ask("GET /?token=" + kSecret + host);
  EXPECT_THAT(welcome,
              AllOf(StartsWith("HTTP/1.1 303"), HasSubstr("Location: /\r\n"),
                    HasSubstr("SameSite=Strict")));
}

TEST_F(ServerTest, AnotherHostIsRefusedOnEveryPath) {
  Start();
  for (const std::string path : {"/", "/api/x", "/events"}) {
    EXPECT_THAT(Ask("GET " + path +
                    " HTTP/1.1\r\nHost: evil.example\r\nCookie: coppice-" +
                    std::to_string(port_) + "=" + kSecret + "\r\n"),
                StartsWith("HTTP/1.1 403"));
  }
  EXPECT_THAT(Ask(Head("GET /") + "Host: evil.example\r\n"),
              StartsWith("HTTP/1.1 400"));
}

TEST_F(ServerTest, AFormOfAnotherSiteIsRefused) {
  Start();
  const std::string body = "a=1";
  const std::string length = "Content-Length: 3\r\n";
  EXPECT_THAT(Ask(Head("POST /api/sql") + length +
                      "Content-Type: application/x-www-form-urlencoded\r\n"
                      "Origin: http://evil.example\r\n",
                  body),
              StartsWith("HTTP/1.1 403"));
  const std::string ours = "Origin: http://localhost:" + std::to_string(port_) +
                           "\r\nX-Coppice: 1\r\nContent-Type: "
                           "application/json\r\n";
  EXPECT_THAT(Ask(Head("POST /api/sql") + length + ours, body),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("POST/api/sqla=1")));
  EXPECT_EQ(asked_, 1);
}

TEST_F(ServerTest, AConnectionServesOneRequestAfterTheOther) {
  Start();
  Line line(port_);
  line.Send(Head("GET /1") + "\r\n" + Head("GET /2") + "\r\n" + Head("GET /3") +
            "Connection: close\r\n\r\n");  // Pipelined.
  const std::string all = line.All();
  const std::size_t first = all.find("GET/1");
  const std::size_t second = all.find("GET/2");
  const std::size_t third = all.find("GET/3");
  ASSERT_NE(third, all.npos);
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
}

TEST_F(ServerTest, LargeHeadersAndBodiesAreRefused) {
  Start();
  EXPECT_THAT(Ask(Head("GET /") + "X: " + std::string(17 << 10, 'x') + "\r\n"),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(Ask(Head("POST /api/sql") + "Content-Length: 1048577\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_EQ(asked_, 0);
}

TEST_F(ServerTest, ASmuggledLengthIsNoRequest) {
  Start();
  const std::string smuggled = "0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n";
  const std::string both = Ask(Head("POST /api/sql") +
                                   "Content-Length: 5\r\n"
                                   "Transfer-Encoding: chunked\r\n",
                               smuggled);
  EXPECT_THAT(both, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(
      Ask(Head("POST /api/sql") + "Content-Length: 5\r\nContent-Length: 6\r\n",
          "hello!"),
      StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Ask("rubbish\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_EQ(asked_, 0);
}

TEST_F(ServerTest, WhoSendsTooSlowlyIsDropped) {
  Start({.request_s = 0.2});
  Line line(port_);
  line.Send(Head("GET /first") + "\r\n");
  line.Until("GET/first");
  line.Forget();
  line.Send("GET / HTTP/1.1\r\nHo");
  EXPECT_THAT(line.All(), IsEmpty());
  EXPECT_THAT(Ask(Head("GET /x")), HasSubstr("GET/x"));
}

TEST_F(ServerTest, WhoBringsNoTokenHasLittleTime) {
  Start({.stranger_s = 0.2});
  Line line(port_);
  line.Send("GET / HTTP/1.1\r\nHo");
  EXPECT_THAT(line.All(), IsEmpty());
}

TEST_F(ServerTest, ABodyOfAStrangerIsNotWaitedFor) {
  Start();
  Line line(port_);
  line.Send("POST /api/sql HTTP/1.1\r\nHost: localhost:" +
            std::to_string(port_) + "\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_THAT(line.Until("\r\n\r\n"), StartsWith("HTTP/1.1 403"));
}

// Places are for those who have the token: the two that send nothing make room.
TEST_F(ServerTest, StrangersThatHoldAllPlacesGiveThemUp) {
  Start({.connections = 2});
  Line silent(port_);
  Line half(port_);
  half.Send("GET / HTTP/1.1\r\nHo");
  Line first(port_);
  first.Send(Head("GET /1") + "\r\n");
  EXPECT_THAT(first.Until("GET/1"), HasSubstr("GET/1"));
  EXPECT_THAT(silent.All(), IsEmpty());
  Line second(port_);
  second.Send(Head("GET /2") + "\r\n");
  EXPECT_THAT(second.Until("GET/2"), HasSubstr("GET/2"));
  EXPECT_THAT(half.All(), IsEmpty());
}

TEST_F(ServerTest, AboveItsMostConnectionsOthersAreClosed) {
  Start({.connections = 2});
  Line first(port_);
  Line second(port_);
  first.Send(Head("GET /1") + "\r\n");
  second.Send(Head("GET /2") + "\r\n");
  EXPECT_THAT(first.Until("GET/1"), HasSubstr("GET/1"));
  EXPECT_THAT(second.Until("GET/2"), HasSubstr("GET/2"));
  EXPECT_THAT(Ask(Head("GET /3")), IsEmpty());
}

TEST_F(ServerTest, AViewerGetsTheLastMessageAndThoseThatCome) {
  Start();
  server_->Publish("change", "{\"n\":1}");
  Line viewer(port_);
  viewer.Send(Head("GET /events") + "\r\n");
  EXPECT_THAT(viewer.Until("{\"n\":1}\n\n"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/event-stream"),
                    HasSubstr("id: 1\nevent: change\ndata: {\"n\":1}\n\n"),
                    HasSubstr("default-src 'none'")));
  viewer.Forget();
  server_->Publish("change", "{\"n\":2}");
  EXPECT_THAT(viewer.Until("{\"n\":2}\n\n"), HasSubstr("id: 2\n"));
}

TEST_F(ServerTest, AViewerIsToldThatTheServerLives) {
  Start({.heartbeat_s = 0.05});
  Line viewer(port_);
  viewer.Send(Head("GET /events") + "\r\n");
  EXPECT_THAT(viewer.Until(": still here\n\n"), HasSubstr(": still here\n\n"));
}

TEST_F(ServerTest, ASlowViewerMissesMessagesButNotTheLast) {
  Start();
  Line viewer(port_);
  viewer.Send(Head("GET /events") + "\r\n");
  viewer.Until(": coppice\n\n");
  // 40 MB are more than the system holds for who does not read.
  constexpr int kMessages = 40;
  for (int i = 1; i <= kMessages; ++i) {
    server_->Publish("change",
                     std::to_string(i) + std::string(1 << 20, 'x') + "end");
  }
  Ask(Head("GET /x"));  // By now all of them were published.
  const std::string all = viewer.Until("id: 40\n");
  EXPECT_THAT(all, HasSubstr("id: 40\n"));
  EXPECT_LT(all.size(), std::size_t{kMessages} << 20);
}

TEST_F(ServerTest, StoppingClosesEverythingAtOnce) {
  Start();
  std::vector<std::unique_ptr<Line>> viewers;
  for (int i = 0; i < 100; ++i) {
    viewers.push_back(std::make_unique<Line>(port_));
    viewers.back()->Send(Head("GET /events") + "\r\n");
  }
  for (const auto& viewer : viewers) viewer->Until(": coppice\n\n");
  server_.reset();
  for (const auto& viewer : viewers) viewer->All();
  EXPECT_FALSE(Line(port_).is_open());
}

TEST_F(ServerTest, OnlyThisMachineReachesIt) {
  Start();
  // All of 127.0.0.0/8 are this machine's, but it listens at one of them.
  EXPECT_TRUE(Line(port_).is_open());
  EXPECT_FALSE(Line(port_, "127.0.0.2").is_open());
}

TEST_F(ServerTest, ATakenPortIsSaidInALine) {
  Start();
  const auto second = Server::Start({port_}, {kSecret},
                                    [](const Request&) { return Answer{}; });
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::kBusy);
  EXPECT_THAT(second.error().what, HasSubstr("taken by another program"));
}

TEST_F(ServerTest, ASocketIsItsOwnersAlone) {
  char folder[] = "/tmp/coppice-http-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/s";
  Start({}, {0, {}, path});
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  Line line(path);
  line.Send(
      "GET /x HTTP/1.1\r\nHost: localhost:1234\r\nCookie: "
      "coppice-socket=" +
      kSecret + "\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(line.All(), HasSubstr("GET/x"));
  server_.reset();
  EXPECT_NE(::stat(path.c_str(), &status), 0);
  ::rmdir(folder);
}

TEST_F(ServerTest, AFileInThePlaceOfASocketIsLeftAlone) {
  const auto started = Server::Start({0, {}, "/dev/null"}, {kSecret},
                                     [](const Request&) { return Answer{}; });
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::kUsage);
  EXPECT_THAT(started.error().what,
              HasSubstr("/dev/null: is there already, and is no socket"));
}

class AnswerInPiecesTest : public ServerTest {
 protected:
  // Tells `count` pieces, or goes on until nobody listens.
  void StartTelling(int count, ServerLimits limits = {}) {
    const auto handler = [this, count](const Request&) {
      Answer answer{200, "text/event-stream"};
      answer.pieces = [this, count](const http::Tell& tell,
                                    const std::atomic<bool>& is_gone) {
        ++begun_;
        for (int i = 0; i != count && !is_gone; ++i) {
          tell("data: " + std::to_string(i) + "\n\n");
          if (count < 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
        }
        ++ended_;
      };
      return answer;
    };
    auto started = Server::Start({}, {kSecret}, handler, limits);
    if (!started) throw std::runtime_error(started.error().what);
    server_ = *std::move(started);
    port_ = server_->port();
  }

  std::atomic<int> begun_ = 0;
  std::atomic<int> ended_ = 0;
};

TEST_F(AnswerInPiecesTest, AnAnswerInPiecesComesInOrderAndEndsItsConnection) {
  StartTelling(100);
  Line line(port_);
  line.Send(Head("GET /api/ask") + "\r\n");
  const std::string all = line.All();
  EXPECT_THAT(all, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(all, HasSubstr("Content-Type: text/event-stream\r\n"));
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    expected += "data: " + std::to_string(i) + "\n\n";
  }
  EXPECT_EQ(all.substr(all.find("\r\n\r\n") + 4), expected);
}

TEST_F(AnswerInPiecesTest, OneThatFailsEndsNoMoreThanItsConnection) {
  auto started = Server::Start({}, {kSecret}, [](const Request&) {
    Answer answer{200, "text/event-stream"};
    answer.pieces = [](const http::Tell& tell, const std::atomic<bool>&) {
      tell("data: 1\n\n");
      throw std::bad_alloc();
    };
    return answer;
  });
  ASSERT_TRUE(started);
  server_ = *std::move(started);
  port_ = server_->port();
  for (int i = 0; i < 2; ++i) {
    Line line(port_);
    line.Send(Head("GET /api/ask") + "\r\n");
    EXPECT_THAT(line.All(), EndsWith("\r\n\r\ndata: 1\n\n"));
  }
}

// It has read all of its answer, and holds the only place there is.
TEST_F(AnswerInPiecesTest, WhoStaysAfterTheLastPieceIsClosed) {
  StartTelling(3, {.connections = 1});
  Line stays(port_);
  stays.Send(Head("GET /api/ask") + "\r\n");
  EXPECT_THAT(stays.All(), EndsWith("data: 2\n\n"));
  std::string said;
  for (int i = 0; i < 1000 && said.empty(); ++i) {
    Line next(port_);
    next.Send(Head("GET /api/ask") + "\r\n");
    said = next.All();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_THAT(said, EndsWith("data: 2\n\n"));
}

TEST_F(AnswerInPiecesTest, WhoGoesAwayEndsIt) {
  StartTelling(-1);
  {
    Line line(port_);
    line.Send(Head("GET /api/ask") + "\r\n");
    line.Until("data: 1\n");
  }
  for (int i = 0; i < 2000 && ended_ == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(ended_, 1);
}

TEST_F(AnswerInPiecesTest, FourAreToldAtATimeAndAllEndWithTheServer) {
  StartTelling(-1);
  std::vector<std::unique_ptr<Line>> lines;
  for (int i = 0; i < 4; ++i) {
    lines.push_back(std::make_unique<Line>(port_));
    lines.back()->Send(Head("GET /api/ask") + "\r\n");
    lines.back()->Until("data: 1\n");
  }
  Line fifth(port_);
  fifth.Send(Head("GET /api/ask") + "\r\n");
  EXPECT_THAT(fifth.All(), StartsWith("HTTP/1.1 503 "));
  server_.reset();
  EXPECT_EQ(begun_, 4);
  EXPECT_EQ(ended_, 4);
}

}  // namespace
}  // namespace coppice::http
