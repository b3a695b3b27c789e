// What coppice new understands, refuses and says; making a task needs the
// program's own files, so tests/ does that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"
#include "engine/cli/new_task.h"
#include "engine/cli/options.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using engine::own::Argument;
using engine::own::ArgumentRole;
using engine::own::Wishes;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Result<Wishes> Wished(std::vector<std::string> words) {
  words.insert(words.begin(), "k.cc");
  return WishesOf(AsTyped(NewVerb(), words));
}

std::string RefusedWish(const std::vector<std::string>& words) {
  const auto wishes = Wished(words);
  return wishes ? "not refused" : wishes.error().what;
}

TEST(NewWishesTest, NothingIsWishedUntilItIsSaid) {
  const Wishes wishes = store::Must(Wished({}));
  EXPECT_EQ(wishes.function, "");
  EXPECT_THAT(wishes.shapes, IsEmpty());
  EXPECT_THAT(wishes.forms, IsEmpty());
  EXPECT_THAT(wishes.values, IsEmpty());
  EXPECT_THAT(wishes.sizes, IsEmpty());
  EXPECT_THAT(wishes.all_sizes, IsEmpty());
  EXPECT_THAT(wishes.in_place, IsEmpty());
}

TEST(NewWishesTest, EachOptionSaysItOfANameOfItsOwn) {
  const Wishes wishes = store::Must(Wished(
      {"--function", "f",          "--shape",    "x=n,m+1",     "--shape=y=3",
       "--input",    "b=positive", "--input",    "col=index:n", "--value",
       "alpha=1.5",  "--value",    "beta=-2e-3", "--size",      "n=4096",
       "--size",     "m=16,32,64", "--in-place", "y",           "--in-place",
       "z"}));
  EXPECT_EQ(wishes.function, "f");
  EXPECT_THAT(wishes.shapes,
              UnorderedElementsAre(Pair("x", ElementsAre("n", "m+1")),
                                   Pair("y", ElementsAre("3"))));
  EXPECT_THAT(wishes.forms, UnorderedElementsAre(Pair("b", "positive"),
                                                 Pair("col", "index:n")));
  // As they were typed: the task shows them.
  EXPECT_THAT(wishes.values, UnorderedElementsAre(Pair("alpha", "1.5"),
                                                  Pair("beta", "-2e-3")));
  EXPECT_THAT(wishes.sizes,
              UnorderedElementsAre(Pair("n", 4096), Pair("m", 16)));
  EXPECT_THAT(wishes.all_sizes,
              ElementsAre(Pair("m", ElementsAre(16, 32, 64))));
  EXPECT_THAT(wishes.in_place, UnorderedElementsAre("y", "z"));
}

// The first sign divides: what follows may have more of them.
TEST(NewWishesTest, AValueMayHaveAnEqualsSign) {
  EXPECT_THAT(store::Must(Wished({"--input", "x=a=b"})).forms,
              ElementsAre(Pair("x", "a=b")));
}

TEST(NewWishesTest, WhatIsNoPairIsRefused) {
  for (const char* option : {"shape", "input", "value", "size"}) {
    for (const char* text : {"x", "=3", "x=", "="}) {
      EXPECT_EQ(
          RefusedWish({"--" + std::string(option), text}),
          "--" + std::string(option) + " " + text + ": expected NAME=VALUE");
    }
  }
}

TEST(NewWishesTest, NumbersAreNumbers) {
  for (const char* value :
       {"big", "1.5x", "1,5", "0x10", " 1", "nan", "inf", "-inf", "1e999"}) {
    EXPECT_EQ(RefusedWish({"--value", "a=" + std::string(value)}),
              "--value a=" + std::string(value) + ": expected a number");
  }
  for (const char* size : {"0", "-1", "1.5", "x", "16,0", "16,x", "16;32",
                           "9223372036854775808", ",", ",,"}) {
    EXPECT_EQ(
        RefusedWish({"--size", "n=" + std::string(size)}),
        "--size n=" + std::string(size) + ": expected a size of at least 1");
  }
}

