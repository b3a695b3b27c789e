#include "engine/cli/own_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"
#include "engine/cli/verbs.h"
#include "eval/sandbox/compiler.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Texts have neither conditions nor macros with arguments, so that the compiler
// leaves them as they are.
class OwnTextTest : public ::testing::Test, protected Rehearsal {
 protected:
  Result<OwnText> Own(const std::string& file,
                      std::vector<std::string> words = {}) {
    words.insert(words.begin(), file);
    return OwnTextOf(AsTyped(NewVerb(), words, surroundings), file);
  }
  std::string TextIn(const std::string& file,
                     const std::vector<std::string>& words = {}) {
    const auto own = Own(file, words);
    return own ? own->text : "refused: " + own.error().what;
  }
};

TEST_F(OwnTextTest, AFileAloneIsItself) {
  const std::string text =
      "#include <vector>\n"
      "// #include \"none.h\" is a remark.\n"
      "const char* kText = \"#include\";\n"
      "int f();\n";
  EXPECT_EQ(TextIn(Put("k.cc", text)), text);
}

TEST_F(OwnTextTest, ItsLastLineIsWhole) {
  EXPECT_EQ(TextIn(Put("k.cc", "int f();")), "int f();\n");
  EXPECT_EQ(TextIn(Put("empty.cc", "")), "");
}

TEST_F(OwnTextTest, AFileThatIsNotThereIsNamed) {
  const auto own = Own(File("no.cc").string());
  ASSERT_FALSE(own);
  EXPECT_THAT(own.error().what, HasSubstr("no.cc"));
}

// a.h comes to "b.h" and its own line; "b.h" is there already when k.cc asks.
TEST_F(OwnTextTest, OwnHeadersAreInTheirPlaceEachOnce) {
  Put("d/a.h", "#pragma once\n#include \"below/b.h\"\nint a;\n");
  Put("d/below/b.h", "#include \"c.h\"\nint b;\n");
  Put("d/below/c.h", "int c;");
  EXPECT_EQ(TextIn(Put("d/k.cc",
                       "#include \"a.h\"\n"
                       "  #  include \"below/b.h\"\n"
                       "#include <cmath>\n"
                       "int f();\n")),
            "\nint c;\nint b;\nint a;\n#include <cmath>\nint f();\n");
}

TEST_F(OwnTextTest, HeadersThatIncludeEachOtherEnd) {
  Put("d/a.h", "#include \"b.h\"\nint a;\n");
  Put("d/b.h", "#include \"a.h\"\nint b;\n");
  EXPECT_EQ(TextIn(Put("d/k.cc", "#include \"a.h\"\nint f();\n")),
            "int b;\nint a;\nint f();\n");
}

// Only a line that says include and no more names a file.
TEST_F(OwnTextTest, OtherDirectivesThatQuoteAFileStay) {
  Put("d/a.h", "int a;\n");
  const std::string text =
      "#define include_of_mine \"a.h\"\n"
      "#pragma message \"include a.h\"\n"
      "int f();\n";
  EXPECT_EQ(TextIn(Put("d/k.cc", text)), text);
}

// A stranger's source is no way to send a user's files to a model.
TEST_F(OwnTextTest, NothingIsTakenFromAboveOrThroughALink) {
  Put("secret.h", "password\n");
  Put("d/ordinary.h", "int a;\n");
  fs::create_symlink(File("secret.h"), File("d/link.h"));
  fs::create_directory_symlink(File(""), File("d/up"));
  const std::string kNames[] = {
      "../secret.h",          "link.h",
      "up/secret.h",          "./../secret.h",
      "below/../../secret.h", File("secret.h").string(),
      "/etc/passwd",          "../not_there.h"};
  for (const std::string& name : kNames) {
    const auto own = Own(Put("d/k.cc", "#include \"" + name + "\"\n"));
    ASSERT_FALSE(own) << name << ": " << own->text;
    EXPECT_EQ(own.error().code, Errc::kUsage);
    EXPECT_EQ(own.error().what, "#include \"" + name + "\" is not below " +
                                    fs::canonical(File("d")).string() +
                                    "; copy it there");
  }
  // What only looks like one is none.
  EXPECT_EQ(TextIn(Put("d/k.cc", "#include \"./ordinary.h\"\n")), "int a;\n");
}

