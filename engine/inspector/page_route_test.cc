#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/inspector/page_files.h"
#include "engine/inspector/routes.h"

namespace coppice::inspector {
namespace {

using ::testing::HasSubstr;

std::string HeaderOf(const http::Answer& answer, const std::string& name) {
  const auto found = std::ranges::find(
      answer.headers, name, &std::pair<std::string, std::string>::first);
  return found == answer.headers.end() ? "" : found->second;
}

TEST(PageRouteTest, EveryPlaceOfThePageIsItsIndex) {
  const http::Answer index = AnswerPage({"GET", "/"}, false);
  EXPECT_EQ(index.status, 200);
  EXPECT_EQ(AnswerPage({"GET", "/c/a%2Fb/n/7"}, false).body, index.body);
  if (PageFiles().empty()) {
    EXPECT_THAT(index.body, HasSubstr("setup page"));
  }
}

TEST(PageRouteTest, WhatIsNamedByItsContentIsKeptAndNothingElse) {
  if (PageFiles().empty()) GTEST_SKIP() << "built without the page";
  EXPECT_EQ(HeaderOf(AnswerPage({"GET", "/"}, false), "Cache-Control"),
            "no-cache");
  EXPECT_EQ(AnswerPage({"GET", "/assets/none.js"}, false).status, 404);
  const auto asset = std::ranges::find_if(
      PageFiles(),
      [](const PageFile& file) { return file.path.starts_with("/assets/"); });
  ASSERT_NE(asset, PageFiles().end());
  const http::Answer answer =
      AnswerPage({"GET", std::string(asset->path)}, false);
  EXPECT_THAT(HeaderOf(answer, "Cache-Control"), HasSubstr("immutable"));
  EXPECT_EQ(HeaderOf(answer, "Content-Encoding"), "gzip");
  EXPECT_EQ(answer.body.size(), asset->gzip.size());
}

TEST(PageRouteTest, AFileThatABrowserHasIsNotSentAgain) {
  if (PageFiles().empty()) GTEST_SKIP() << "built without the page";
  http::Request request{"GET", "/"};
  request.headers["if-none-match"] =
      HeaderOf(AnswerPage(request, false), "ETag");
  const http::Answer answer = AnswerPage(request, false);
  EXPECT_EQ(answer.status, 304);
  EXPECT_EQ(answer.body, "");
}

TEST(PageRouteTest, OnlyAPageThatMayRunModelsCompilesWebAssembly) {
  if (PageFiles().empty()) GTEST_SKIP() << "built without the page";
  constexpr const char* kPolicy = "Content-Security-Policy";
  EXPECT_EQ(HeaderOf(AnswerPage({"GET", "/"}, false), kPolicy), "");
  EXPECT_THAT(HeaderOf(AnswerPage({"GET", "/"}, true), kPolicy),
              HasSubstr("wasm-unsafe-eval"));
}

}  // namespace
}  // namespace coppice::inspector
