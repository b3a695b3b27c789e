#include "engine/factory/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "store/records/node.h"
#include "store/scratch.h"
#include "store/write/lessons.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = f(x) of one axis of `elements`.
Task TaskNamed(const std::string& name, const std::string& operation,
               std::int64_t elements = 1024) {
  Task task;
  task.definition.name = name;
  task.definition.op_type = operation;
  task.definition.reference = "def run(x): " + name;
  task.definition.axes = {{"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {
      {"x", std::vector<std::string>{"N"}, DType::kFloat32, std::nullopt}};
  task.definition.outputs = {
      {"y", std::vector<std::string>{"N"}, DType::kFloat32, std::nullopt}};
  task.workloads = {{"w", {{"N", elements}}, {}}};
  return task;
}

Lesson On(const Task& task, const std::string& technique) {
  Lesson lesson;
  lesson.task = TraitsOf(task);
  lesson.technique = technique;
  lesson.verdict = Verdict::kCrashed;
  lesson.uuid = Uuid{};
  return lesson;
}

std::vector<std::string> Techniques(const Result<std::vector<Lesson>>& near) {
  std::vector<std::string> techniques;
  for (const Lesson& lesson : near.value()) {
    techniques.push_back(lesson.IsNote() ? lesson.note : lesson.technique);
  }
  return techniques;
}

// Two tensors of 1024 elements are 2^11.
TEST(MemoryTest, TraitsTellWhatTasksAreAlikeIn) {
  const TaskTraits traits = TraitsOf(TaskNamed("softmax_rows", "softmax"));
  EXPECT_EQ(traits.operation, "softmax");
  EXPECT_EQ(traits.types, "float32 float32");
  EXPECT_DOUBLE_EQ(traits.log_elements.value(), 11.0);
  EXPECT_NE(traits.digest, TraitsOf(TaskNamed("other", "softmax")).digest);
}

TEST(MemoryTest, EvidenceOfTheTaskItselfIsLeftOutUnlessAskedFor) {
  const Task task = TaskNamed("softmax_rows", "softmax");
  Task renamed = task;
  renamed.definition.name = "another_name";
  Task changed = TaskNamed("softmax_rows", "softmax");
  changed.definition.reference = "other";
  const Memory memory({On(task, "a"), On(renamed, "b"), On(changed, "c"),
                       On(TaskNamed("log_softmax", "softmax"), "d")});
  EXPECT_THAT(Techniques(memory.NearTo(task, "", OfItself::kLeftOut)),
              ElementsAre("d"));
  EXPECT_EQ(memory.NearTo(task, "", OfItself::kUsed).value().size(), 4U);
}

TEST(MemoryTest, NearerTasksComeFirst) {
  const Task task = TaskNamed("softmax_rows", "softmax");
  Lesson elsewhere = On(TaskNamed("log_softmax", "softmax"), "elsewhere");
  elsewhere.hardware = "another";
  Task halves = TaskNamed("log_softmax", "softmax");
  halves.definition.inputs[0].dtype = DType::kFloat16;
  Task python = TaskNamed("log_softmax", "softmax");
  python.root.language = Language::kPython;
  const Memory memory(
      {On(TaskNamed("histogram", "histogram"), "histogram"),
       On(TaskNamed("log_softmax", "softmax", 1 << 20), "large"), elsewhere,
       On(halves, "halves"), On(python, "python"),
       On(TaskNamed("log_softmax", "softmax"), "near")});
  // 2^10 times as many elements weigh 2^(-10 / 8) = 0.42; other types, and
  // other hardware, 0.7 each.
  EXPECT_THAT(Techniques(memory.NearTo(task, "this", OfItself::kLeftOut)),
              ElementsAre("near", "elsewhere", "halves", "large", "histogram"));
}

// 256 times as many elements are 8 doublings, which halve it once.
TEST(MemoryTest, WhatDiffersInOneRespectIsLessNearByItsFactor) {
  const Lesson alike = On(TaskNamed("log_softmax", "softmax"), "alike");
  Lesson elsewhere = alike;
  elsewhere.technique = "elsewhere";
  elsewhere.hardware = "another";
  Task halves = TaskNamed("log_softmax", "softmax");
  halves.definition.inputs[0].dtype = DType::kFloat16;
  const Memory memory(
      {alike, elsewhere, On(halves, "halves"),
       On(TaskNamed("log_softmax", "softmax", 256 * 1024), "larger")});
  const auto near = memory.NearTo(TaskNamed("softmax_rows", "softmax"), "this",
                                  OfItself::kLeftOut);
  ASSERT_TRUE(near);
  std::map<std::string, double> nearness;
  for (const Lesson& lesson : *near) {
    nearness[lesson.technique] = lesson.nearness;
  }
  ASSERT_EQ(nearness.size(), 4u);
  EXPECT_GE(nearness["alike"], 0.5);  // 0.2, and 0.3 of the same operation.
  EXPECT_DOUBLE_EQ(nearness["elsewhere"], 0.7 * nearness["alike"]);
  EXPECT_DOUBLE_EQ(nearness["halves"], 0.7 * nearness["alike"]);
  EXPECT_DOUBLE_EQ(nearness["larger"], 0.5 * nearness["alike"]);
}

TEST(MemoryTest, NothingIsTakenFromAnotherLanguage) {
  Task cuda = TaskNamed("log_softmax", "softmax");
  cuda.root.language = Language::kCuda;
  const Memory memory({On(cuda, "a")});
  EXPECT_THAT(Techniques(memory.NearTo(TaskNamed("softmax_rows", "softmax"), "",
                                       OfItself::kUsed)),
              ElementsAre());
}

TEST(MemoryTest, APersonsLinesComeFirstWhereTheyBelong) {
  const Task task = TaskNamed("softmax_rows", "softmax");
  Lesson any, here, other;
  any.note = "any";
  here.note = "here";
  here.task.operation = "softmax";
  other.note = "other";
  other.task.operation = "gemm";
  const Memory memory({On(TaskNamed("relu", "relu"), "a"), any, other, here});
  EXPECT_THAT(Techniques(memory.NearTo(task, "", OfItself::kLeftOut)),
              ElementsAre("any", "here", "a"));
}

class MemoryFilesTest : public ::testing::Test {
 protected:
  std::filesystem::path File(const std::string& name) const {
    return directory_.File(name);
  }
  Result<Memory> Load(const std::string& names) {
    settings_.memory = names;
    return Memory::Load(settings_);
  }
  // "" if there was none.
  std::string ErrorOf(const std::string& names) {
    const auto memory = Load(names);
    return memory ? "" : memory.error().what;
  }

  const store::ScratchDirectory directory_;
  config::Settings settings_;
};

TEST_F(MemoryFilesTest, FilesAreNamedWithCommas) {
  for (const std::string name : {"a.db", "b.db"}) {
    store::Database file = store::NewFile(File(name));
    store::Must(store::AddNote(file, "of " + name, "", "", 1.0));
  }
  EXPECT_EQ(store::Must(Load("none")).all().size(), 0U);
  const std::string both = File("a.db").string() + "," + File("b.db").string();
  EXPECT_EQ(store::Must(Load(both)).all().size(), 2U);
  EXPECT_THAT(ErrorOf("a.db,"), HasSubstr("a file has no name"));
  EXPECT_EQ(Load("/nowhere/x.db").error().code, Errc::kUsage);
  EXPECT_THAT(ErrorOf("/nowhere/x.db"), HasSubstr("/nowhere/x.db"));
}

TEST_F(MemoryFilesTest, ALibraryThatIsToBeMadeIsEmptyUntilThen) {
  EXPECT_THAT(ErrorOf("library"), HasSubstr("set HOME"));
  settings_.library = File("memory.db");
  EXPECT_THAT(ErrorOf("library"), HasSubstr("--remember"));
  settings_.remember = "yes";
  EXPECT_TRUE(store::Must(Load("library")).all().empty());
  std::ofstream(File("memory.db"));  // Killed as it was being made.
  EXPECT_TRUE(store::Must(Load("library")).all().empty());
  std::ofstream(File("memory.db")) << "of another program";
  EXPECT_THAT(ErrorOf("library"), HasSubstr("not a SQLite file"));
  // Any other file that is missing was misspelt.
  EXPECT_THAT(ErrorOf(File("other.db")), HasSubstr("no such file"));
}

// A copy of the file, and a library that kept the same node.
TEST_F(MemoryFilesTest, WhatSeveralFilesTellIsThereOnce) {
  {
    store::Database file = store::NewFile(File("a.db"));
    Lesson lesson = On(TaskNamed("relu", "relu"), "jam(j, 32)");
    lesson.node = NodeId{1};
    lesson.verdict = Verdict::kCrashed;
    Lesson another = lesson;
    another.node = NodeId{2};
    store::Must(store::KeepLessons(file, std::vector{lesson, another}, 1.0));
    store::Must(store::AddNote(file, "use exp2", "softmax", "", 1.0));
    store::Must(store::AddNote(file, "use exp2", "gelu", "", 1.0));
  }
  const std::string name = File("a.db").string();
  EXPECT_EQ(store::Must(Load(name)).all().size(), 4U);
  EXPECT_EQ(store::Must(Load(name + "," + name)).all().size(), 4U);
}

}  // namespace
}  // namespace coppice::engine