TEST(NewWishesTest, AShapeHasAnAxis) {
  EXPECT_EQ(RefusedWish({"--shape", "x=,"}),
            "--shape x=,: expected axes, as M,N");
}

// Neither of two that contradict each other can be believed.
TEST(NewWishesTest, NothingIsSaidTwiceOfAName) {
  for (const char* option : {"shape", "input", "value", "size"}) {
    const std::string dashed = "--" + std::string(option);
    EXPECT_EQ(RefusedWish({dashed, "x=1", dashed, "y=1", dashed, "x=2"}),
              dashed + " x=2: x was given before");
  }
  EXPECT_EQ(RefusedWish({"--size", "n=1,2,3", "--size", "n=7"}),
            "--size n=7: n was given before");
}

TEST(NewWishesTest, AnEmptyValueIsAMistake) {
  for (const char* option : {"--shape", "--flags", "--with", "--in-place"}) {
    const auto parsed = ParseWords(NewVerb(), {"k.cc", option, ""});
    ASSERT_FALSE(parsed) << option;
    EXPECT_EQ(parsed.error().what, std::string(option) + ": expected a value");
  }
}

// In a folder of its own, which is the current one meanwhile.
class NewTest : public ::testing::Test, protected Rehearsal {
 protected:
  NewTest() {
    fs::create_directories(File("here"));
    fs::current_path(File("here"));
  }
  ~NewTest() override { fs::current_path(before_); }

