#include "engine/http/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kToken(64, 'a');

Door Ours() { return {kToken, 8080}; }

Request Get(const std::string& path) {
  Request request{"GET", path};
  request.headers = {{"host", "localhost:8080"},
                     {"cookie", "other=1; coppice-8080=" + kToken}};
  return request;
}

Request Post(const std::string& path) {
  Request request = Get(path);
  request.method = "POST";
  request.headers["origin"] = "http://localhost:8080";
  request.headers["x-coppice"] = "1";
  request.headers["content-type"] = "application/json; charset=utf-8";
  return request;
}

int StatusOf(const Request& request, const Door& door = Ours()) {
  const auto stopped = Stop(door, request);
  return stopped ? stopped->status : 200;
}

TEST(GuardTest, WhoHasTheCookieMayRead) {
  EXPECT_EQ(StatusOf(Get("/api/state")), 200);
  EXPECT_EQ(StatusOf(Get("/events")), 200);
}

TEST(GuardTest, ProgramsShowTheTokenByAHeader) {
  const Door door{kToken, 8080, {}, Shown::kByHeader, "see there"};
  Request request{"POST", "/mcp"};
  request.headers = {{"host", "127.0.0.1:8080"},
                     {"authorization", "Bearer " + kToken}};
  EXPECT_EQ(StatusOf(request, door), 200);
  request.headers["authorization"] = "bearer  " + kToken;
  EXPECT_EQ(StatusOf(request, door), 200);
  const std::vector<std::string> others = {"", kToken, "Bearer",
                                           "Bearer " + std::string(64, 'b'),
                                           "Basic " + kToken};
  for (const std::string& wrong : others) {
    request.headers["authorization"] = wrong;
    const auto stopped = Stop(door, request);
    ASSERT_TRUE(stopped) << wrong;
    EXPECT_EQ(stopped->status, 401);
    EXPECT_EQ(stopped->headers[0].first, "WWW-Authenticate");
    EXPECT_THAT(stopped->body, HasSubstr("token missing or wrong: see there"));
  }
}

TEST(GuardTest, NoOtherSitesPageAsksAsAProgram) {
  const Door door{kToken, 8080, {}, Shown::kByHeader, ""};
  Request request{"POST", "/mcp"};
  request.headers = {{"host", "localhost:8080"},
                     {"authorization", "Bearer " + kToken},
                     {"origin", "http://localhost:8080"}};
  EXPECT_EQ(StatusOf(request, door), 200);
  request.headers["origin"] = "http://evil.example";
  EXPECT_EQ(StatusOf(request, door), 403);
  request.headers.erase("origin");
  request.headers["host"] = "evil.example:8080";
  EXPECT_EQ(StatusOf(request, door), 403);
  // The cookie of a browser opens no door of programs.
  request.headers = {{"host", "localhost:8080"},
                     {"cookie", "coppice-8080=" + kToken}};
  EXPECT_EQ(StatusOf(request, door), 401);
}

TEST(GuardTest, NoneWrongAndTruncatedTokensGetOneAnswer) {
  Request none = Get("/api/state");
  none.headers.erase("cookie");
  const Answer refusal = *Stop(Ours(), none);
  EXPECT_EQ(refusal.status, 403);
  EXPECT_THAT(refusal.body, Not(HasSubstr(kToken)));
  for (const std::string& token : {std::string(64, 'b'), std::string(63, 'a'),
                                   std::string(65, 'a'), std::string()}) {
    Request wrong = Get("/api/state");
    wrong.headers["cookie"] = "coppice-8080=" + token;
    EXPECT_EQ(Stop(Ours(), wrong)->body, refusal.body);
    Request first = Get("/");
    first.headers.erase("cookie");
    first.query["token"] = token;
    EXPECT_EQ(StatusOf(first), 403);
    EXPECT_EQ(Stop(Ours(), first)->body, refusal.body);
  }
}

TEST(GuardTest, AProgramShowsTheTokenByAHeaderAndWritesWithNothingElse) {
  Request request = Get("/v1/status");
  request.method = "POST";
  request.headers.erase("cookie");
  request.headers["authorization"] = "Bearer " + kToken;
  EXPECT_EQ(StatusOf(request), 200);
  request.headers["authorization"] = "Bearer " + kToken + "a";
  EXPECT_EQ(StatusOf(request), 403);
  request.headers["authorization"] = "Bearer " + kToken;
  request.headers["sec-fetch-site"] = "cross-site";
  EXPECT_EQ(StatusOf(request), 403);
}

