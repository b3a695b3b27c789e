#include "agents/provider/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "agents/provider/scripted_server.h"

namespace coppice::agents {
namespace {

using ::testing::HasSubstr;

TEST(HttpTest, SendsHeadersAndBodyAndReadsTheReply) {
  const ScriptedServer server({HttpReplyText(
      418, "short and stout", "Retry-After: 7\r\nx-should-retry: false\r\n")});
  HttpRequest request;
  request.url = server.Url() + "/pot";
  request.headers = {"Content-Type: text/plain"};
  request.body = std::string("a\0b", 3);
  const auto reply = Post(request);
  ASSERT_TRUE(reply) << reply.error().error.what;
  EXPECT_EQ(reply->status, 418);
  EXPECT_EQ(reply->body, "short and stout");
  EXPECT_EQ(reply->retry_after_s, 7.0);
  EXPECT_EQ(reply->should_retry, false);
  const std::string received = server.Requests().at(0);
  EXPECT_THAT(received, HasSubstr("POST /v1/pot HTTP/1.1\r\n"));
  EXPECT_THAT(received, HasSubstr("\r\nContent-Type: text/plain\r\n"));
  EXPECT_TRUE(received.ends_with(std::string("\r\n\r\na\0b", 7)));
}

TEST(HttpTest, MillisecondsToRetryAfterAreFinerThanSeconds) {
  const ScriptedServer server(
      {HttpReplyText(429, "", "Retry-After: 7\r\nretry-after-ms: 250\r\n")});
  EXPECT_EQ(Post({.url = server.Url()})->retry_after_s, 0.25);
}

TEST(HttpTest, HeadersThatAreNotThereAreAbsent) {
  const ScriptedServer server({HttpReplyText(200, "")});
  const auto reply = Post({.url = server.Url()});
  EXPECT_EQ(reply->retry_after_s, std::nullopt);
  EXPECT_EQ(reply->should_retry, std::nullopt);
}

TEST(HttpTest, AStreamOfEventsIsHandedOn) {
  const ScriptedServer server({HttpStreamText(
      "data: a\n\n" + std::string(ScriptedServer::kPause) + "data: b\n\n")});
  std::string streamed;
  HttpRequest request{.url = server.Url()};
  request.on_stream = [&](std::string_view bytes) {
    streamed += bytes;
    return true;
  };
  const auto reply = Post(request);
  ASSERT_TRUE(reply) << reply.error().error.what;
  EXPECT_TRUE(reply->streamed);
  EXPECT_EQ(reply->body, "");
  EXPECT_EQ(streamed, "data: a\n\ndata: b\n\n");
}

TEST(HttpTest, AMediaTypeHasNoCase) {
  const ScriptedServer server(
      {"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=UTF-8\r\n"
       "\r\ndata: a\n\n"});
  HttpRequest request{.url = server.Url()};
  request.on_stream = [](std::string_view) { return true; };
  EXPECT_TRUE(Post(request)->streamed);
}

TEST(HttpTest, OnlyASuccessIsAStream) {
  const ScriptedServer server(
      {"HTTP/1.1 429 Slow\r\nContent-Type: text/event-stream\r\n\r\nslow",
       HttpReplyText(200, "{}")});
  HttpRequest request{.url = server.Url()};
  request.on_stream = [](std::string_view) {
    ADD_FAILURE();
    return false;
  };
  EXPECT_EQ(Post(request)->body, "slow");
  EXPECT_EQ(Post(request)->body, "{}");
}

TEST(HttpTest, WhoeverTakesAStreamMayEndIt) {
  const ScriptedServer server(
      {HttpStreamText("data: a\n\n" + std::string(ScriptedServer::kHang))});
  HttpRequest request{.url = server.Url()};
  request.on_stream = [](std::string_view) { return false; };
  const auto reply = Post(request);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.code, Errc::kUnavailable);
  EXPECT_EQ(reply.error().status, 200);
}

TEST(HttpTest, AnIdSaysWhichCallItWas) {
  const ScriptedServer server(
      {HttpReplyText(200, "", "X-Request-Id: req_1\r\n")});
  EXPECT_EQ(Post({.url = server.Url()})->request_id, "req_1");
}

TEST(HttpTest, SilenceAfterARequestIsNotTransient) {
  const ScriptedServer server({ScriptedServer::kHang});
  HttpRequest request{.url = server.Url()};
  request.body = "{}";
  request.silence_s = 1;
  const auto reply = Post(request);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.code, Errc::kTimeout);
  EXPECT_TRUE(reply.error().silent);
  EXPECT_FALSE(reply.error().transient);
}

// A listener whose queue is full answers no one: the connection is never made.
TEST(HttpTest, ABlockedConnectCanBeCancelled) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener, generic, size), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  ASSERT_EQ(getsockname(listener, generic, &size), 0);
  std::vector<int> queue;
  for (int i = 0; i < 4; ++i) {
    queue.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    (void)connect(queue.back(), generic, size);
  }
  std::atomic<bool> cancel = false;
  HttpRequest request;
  request.url =
      "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
  request.cancel = &cancel;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cancel = true;
  });
  const auto reply = Post(request);
  user.join();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.code, Errc::kCancelled);
  EXPECT_FALSE(reply.error().sent);
  for (const int fd : queue) close(fd);
  close(listener);
}

TEST(HttpTest, RedirectsAreNotFollowed) {
  const ScriptedServer server(
      {HttpReplyText(302, "", "Location: http://127.0.0.1:1/elsewhere\r\n")});
  EXPECT_EQ(Post({.url = server.Url()})->status, 302);
}

TEST(HttpTest, ARefusedConnectionIsTransient) {
  const auto reply = Post({.url = "http://127.0.0.1:1/"});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.code, Errc::kUnavailable);
  EXPECT_TRUE(reply.error().transient);
}

TEST(HttpTest, ALostConnectionIsTransient) {
  const ScriptedServer server(
      {ScriptedServer::kClose,
       "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"});
  for (int i = 0; i < 2; ++i) {
    const auto reply = Post({.url = server.Url()});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().error.code, Errc::kUnavailable);
    EXPECT_TRUE(reply.error().transient);
  }
}

TEST(HttpTest, ASilentServerTimesOut) {
  const ScriptedServer server({ScriptedServer::kHang});
  const auto reply = Post({.url = server.Url(), .timeout_s = 0.2});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.code, Errc::kTimeout);
  EXPECT_FALSE(reply.error().transient);
}

TEST(HttpTest, ACancelledExchangeEnds) {
  const ScriptedServer server({ScriptedServer::kHang});
  std::atomic<bool> cancel = false;
  std::thread user([&] {
    while (server.Requests().empty()) std::this_thread::yield();
    cancel = true;
  });
  const auto reply = Post({.url = server.Url(), .cancel = &cancel});
  user.join();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.code, Errc::kCancelled);
}

TEST(HttpTest, OnlyHttpUrlsAreOpened) {
  for (const char* url : {"file:///etc/hostname", "nonsense://x", ""}) {
    const auto reply = Post({.url = url});
    ASSERT_FALSE(reply) << url;
    EXPECT_EQ(reply.error().error.code, Errc::kUsage) << url;
    EXPECT_FALSE(reply.error().transient) << url;
  }
}

}  // namespace
}  // namespace coppice::agents
