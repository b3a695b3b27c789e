#include "engine/mcp/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace coppice::mcp {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ResourcesTest : public ::testing::Test {
 protected:
  ResourcesTest() : folder_(fs::path(::testing::TempDir()) / "mcp_documents") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "sql.md") << "# SQL\n";
    std::ofstream(folder_ / "secret.txt") << "not a page\n";
    sources_.schema = "CREATE VIEW nodes";
    sources_.documents = folder_;
    sources_.ask = [this](std::string_view operation,
                          std::string_view request) -> Result<std::string> {
      asked_ = std::string(operation) + " " + std::string(request);
      return answer_;
    };
  }
  ~ResourcesTest() override { fs::remove_all(folder_); }

  std::string Text(const std::string& uri) {
    const auto read = ReadResource(sources_, uri);
    if (!read) return read.error().what;
    return read->at("contents")[0].at("text").get<std::string>();
  }

  const fs::path folder_;
  Sources sources_;
  std::string asked_;
  std::string answer_ = "{}";
};

TEST_F(ResourcesTest, PartsOfTasksAndNodesAreAskedFor) {
  answer_ = R"({"task":"a/b","text":"void f();"})";
  EXPECT_EQ(Text("coppice://task/a/b%20c/root"), "void f();");
  EXPECT_EQ(asked_, R"(describe_task {"task":"a/b c","part":"root"})");
  EXPECT_EQ(Text("coppice://campaign/mine/node/14/diff"), "void f();");
  EXPECT_EQ(asked_, R"(get_node {"campaign":"mine","node":14,"part":"diff"})");
  answer_ = R"({"speedup":2})";
  EXPECT_THAT(Text("coppice://campaign/mine/node/best/summary"),
              HasSubstr("\"speedup\": 2"));
  EXPECT_THAT(asked_, HasSubstr(R"("node":"best")"));
}

TEST_F(ResourcesTest, WhatAnAnswerHasInAFileIsReadThere) {
  std::ofstream(folder_ / "log") << "\x1B[1mline\x1B[0m\n"
                                 << std::string(kResourceBytes, 'x') << "end";
  answer_ = R"({"job":"7","log_file":")" + (folder_ / "log").string() +
            R"(","error_head":"line"})";
  const std::string text = Text("coppice://job/7/log");
  EXPECT_EQ(asked_, R"(get_job {"job":"7","wait_s":0})");
  EXPECT_EQ(text.find("line\nxxx"), 0U);
  EXPECT_THAT(text, HasSubstr("bytes left out"));
  EXPECT_TRUE(text.ends_with("xend"));
  answer_ = R"({"job":"7","log_file":null,"error_head":"line"})";
  EXPECT_EQ(Text("coppice://job/7/log"), "line");
  const auto read = ReadResource(sources_, "coppice://job/7/log");
  EXPECT_EQ(read->at("contents")[0].at("_meta").at("coppice/untrusted"), true);
}

TEST_F(ResourcesTest, PagesAreThoseOfTheFolderAlone) {
  EXPECT_EQ(Text("coppice://docs/sql"), "# SQL\n");
  EXPECT_EQ(Text("coppice://schema"), "CREATE VIEW nodes");
  for (const char* uri : {"coppice://docs/secret", "coppice://docs/..%2Fx",
                          "coppice://docs/%2Fetc%2Fpasswd"}) {
    EXPECT_THAT(Text(uri), AllOf(HasSubstr("no page"), HasSubstr("sql")));
  }
  const auto list = ResourceList(sources_).at("resources");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1].at("uri"), "coppice://docs/sql");
}

TEST_F(ResourcesTest, OtherAddressesAreToldWhichThereAre) {
  for (const char* uri : {"", "coppice://", "file:///etc/passwd",
                          "coppice://task/a", "coppice://docs", "coppice://%",
                          "coppice://campaign/a/node/1", "coppice://job/7/x"}) {
    EXPECT_THAT(Text(uri), AllOf(HasSubstr("no resource"),
                                 HasSubstr("coppice://task/{task}/{part}")))
        << uri;
  }
}

// A number beyond all, a sign or a blank is a name, and the history says that
// there is no such node.
TEST_F(ResourcesTest, ANodeIsANumberOnlyIfItIsOne) {
  const auto asked = [&](const std::string& node) {
    Text("coppice://campaign/a/node/" + node + "/log");
    return asked_.substr(asked_.find("\"node\":"));
  };
  EXPECT_EQ(asked("0"), R"("node":0,"part":"log"})");
  EXPECT_EQ(asked("007"), R"("node":7,"part":"log"})");
  EXPECT_EQ(asked("999999999999999"),
            R"("node":999999999999999,"part":"log"})");
  EXPECT_EQ(asked("99999999999999999999"),
            R"("node":"99999999999999999999","part":"log"})");
  EXPECT_EQ(asked("-1"), R"("node":"-1","part":"log"})");
  EXPECT_EQ(asked("%201"), R"("node":" 1","part":"log"})");
}

// Whatever somebody called a campaign or a task is handed on as it is.
TEST_F(ResourcesTest, NamesWithSlashesAndEscapesAreOneName) {
  Text("coppice://campaign/a/b/node/c/node/3/source");
  EXPECT_THAT(asked_, HasSubstr(R"("campaign":"a/b/node/c","node":3)"));
  Text("coppice://campaign/%E4%B8%AD%22/node/3/source");
  EXPECT_THAT(asked_, HasSubstr("\"campaign\":\"\xE4\xB8\xAD\\\"\""));
  Text("coppice://task/.%2Fmine/root");
  EXPECT_THAT(asked_, HasSubstr(R"("task":"./mine")"));
}

TEST_F(ResourcesTest, AnAnswerThatIsNoneIsNotShown) {
  for (const char* answer : {"", "[]", "7", "{", "null"}) {
    answer_ = answer;
    EXPECT_EQ(Text("coppice://task/a/root"), "the answer is no object");
  }
  answer_ = R"({"text":7,"text_file":null})";
  EXPECT_THAT(Text("coppice://task/a/root"), HasSubstr("\"text\": 7"));
  answer_ = R"({"text_file":")" + (folder_ / "gone").string() + "\"}";
  EXPECT_THAT(Text("coppice://task/a/root"), HasSubstr("gone: cannot be read"));
}

// What is refused is refused to whoever reads, too.
TEST_F(ResourcesTest, AnErrorOfAnOperationIsTheResources) {
  sources_.ask = [](std::string_view, std::string_view) -> Result<std::string> {
    return Fail(Errc::kNotFound, "no task 'x'; did you mean y?");
  };
  for (const char* uri : {"coppice://task/x/root", "coppice://job/7/log",
                          "coppice://campaign/x/node/1/log"}) {
    EXPECT_EQ(Text(uri), "no task 'x'; did you mean y?");
  }
}

TEST_F(ResourcesTest, WithoutDocumentsThereAreNoPages) {
  EXPECT_EQ(ResourceTemplateList(sources_).at("resourceTemplates").size(), 4U);
  sources_.documents = folder_ / "none";
  EXPECT_EQ(ResourceTemplateList(sources_).at("resourceTemplates").size(), 3U);
  EXPECT_THAT(Text("coppice://page"), Not(HasSubstr("coppice://docs")));
  EXPECT_EQ(ResourceList(sources_).at("resources").size(), 1U);
  EXPECT_THAT(Text("coppice://docs/sql"),
              HasSubstr("none in this installation"));
}

}  // namespace
}  // namespace coppice::mcp
