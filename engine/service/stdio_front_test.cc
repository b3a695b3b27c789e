#include "engine/service/stdio_front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/service/test_service.h"
#include "store/records/random.h"

namespace coppice::service {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

// All that is answered to these lines, in the order in which it comes.
std::vector<Json> Answers(TestService& service, const std::string& lines) {
  std::istringstream in(lines);
  std::ostringstream out;
  EXPECT_TRUE(ServeLines(service.service(), in, out));
  std::istringstream answers(out.str());
  std::vector<Json> all;
  for (std::string line; std::getline(answers, line);) {
    all.push_back(Json::parse(line));
  }
  return all;
}

TEST(StdioFrontTest, HelloSaysWhatThereIs) {
  TestService service;
  const auto answers = Answers(
      service, R"({"jsonrpc":"2.0","id":"a","method":"hello","params":{}})"
               "\n\n");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0]["id"], "a");
  EXPECT_EQ(answers[0]["result"]["protocol"], "coppice-service/1");
  EXPECT_THAT(answers[0]["result"]["operations"].dump(),
              HasSubstr("evaluate_kernel"));
}

TEST(StdioFrontTest, WhatIsNoRequestIsAnErrorOfItsKind) {
  TestService service;
  const auto code_of = [&](const std::string& line) {
    const auto answers = Answers(service, line);
    return answers.size() == 1 ? answers[0]["error"]["code"].get<int>() : 0;
  };
  EXPECT_EQ(code_of("{"), -32700);
  EXPECT_EQ(code_of("[]"), -32600);
  EXPECT_EQ(code_of(R"({"id":1,"method":"hello"})"), -32600);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":[],"method":"hello"})"), -32600);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"none"})"), -32601);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"status","params":3})"),
            -32600);
  EXPECT_EQ(code_of(std::string(9 << 20, 'x')), -32600);
  // A notice has no answer, whatever it says.
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","method":"cancel","params":{"id":7}})"),
            0);
}

// Who sent it waits for an answer of its id.
TEST(StdioFrontTest, WhatLiesTooDeepIsRefusedByItsId) {
  TestService service;
  const std::string deep(100, '[');
  const std::string line = R"({"jsonrpc":"2.0","id":7,"method":"hello",)"
                           R"("params":{"protocol":)" +
                           deep + std::string(100, ']') + "}}";
  const auto answers = Answers(service, line);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0]["id"], 7);
  EXPECT_EQ(answers[0]["error"]["code"], -32600);
}

TEST(StdioFrontTest, TheEndOfInputEndsWhatIsUnderWay) {
  TestService service;
  const auto answers = Answers(
      service, R"({"jsonrpc":"2.0","id":1,"method":"evaluate_kernel","params":)"
               R"({"task":"gelu_tanh","source":"x","tier":"check"}})"
               "\n");
  EXPECT_LE(answers.size(), 1u);  // It may have been quick.
}

// The first does not end while its input lasts, and with it the second is too
// much; the third needs no room.
TEST(StdioFrontTest, WhatIsHeldHasALimitInBytes) {
  std::ifstream in(COPPICE_SOURCE_DIR "/data/cpu/gelu_tanh/root.cc");
  std::stringstream root;
  root << in.rdbuf();
  std::string loop = root.str();
  loop.insert(loop.rfind(") {", loop.find("for (")) + 3,
              "for (volatile int forever = 0;;) forever = 1;");
  const auto request = [&](int id) {
    return Json({{"jsonrpc", "2.0"},
                 {"id", id},
                 {"method", "evaluate_kernel"},
                 {"params",
                  {{"task", "gelu_tanh"}, {"source", loop}, {"wait_s", 55}}}})
               .dump() +
           "\n";
  };
  std::istringstream lines(request(1) + request(2) +
                           R"({"jsonrpc":"2.0","id":3,"method":"hello"})");
  std::ostringstream out;
  TestService service;
  ASSERT_TRUE(ServeLines(service.service(), lines, out, request(1).size()));
  EXPECT_THAT(out.str(), HasSubstr(R"("id":2,"error":)"));
  EXPECT_THAT(out.str(), HasSubstr("more bytes of requests are under way"));
  EXPECT_THAT(out.str(), Not(HasSubstr(R"("id":1,"error":)")));
  EXPECT_THAT(out.str(), HasSubstr(R"("id":3,"result":)"));
}

// The first does not end while its input lasts.  It is told of no more once it
// was cancelled, so that its name may come again.
TEST(StdioFrontTest, AnIdIsOfOneRequestUntilThatIsAnsweredOrCancelled) {
  std::ifstream in(COPPICE_SOURCE_DIR "/data/cpu/gelu_tanh/root.cc");
  std::stringstream root;
  root << in.rdbuf();
  std::string loop = root.str();
  loop.insert(loop.rfind(") {", loop.find("for (")) + 3,
              "for (volatile int forever = 0;;) forever = 3;");
  const std::string request =
      Json({{"jsonrpc", "2.0"},
            {"id", 1},
            {"method", "evaluate_kernel"},
            {"params",
             {{"task", "gelu_tanh"}, {"source", loop}, {"wait_s", 55}}}})
          .dump() +
      "\n";
  TestService service;
  std::vector<Json> answers = Answers(
      service, request + R"({"jsonrpc":"2.0","id":1,"method":"list_tasks"})" +
                   "\n" +
                   R"({"jsonrpc":"2.0","method":"cancel","params":{"id":1}})" +
                   "\n" + R"({"jsonrpc":"2.0","id":1,"method":"hello"})");
  std::erase_if(answers, [](const Json& each) { return !each.contains("id"); });
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0]["error"]["message"],
            "id: another request under way has it");
  EXPECT_TRUE(answers[1].contains("result"));
}

// COPPICE_TEST_LINES says how many; 1,000 without it.
TEST(StdioFrontTest, NoLineEndsTheService) {
  const std::string whole =
      R"({"jsonrpc":"2.0","id":1,"method":"query","params":)"
      R"({"sql":"SELECT 1","limit":3,"db":"none.db"}})";
  const char* wanted = std::getenv("COPPICE_TEST_LINES");
  const int count = wanted == nullptr ? 1000 : std::atoi(wanted);
  RandomStream random(1, Purpose::kStatistics, 0);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    std::string line = whole;
    for (std::uint64_t n = 1 + random.NextU64() % 4; n > 0; --n) {
      const std::size_t at = random.NextU64() % line.size();
      switch (random.NextU64() % 4) {
        case 0:
          line[at] = static_cast<char>(random.NextU64());
          break;
        case 1:
          line.erase(at, 1 + random.NextU64() % 9);
          break;
        case 2:
          line.insert(at, line.substr(at / 2, random.NextU64() % 20));
          break;
        default:
          line.insert(at, 1, "{}[]\",:0"[random.NextU64() % 8]);
      }
      if (line.empty()) line = "x";
    }
    lines += line + "\n";
  }
  lines += R"({"jsonrpc":"2.0","id":"last","method":"hello"})";
  TestService service;
  const auto answers = Answers(service, lines);
  const bool has_last = std::ranges::any_of(answers, [](const Json& answer) {
    return answer.contains("id") && answer["id"] == "last" &&
           answer.contains("result");
  });
  EXPECT_TRUE(has_last);
}

}  // namespace
}  // namespace coppice::service