TEST_F(OwnTextTest, AHeaderOfAHeaderMayNotLeadOutEither) {
  Put("secret.h", "password\n");
  Put("d/below/a.h", "#include \"../../secret.h\"\n");
  Put("d/b.h", "int b;\n");
  Put("d/below/c.h", "#include \"../b.h\"\n");
  EXPECT_THAT(TextIn(Put("d/k.cc", "#include \"below/a.h\"\n")),
              HasSubstr("is not below"));
  // Up again is not out.
  EXPECT_EQ(TextIn(Put("d/k.cc", "#include \"below/c.h\"\n")), "int b;\n");
}

TEST_F(OwnTextTest, MacrosOfFlagsComeFirst) {
  const std::string file = Put("k.cc", "int f();\n");
  const struct {
    std::vector<std::string> words;
    const char* text;
  } kCases[] = {
      {{"--flags", "-DN=4"}, "#define N 4\nint f();\n"},
      {{"--flags", "-DFAST"}, "#define FAST 1\nint f();\n"},
      {{"--flags", "-D N=4 -DM=a=b"}, "#define N 4\n#define M a=b\nint f();\n"},
      {{"--flags", "-DN=4", "--flags", "-DM"},
       "#define N 4\n#define M 1\nint f();\n"},
      {{"--flags", " "}, "int f();\n"},
  };
  for (const auto& [words, text] : kCases) {
    EXPECT_EQ(TextIn(file, words), text) << words[1];
  }
}

TEST_F(OwnTextTest, FlagsThatEveryKernelHasAreARemark) {
  const std::string file = Put("k.cc", "int f();\n");
  const auto own = Own(file, {"--flags", "-O3 -march=native -Wall -DN=4",
                              "--flags", "-std=c++17"});
  ASSERT_TRUE(own) << own.error().what;
  EXPECT_EQ(own->remark,
            "--flags -O3 -march=native -Wall -std=c++17: nothing of its own; "
            "all kernels are compiled with " +
                eval::Compiler::Flags());
  EXPECT_EQ(own->text, "#define N 4\nint f();\n");
  EXPECT_EQ(Own(file, {"--flags", "-DN=4"})->remark, "");
}

TEST_F(OwnTextTest, FlagsThatKernelsCannotHaveAreRefused) {
  const std::string file = Put("k.cc", "int f();\n");
  const struct {
    const char* flags;
    const char* why;
  } kCases[] = {
      {"-ffast-math",
       "-ffast-math: a function and its candidates are compiled "
       "alike; only -DNAME=VALUE and -IFOLDER are its own"},
      {"-O3 -Ofast", "-Ofast: a function and its candidates are compiled"},
      {"-lopenblas",
       "-lopenblas: a function and its candidates link no "
       "library; --expert FILE --link openblas compares with"},
      {"-I/no/such/folder", "-I/no/such/folder: no such folder"},
      {"-I", "-I: a function and its candidates are compiled alike"},
      {"-D", "-D: a function and its candidates are compiled alike"},
      {"N=4", "N=4: a function and its candidates are compiled alike"},
  };
  for (const auto& [flags, why] : kCases) {
    const auto own = Own(file, {"--flags", flags});
    ASSERT_FALSE(own) << flags;
    EXPECT_EQ(own.error().code, Errc::kUsage) << flags;
    EXPECT_THAT(own.error().what, HasSubstr(std::string("--flags ") + why));
  }
}