  static std::string Named(const std::vector<std::string>& words,
                           const std::string& function) {
    const auto name = NewTaskName(AsTyped(NewVerb(), words), function);
    return name ? *name : "refused: " + name.error().what;
  }
  std::string Refused(std::vector<std::string> words) {
    words.insert(words.begin(), "new");
    const Said said = SayBare(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.err;
    EXPECT_EQ(said.out, "");
    return said.err;
  }

 private:
  const fs::path before_ = fs::current_path();
};

TEST_F(NewTest, ATaskIsCalledAsTheFunctionOrAsTheUserSays) {
  EXPECT_EQ(Named({"k.cc"}, "solve"), "solve");
  EXPECT_EQ(Named({"k.cc", "thomas-2"}, "solve"), "thomas-2");
  for (const char* bad :
       {"a/b", "..", ".", "a b", "a.b", "a\nb", "~", "\xC3\xA9", "a:b"}) {
    EXPECT_THAT(Named({"k.cc", bad}, "solve"),
                HasSubstr(std::string(bad) + ": is no name of a task"));
  }
  // The name of a function in C++ may have colons.
  EXPECT_THAT(Named({"k.cc"}, "ns::solve"), HasSubstr("is no name of a task"));
}

TEST_F(NewTest, WhatIsThereStays) {
  fs::create_directory("solve");
  EXPECT_EQ(Named({"k.cc"}, "solve"),
            "refused: solve: is there already; remove it, or say another name: "
            "coppice new k.cc NAME");
  EXPECT_EQ(Named({"k.cc", "other"}, "solve"), "other");
}

TEST_F(NewTest, EachLanguageHasItsOwnOptions) {
  EXPECT_THAT(Refused({"k.cc", "--inputs", "randn(3)"}),
              HasSubstr("--inputs: is of a function in Python; --shape and "
                        "--input say what one in C or C++ takes"));
  for (const char* option : {"shape", "input", "value", "size", "in-place",
                             "expert", "link", "flags", "with"}) {
    const std::string dashed = "--" + std::string(option);
    for (const char* file : {"k.py", "k.py:act"}) {
      EXPECT_THAT(Refused({file, dashed, "x=1"}),
                  HasSubstr(dashed + ": is of a function in C or C++; a "
                                     "function in Python has --inputs"));
    }
  }
  for (const char* option : {"expert", "link", "flags", "with", "inputs"}) {
    const std::string dashed = "--" + std::string(option);
    EXPECT_THAT(Refused({"k.cu", dashed, "x"}),
                HasSubstr(dashed + ": is of no function in CUDA"));
  }
}

TEST_F(NewTest, ALibraryIsOfAnExpert) {
  EXPECT_THAT(Refused({"k.cc", "--link", "openblas"}),
              HasSubstr("--link openblas: is of the expert; give --expert "
                        "FILE, too"));
  EXPECT_THAT(Refused({"k.cc", "--expert", "no.cc"}), HasSubstr("no.cc"));
}

TEST_F(NewTest, AFileThatIsNotThereIsNamed) {
  for (const char* file : {"no.cc", "no.cu", "no.py"}) {
    EXPECT_THAT(Refused({file}), HasSubstr(file));
  }
  EXPECT_THAT(Refused({"no.py:act"}), Not(HasSubstr("act")));
}

TEST_F(NewTest, WhatDoesNotCompileIsToldByTheCompiler) {
  const std::string file = Put("here/k.cc", "void f(float* x {\n}\n");
  EXPECT_THAT(Refused({file}), HasSubstr("k.cc: does not compile: "));
}

TEST_F(NewTest, OfSeveralFunctionsOneIsChosen) {
  const std::string file =
      Put("here/k.cc", "void f(float* x) {}\nvoid g(float* x) {}\n");
  EXPECT_THAT(Refused({file}),
              AllOf(HasSubstr("k.cc: "), HasSubstr("--function")));
  EXPECT_THAT(Refused({file, "--function", "gauss"}), HasSubstr("gauss"));
}

TEST_F(NewTest, APolicyBeginsWithAFileOfItsOwn) {
  const Said said = SayBare({"new", "policy", "tree_bandit.py"});
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  const std::string text = ReadBack("tree_bandit.py");
  EXPECT_THAT(text, HasSubstr("\nclass TreeBandit(Policy):\n"));
  EXPECT_EQ(text.find("CLASS"), std::string::npos);
  EXPECT_THAT(said.out,
              HasSubstr("python:tree_bandit.py:TreeBandit is the policy:\n"));
  EXPECT_THAT(said.out, HasSubstr(" check tree_bandit.py:TreeBandit\n"));
  EXPECT_THAT(said.out, HasSubstr("  coppice run gemv --policy "
                                  "python:tree_bandit.py:TreeBandit\n"));
  // It is the user's now.
  EXPECT_EQ(Refused({"policy", "tree_bandit.py"}),
            "coppice new: tree_bandit.py: is there already\n");
  EXPECT_EQ(ReadBack("tree_bandit.py"), text);
}

TEST_F(NewTest, AClassIsCalledAsItsFile) {
  const struct {
    const char* file;
    const char* name;
  } kCases[] = {
      {"mine.py", "Mine"},        {"my-policy.v2.py", "MyPolicyV2"},
      {"_private.py", "Private"}, {"UCT.py", "UCT"},
      {"a__b.py", "AB"},          {"x1y.py", "X1y"},
      {"2fast.py", "Mine"},       {"___.py", "Mine"},
      {"\xC3\xBCn.py", "N"},  // No letter beyond ASCII.
  };
  for (const auto& [file, name] : kCases) {
    ASSERT_EQ(SayBare({"new", "policy", file}).exit, Exit::kDone) << file;
    EXPECT_THAT(ReadBack(file),
                HasSubstr("\nclass " + std::string(name) + "(Policy):\n"))
        << file;
    fs::remove(file);
  }
}

// A class Selection would be what `select` makes and returns, with arguments
// that it does not take; and Python has no class None.
TEST_F(NewTest, AClassHidesNothingThatItsTextNeeds) {
  for (const char* name : {"selection", "policy", "stream", "tree", "ROOT",
                           "none", "true", "false"}) {
    const std::string file = std::string(name) + ".py";
    const Said said = SayBare({"new", "policy", file});
    ASSERT_EQ(said.exit, Exit::kDone) << said.err;
    std::string expected = std::string("My") + name;
    expected[2] = static_cast<char>(std::toupper(expected[2]));
    EXPECT_THAT(ReadBack(file),
                HasSubstr("\nclass " + expected + "(Policy):\n"));
    EXPECT_THAT(said.out, HasSubstr(" check " + file + ":" + expected + "\n"));
  }
}

TEST_F(NewTest, APolicyIsWrittenIntoAFileOfPython) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"policy"},
        {"policy", "mine"},
        {"policy", "mine.txt"},
        {"policy", ".py"}}) {
    EXPECT_EQ(Refused(words),
              "coppice new: expected a file to write, as in coppice new policy "
              "mine.py\n");
  }
  const Said said = SayBare({"new", "policy", "no/such/mine.py"});
  EXPECT_NE(said.exit, Exit::kDone);
  EXPECT_THAT(said.err, HasSubstr("no/such/mine.py: "));
}