TEST(GuardTest, TheTokenBecomesACookieThatNoScriptAndNoOtherSiteUses) {
  Request first{"GET", "/"};
  first.headers = {{"host", "127.0.0.1:8080"}};
  first.query["token"] = kToken;
  const auto answer = Stop(Ours(), first);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 303);
  EXPECT_EQ(answer->headers[0].second, "/");
  EXPECT_THAT(answer->headers[1].second,
              AllOf(HasSubstr("coppice-8080=" + kToken), HasSubstr("HttpOnly"),
                    HasSubstr("SameSite=Strict"), HasSubstr("Path=/")));
}

TEST(GuardTest, TwoServersHaveTwoCookies) {
  EXPECT_NE(CookieName({kToken, 1}), CookieName({kToken, 2}));
  Request request = Get("/");
  EXPECT_EQ(StatusOf(request, {kToken, 8081}), 403);
}

TEST(GuardTest, OnlyOurNamesLeadHere) {
  for (const std::string host :
       {"localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:8080"}) {
    EXPECT_TRUE(IsOurHost(Ours(), host)) << host;
  }
  for (const std::string host :
       {"evil.example", "evil.example:8080", "localhost", "localhost:8081",
        "localhost.evil.example:8080", "127.0.0.1:80800", ""}) {
    EXPECT_FALSE(IsOurHost(Ours(), host)) << host;
    for (const std::string path : {"/", "/events", "/assets/x.js", "/api/x"}) {
      Request request = Get(path);
      request.headers["host"] = host;
      EXPECT_EQ(StatusOf(request), 403) << host << path;
    }
  }
}

TEST(GuardTest, ANameThatWasGivenIsOurs) {
  const Door door{kToken, 8080, {"build.lan"}};
  EXPECT_TRUE(IsOurHost(door, "build.lan"));
  EXPECT_TRUE(IsOurHost(door, "Build.LAN:9000"));
  EXPECT_FALSE(IsOurHost(door, "build.lan.evil.example"));
}

TEST(GuardTest, ThePortBeforeASocketIsAnyOnes) {
  EXPECT_TRUE(IsOurHost({kToken, 0}, "localhost:9999"));
  EXPECT_FALSE(IsOurHost({kToken, 0}, "evil.example:9999"));
}

TEST(GuardTest, WritingNeedsOurOriginOurHeaderAndJson) {
  EXPECT_EQ(StatusOf(Post("/api/sql")), 200);
  const auto without = [](const std::string& header) {
    Request request = Post("/api/sql");
    request.headers.erase(header);
    return StatusOf(request);
  };
  EXPECT_EQ(without("origin"), 403);
  EXPECT_EQ(without("x-coppice"), 403);
  EXPECT_EQ(without("content-type"), 403);
  const auto with = [](const std::string& header, const std::string& value) {
    Request request = Post("/api/sql");
    request.headers[header] = value;
    return StatusOf(request);
  };
  EXPECT_EQ(with("origin", "null"), 403);
  EXPECT_EQ(with("origin", "http://localhost:8081"), 403);
  EXPECT_EQ(with("origin", "http://127.0.0.1:8080"),
            403);  // Not this Host.
  EXPECT_EQ(with("origin", "https://localhost:8080"), 403);
  EXPECT_EQ(with("content-type", "text/plain"), 403);
  EXPECT_EQ(with("content-type", "application/x-www-form-urlencoded"), 403);
  EXPECT_EQ(with("sec-fetch-site", "cross-site"), 403);
  EXPECT_EQ(with("sec-fetch-site", "same-site"), 403);
  EXPECT_EQ(with("sec-fetch-site", "same-origin"), 200);
}

TEST(GuardTest, APageOfAnotherPortMayNotReadButALinkMayLeadHere) {
  Request request = Get("/api/state");
  request.headers["sec-fetch-site"] = "same-site";
  request.headers["sec-fetch-mode"] = "no-cors";
  EXPECT_EQ(StatusOf(request), 403);
  request.headers["sec-fetch-mode"] = "navigate";
  EXPECT_EQ(StatusOf(request), 200);
}

TEST(GuardTest, EqualityIsOfAllOfTheText) {
  EXPECT_TRUE(AreEqual("abc", "abc"));
  for (const std::string other : {"", "a", "ab", "abd", "xbc", "abcabc"}) {
    EXPECT_FALSE(AreEqual("abc", other)) << other;
  }
}

}  // namespace
}  // namespace coppice::http
