#include "engine/service/error_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "engine/service/json.h"

namespace coppice::service {
namespace {

constexpr Errc kAll[] = {Errc::kUsage,      Errc::kNotFound,    Errc::kBusy,
                         Errc::kTimeout,    Errc::kCorrupt,     Errc::kIo,
                         Errc::kCancelled,  Errc::kUnavailable, Errc::kSpent,
                         Errc::kUnanswered, Errc::kFull,        Errc::kLost,
                         Errc::kUnfit};

TEST(ErrorJsonTest, EachKindHasAWordOfItsOwnAndAStatusOfAFailure) {
  std::set<std::string_view> words;
  for (const Errc code : kAll) {
    EXPECT_TRUE(words.insert(CodeWord(code)).second) << CodeWord(code);
    EXPECT_GE(HttpStatus(code), 400);
    EXPECT_LT(HttpStatus(code), 600);
  }
}

// What a client has to mend is of the 400s, what we have is of the 500s.
TEST(ErrorJsonTest, WhoseFaultItIsIsInItsStatus) {
  EXPECT_EQ(HttpStatus(Errc::kUsage), 400);
  EXPECT_EQ(HttpStatus(Errc::kNotFound), 404);
  EXPECT_EQ(HttpStatus(Errc::kBusy), 429);
  EXPECT_EQ(HttpStatus(Errc::kCorrupt), 500);
  EXPECT_EQ(HttpStatus(Errc::kUnavailable), 503);
  EXPECT_EQ(HttpStatus(Errc::kFull), 507);
}

TEST(ErrorJsonTest, OnlyWrongArgumentsAreInvalidParameters) {
  for (const Errc code : kAll) {
    EXPECT_EQ(RpcCode(code), code == Errc::kUsage ? -32602 : -32000);
  }
}

TEST(ErrorJsonTest, AnErrorIsOneLineWithItsWordAndItsHint) {
  EXPECT_EQ(ErrorJson(Error{Errc::kBusy, "two\nlines\n"}),
            R"({"code":-32000,"message":"two lines","data":)"
            R"({"code":"busy","hint":"ask again in some seconds"}})");
  EXPECT_EQ(ErrorJson(-32700, "no JSON"),
            R"({"code":-32700,"message":"no JSON","data":)"
            R"({"code":"usage","hint":""}})");
}

// Paths and what kernels wrote may be anything.
TEST(ErrorJsonTest, WhatIsNoUtf8IsReplaced) {
  const Json json = Json::parse(ErrorJson(Error{Errc::kIo, "a\xff: gone"}));
  EXPECT_EQ(json["message"], "a\xEF\xBF\xBD: gone");
}

}  // namespace
}  // namespace coppice::service