TEST_F(NewTest, APolicyTakesNoOptionOfAFunction) {
  EXPECT_THAT(Refused({"policy", "mine.py", "--shape", "x=n"}),
              HasSubstr("--shape: is of a function, and this is a policy"));
  EXPECT_FALSE(fs::exists("mine.py"));
}

Argument Of(const char* name, ArgumentRole part, const char* c_type,
            DType dtype = DType::kFloat32) {
  Argument argument;
  argument.name = name;
  argument.part = part;
  argument.c_type = c_type;
  argument.dtype = dtype;
  return argument;
}

// y[n, 3] += alpha * x[n], with an index whose size is one more than n.
TEST(NewAssumptionsTest, EachArgumentIsARowWithWhatItIsKnownBy) {
  engine::own::Reading reading;
  reading.axes = {{"n", {}, ""}, {"three", 3, ""}, {"m", {}, "n+1"}};
  Argument x = Of("x", ArgumentRole::kInput, "float");
  x.shape = {"n"};
  x.part_how = "it is const";
  x.shape_how = "its loop";
  Argument y = Of("y", ArgumentRole::kInPlace, "float");
  y.shape = {"n", "three"};
  y.form = "positive";
  y.form_how = "you say so";
  Argument index = Of("row", ArgumentRole::kInput, "int", DType::kInt32);
  index.shape = {"m"};
  Argument out = Of("z", ArgumentRole::kResult, "double", DType::kFloat64);
  out.shape = {"n"};
  Argument alpha = Of("alpha", ArgumentRole::kNumber, "float");
  alpha.value = "1.5";
  reading.arguments = {x,   y,     index,
                       out, alpha, Of("n", ArgumentRole::kSize, "int")};
  std::istringstream in;
  std::ostringstream said;
  std::ostringstream err;
  Streams streams{in, said, err};
  PrintAssumptions(reading, {"one\033[2J note"}, streams);
  EXPECT_EQ(
      said.str(),
      "argument  is       type    shape or value  values    known, since\n"
      "x         input    float   [n]             N(0, 1)   it is const; "
      "its loop\n"
      "y         updated  float   [n, 3]          positive  you say so\n"
      "row       input    int     [m=n+1]         any\n"
      "z         result   double  [n]\n"
      "alpha     number   float   1.5\n"
      "n         size     int\n"
      "one?[2J note\n");
}

TEST(NewAssumptionsTest, ShapesAreThoseOfWorkloads) {
  Workload small;
  small.axes = {{"n", 3}};
  Workload large;
  large.axes = {{"n", 4096}, {"m", 2}};
  EXPECT_EQ(ShapesText({small, large}), "n=3, n=4096 m=2");
  EXPECT_EQ(ShapesText({Workload{}, Workload{}}), "one, which the file fixes");
}

TEST(NewAssumptionsTest, ALanguageIsKnownByTheFile) {
  EXPECT_TRUE(NamesCuda("k.cu"));
  EXPECT_FALSE(NamesCuda("k.cuh"));
  EXPECT_FALSE(NamesCuda("cu"));
  EXPECT_TRUE(NamesPython("k.py"));
  EXPECT_TRUE(NamesPython("k.py:act"));
  EXPECT_FALSE(NamesPython("k.python"));
  EXPECT_FALSE(NamesPython("k.cc:py"));
}

}  // namespace
}  // namespace coppice::cli