// Folders of the user's own flags may lie anywhere.
TEST_F(OwnTextTest, FoldersOfFlagsAreLookedThroughInTheirOrder) {
  Put("one/a.h", "int of_one;\n");
  Put("two/a.h", "int of_two;\n");
  Put("two/b.h", "#include \"a.h\"\nint b;\n");
  const std::vector<std::string> words = {
      "--flags", "-I" + File("one").string() + " -I " + File("two").string()};
  EXPECT_EQ(TextIn(Put("d/k.cc", "#include <a.h>\nint f();\n"), words),
            "int of_one;\nint f();\n");
  // What lies beside who asks goes before.
  EXPECT_EQ(TextIn(Put("d/k.cc", "#include <b.h>\nint f();\n"), words),
            "int of_two;\nint b;\nint f();\n");
  EXPECT_EQ(TextIn(Put("d/k.cc", "#include <none.h>\n"), words),
            "#include <none.h>\n");
  Put("d/a.h", "int of_its_own;\n");
  EXPECT_EQ(TextIn(Put("d/k.cc", "#include \"a.h\"\n"), words),
            "int of_its_own;\n");
}

// In angle brackets a compiler does not look beside the file.
TEST_F(OwnTextTest, BracketsPassOverWhatLiesBeside) {
  Put("one/a.h", "int of_one;\n");
  Put("d/a.h", "int of_its_own;\n");
  EXPECT_EQ(TextIn(Put("d/k.cc", "#include <a.h>\n"),
                   {"--flags", "-I" + File("one").string()}),
            "int of_one;\n");
}

TEST_F(OwnTextTest, ALinkInAFolderOfFlagsLeadsNowhere) {
  Put("secret.h", "password\n");
  Put("one/a.h", "int a;\n");
  fs::create_symlink(File("secret.h"), File("one/link.h"));
  EXPECT_THAT(TextIn(Put("d/k.cc", "#include <link.h>\n"),
                     {"--flags", "-I" + File("one").string()}),
              HasSubstr("is not below " + fs::canonical(File("one")).string()));
}

// helper.cc needs "shared.h", and so does k.cc, which has it already then.
TEST_F(OwnTextTest, OtherFilesComeBefore) {
  Put("d/shared.h", "int shared;\n");
  const std::string helper =
      Put("d/helper.cc", "#include \"shared.h\"\nint help();\n");
  const std::string more = Put("elsewhere/more.cc", "int more();\n");
  const std::string file = Put("d/k.cc", "#include \"shared.h\"\nint f();\n");
  EXPECT_EQ(TextIn(file, {"--with", helper, "--with", more, "--flags", "-DN"}),
            "#define N 1\nint shared;\nint help();\n\nint more();\n\n"
            "int f();\n");
  EXPECT_THAT(TextIn(file, {"--with", File("d/no.cc").string()}),
              HasSubstr("no.cc"));
}

TEST_F(OwnTextTest, WhatTheCompilerMakesOfConditionsIsReadable) {
  EXPECT_EQ(TextIn(Put("d/k.cc",
                       "#include <vector>\n"
                       "#ifdef FAST\n"
                       "int fast();\n"
                       "#else\n"
                       "int slow();\n"
                       "#endif\n"),
                   {"--flags", "-DFAST"})
                .find("slow"),
            std::string::npos);
  const std::string refused =
      TextIn(Put("d/k.cc", "#include \"gone.h\"\nint f();\n"));
  EXPECT_THAT(refused, HasSubstr("k.cc: does not compile: "));
  EXPECT_THAT(refused, HasSubstr("gone.h"));
}

TEST_F(OwnTextTest, TheFirstComplaintOfACompilerIsTold) {
  const Invocation typed = AsTyped(NewVerb(), {"k.cc"}, surroundings);
  EXPECT_EQ(WhatDoesNotCompile(typed, "int f() { return 1; }\n"), "");
  const std::string wrong =
      WhatDoesNotCompile(typed, "int f() {\n  return unheard_of;\n}\n");
  EXPECT_THAT(wrong, HasSubstr("2:"));
  EXPECT_THAT(wrong, HasSubstr("unheard_of"));
}

}  // namespace
}  // namespace coppice::cli
