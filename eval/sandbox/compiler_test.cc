#include "eval/sandbox/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "eval/host/whole_file.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CompilerTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(cache_); }

  Compiler Find(double timeout_s = 20.0,
                const std::atomic<bool>* cancelled = nullptr) {
    auto compiler = Compiler::Find(cache_, timeout_s, cancelled);
    EXPECT_TRUE(compiler) << compiler.error().what;
    return std::move(compiler).value();
  }
  Compiled Compile(const std::string& source) {
    auto compiled = Find().Compile(source, "run");
    EXPECT_TRUE(compiled) << compiled.error().what;
    return compiled.value_or(Compiled{});
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(cache_)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  const fs::path cache_ =
      fs::path(testing::TempDir()) /
      (std::string("coppice_compiler_") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
};

constexpr char kEmpty[] = "extern \"C\" void run() {}";

TEST_F(CompilerTest, MakesAnObjectAndKeepsIt) {
  const Compiled first = Compile(kEmpty);
  ASSERT_EQ(first.verdict, Verdict::kPassed) << first.diagnostics;
  EXPECT_FALSE(first.cached);
  EXPECT_TRUE(fs::is_regular_file(first.object));
  const Compiled second = Compile(kEmpty);
  EXPECT_TRUE(second.cached);
  EXPECT_EQ(second.object, first.object);
  EXPECT_THAT(Files(), testing::SizeIs(1));
}

TEST_F(CompilerTest, NamesTheLibraryThatIsNotInstalled) {
  const auto compiled =
      Find().Compile(kEmpty, "run", Purposed::kSpeed, {"nosuchthing"});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, Errc::kUnavailable);
  EXPECT_EQ(compiled.error().what,
            "libnosuchthing.a: not found; install the Debian package "
            "libnosuchthing-dev");
}

TEST_F(CompilerTest, TellsWhatItMadeOfALoop) {
  const Compiled made = Compile(
      "extern \"C\" void run(float* y, long n) {\n"
      "  for (long i = 0; i < n; ++i) y[i] *= 3.0f;\n"
      "}\n");
  ASSERT_EQ(made.verdict, Verdict::kPassed) << made.diagnostics;
  EXPECT_THAT(made.diagnostics, IsEmpty());
  EXPECT_THAT(Compiler::LoopRemarks(made.object),
              HasSubstr("kernel.cc:2:22: optimized: loop vectorized"));
  const auto code = Find().Disassemble(made.object);
  EXPECT_THAT(code.value_or(""), HasSubstr("<run>:"));
  // What is no object is nobody's fault here.
  EXPECT_EQ(Find().Disassemble(made.object.parent_path() / "key"), "");
}

TEST_F(CompilerTest, AnotherSourceIsAnotherObject) {
  const Compiled first = Compile(kEmpty);
  const Compiled second = Compile(std::string(kEmpty) + " ");
  EXPECT_FALSE(second.cached);
  EXPECT_NE(second.object, first.object);
}

// Equal names do not make equal objects: the key is compared as a whole.
TEST_F(CompilerTest, AnObjectUnderAForeignKeyIsCompiledAgain) {
  const Compiled first = Compile(kEmpty);
  std::ofstream(first.object.parent_path() / "key") << "foreign";
  EXPECT_FALSE(Compile(kEmpty).cached);
  EXPECT_TRUE(Compile(kEmpty).cached);
}

TEST_F(CompilerTest, DiagnosticsNameTheFileAndNoPlaceOfOurs) {
  const std::string source = "\n\nextern \"C\" void run() { oops; gone(); }";
  const Compiled compiled = Compile(source);
  EXPECT_EQ(compiled.verdict, Verdict::kCompileFailed);
  EXPECT_THAT(compiled.diagnostics, HasSubstr("kernel.cc:3:25: error: 'oops'"));
  EXPECT_THAT(compiled.diagnostics, Not(HasSubstr("/tmp")));
  EXPECT_EQ(compiled.diagnostics, Compile(source).diagnostics);
  EXPECT_THAT(Files(), IsEmpty());  // Neither object nor left-overs.
}

TEST_F(CompilerTest, LinkerMessagesAreNeutralToo) {
  const Compiled compiled =
      Compile("void F(); extern \"C\" void run() { F(); }");
  EXPECT_EQ(compiled.verdict, Verdict::kCompileFailed);
  EXPECT_THAT(compiled.diagnostics, HasSubstr("undefined reference to `F()'"));
  EXPECT_THAT(compiled.diagnostics, Not(HasSubstr("/tmp")));
}

TEST_F(CompilerTest, FloodsOfDiagnosticsAreCut) {
  std::string source(100'000, '\n');
  for (int i = 0; i < 300; ++i) {
    source += "static_assert(sizeof(int) == 5, \"" + std::string(2000, 'x') +
              "\");\n";
  }
  const Compiled compiled = Compile(source + kEmpty);
  EXPECT_EQ(compiled.verdict, Verdict::kCompileFailed);
  EXPECT_LT(compiled.diagnostics.size(), 17u * 1024);
  EXPECT_THAT(compiled.diagnostics, HasSubstr("[cut]"));
}

// A tree of 2^22 instantiations: seconds of work, whatever the machine.
constexpr char kEndless[] = R"(
  template <unsigned long n, int depth> struct T {
    static constexpr int v = T<2 * n, depth - 1>::v ^ T<2 * n + 1, depth - 1>::v;
  };
  template <unsigned long n> struct T<n, 0> { static constexpr int v = 1; };
  extern "C" int run() { return T<1, 22>::v; })";

TEST_F(CompilerTest, StopsAtTheWallClock) {
  auto compiled = Find(0.3).Compile(kEndless, "run");
  ASSERT_TRUE(compiled) << compiled.error().what;
  EXPECT_EQ(compiled->verdict, Verdict::kTimedOut);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CompilerTest, StopsWhenCancelled) {
  std::atomic<bool> cancelled = false;
  const Compiler compiler = Find(20.0, &cancelled);
  cancelled = true;
  auto compiled = compiler.Compile(kEndless, "run");
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, Errc::kCancelled);
}

TEST(LeadingIncludesTest, TakesPlainLinesAtTheBeginningOnly) {
  EXPECT_EQ(LeadingIncludes("// a kernel\n"
                            "#include <cmath>\n"
                            "\n"
                            "  # include <sys/types.h>  // why\n"
                            "#define X\n"
                            "#include <vector>\n"),
            "#include <cmath>\n#include <sys/types.h>\n");
  for (const char* source :
       {"", "int x;\n#include <cmath>\n", "#include \"cmath\"\n",
        "#include </etc/passwd>\n", "#include <../cmath>\n", "#include NAME\n",
        "/*\n#include <cmath>\n*/\n"}) {
    EXPECT_EQ(LeadingIncludes(source), "") << source;
  }
  // The comment goes on: the second line belongs to it.
  EXPECT_EQ(LeadingIncludes("// \\\n#include <cmath>\n"), "");
}

TEST_F(CompilerTest, AfterPrecompilingTheSameComesOut) {
  const std::string includes = "#include <algorithm>\n#include <cmath>\n";
  const std::string good =
      includes + "extern \"C\" double run() { return std::sqrt(2.0); }";
  const std::string bad = includes + "extern \"C\" void run() { oops; }";
  const Compiler compiler = Find();
  const auto bad_before = compiler.Compile(bad, "run");
  ASSERT_TRUE(compiler.Precompile(good));
  EXPECT_THAT(Files(), testing::SizeIs(1));
  ASSERT_TRUE(compiler.Precompile(bad));  // Has the same #include lines.
  EXPECT_THAT(Files(), testing::SizeIs(1));

  const auto made = compiler.Compile(good, "run");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->verdict, Verdict::kPassed) << made->diagnostics;
  EXPECT_EQ(compiler.Compile(bad, "run")->diagnostics, bad_before->diagnostics);
  // A source without the lines gets none of them.
  EXPECT_EQ(compiler
                .Compile("extern \"C\" double run() { return std::sqrt(2.0); }",
                         "run")
                ->verdict,
            Verdict::kCompileFailed);
}

// <cmath> without its special functions, unless a source may name one.
TEST_F(CompilerTest, PrecompiledHeadersHaveAllThatASourceMayName) {
  const std::string cmath = "#include <cmath>\n";
  const Compiler compiler = Find();
  ASSERT_TRUE(compiler.Precompile(cmath + kEmpty));
  EXPECT_THAT(Files(), testing::SizeIs(1));
  const std::string run = "extern \"C\" double run(double x) { return ";
  for (const std::string& source :
       {cmath + run + "std::max(std::sqrt(x), 2.0); }",
        cmath + run + "std::numeric_limits<double>::max(); }",
        cmath + run + "std::is_same_v<double, int> ? 1 : 2; }",
        cmath + run + "std::beta(x, 2.0) + std::cyl_bessel_j(1, x); }",
        cmath + "using namespace std;\n" + run + "legendre(2, x); }",
        cmath + "#ifndef __STDCPP_MATH_SPEC_FUNCS__\n#error\n#endif\n" + run +
            "x; }",
        // No text beside `std` names it, nor does a `using`.
        cmath + "#define OF(space, name) space::name\n" + run +
            "OF(std, beta)(x, 2.0); }",
        cmath + "namespace own = std;\n" + run + "own::cyl_bessel_j(1, x); }",
        cmath + "#include <random>\n#include <complex>\n" + run + "x; }",
        cmath + "#include <vector>\n" + run +
            "std::vector<double>(4, x).back(); }"}) {
    const auto made = compiler.Compile(source, "run");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->verdict, Verdict::kPassed) << source << made->diagnostics;
  }
}

// A regular expression of the library's recurses for each character.
TEST_F(CompilerTest, ASourceMayHaveNamesOfAnyLength) {
  const auto made =
      Find().Compile("#include <cmath>\nextern \"C\" void run() {}\n// std::" +
                         std::string(1'000'000, 'a') + "\n",
                     "run");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->verdict, Verdict::kPassed) << made->diagnostics;
}

TEST_F(CompilerTest, WhatNeedsNothingOfLibstdcxxIsLinkedWithoutIt) {
  const auto needs_it = [&](const std::string& body) {
    const Compiled made =
        Compile("#include <vector>\nextern \"C\" int run() {" + body + "}");
    EXPECT_EQ(made.verdict, Verdict::kPassed) << made.diagnostics;
    return ReadWhole(made.object).value_or("").find("libstdc++.so") !=
           std::string::npos;
  };
  EXPECT_FALSE(needs_it("return 1;"));
  EXPECT_FALSE(needs_it("int n = 0;\n#pragma omp parallel\n++n; return n;"));
  EXPECT_TRUE(needs_it("return std::vector<int>(5, 3).back();"));
}

// None of these names is among those by which a library is left out.
TEST_F(CompilerTest, WhatALibraryWasLeftOutForIsLinkedWithItAfterAll) {
  const Compiled made = Compile(
      "#include <time.h>\n"
      "extern \"C\" long run(__int128 a, __int128 b) {\n"
      "  return clock() + static_cast<long>(a / b);\n"
      "}");
  EXPECT_EQ(made.verdict, Verdict::kPassed) << made.diagnostics;
  EXPECT_THAT(ReadWhole(made.object).value_or(""), HasSubstr("libc.so.6"));
}

TEST_F(CompilerTest, LinesThatCannotBePrecompiledLeaveNothing) {
  ASSERT_TRUE(Find().Precompile("#include <nosuchheader>\n"));
  ASSERT_TRUE(Find().Precompile("int x;"));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CompilerTest, AnObjectForSanitizersIsAnother) {
  const Compiler compiler = Find();
  const auto plain = compiler.Compile(kEmpty, "run");
  const auto checked = compiler.Compile(kEmpty, "run", Purposed::kSanitizers);
  ASSERT_TRUE(plain && checked);
  EXPECT_EQ(checked->verdict, Verdict::kPassed) << checked->diagnostics;
  EXPECT_NE(checked->object, plain->object);
}

TEST_F(CompilerTest, TellsItsVersionAndFlags) {
  EXPECT_THAT(Find().version(), HasSubstr("g++"));
  EXPECT_THAT(Compiler::Flags(), HasSubstr("-ffp-contract=fast"));
  EXPECT_THAT(Compiler::Flags(), Not(HasSubstr("-ffast-math")));
}

TEST(IsIdentifierTest, TakesNamesOnly) {
  EXPECT_TRUE(IsIdentifier("run"));
  EXPECT_TRUE(IsIdentifier("_run2"));
  EXPECT_FALSE(IsIdentifier(""));
  EXPECT_FALSE(IsIdentifier("2run"));
  EXPECT_FALSE(IsIdentifier("run,-z,now"));
  EXPECT_FALSE(IsIdentifier(std::string(256, 'a')));
}

TEST(LeadingIncludesTest, ALongLineIsNoInclude) {
  const std::string include = "#include <cmath>  // ";
  const std::string exact = include + std::string(200 - include.size(), 'x');
  EXPECT_EQ(LeadingIncludes(exact), "#include <cmath>\n");
  EXPECT_EQ(LeadingIncludes(exact + "x"), "");
  EXPECT_EQ(LeadingIncludes("#include <cmath>\n" + exact + "x"),
            "#include <cmath>\n");
}

TEST(LeadingIncludesTest, EqualIncludesAreEqualHoweverTheyAreWritten) {
  EXPECT_EQ(LeadingIncludes("#include<a.h>\n\t#\tinclude  <b/c/d_1.h>"),
            "#include <a.h>\n#include <b/c/d_1.h>\n");
  for (const char* odd :
       {"#include <A>", "#include <a.hpp>", "#include <a> int x;",
        "#include <a/>", "#include <a>\\", "#include_next <a>"}) {
    EXPECT_EQ(LeadingIncludes(odd), "") << odd;
  }
}

TEST(IsIdentifierTest, TakesNoMoreThanTheRunnerHasRoomFor) {
  EXPECT_TRUE(IsIdentifier(std::string(255, 'a')));
  EXPECT_TRUE(IsIdentifier("A_9z"));
  for (const char* text : {"a b", "a-b", "a.b", "a\n", "\xc3\xa4"}) {
    EXPECT_FALSE(IsIdentifier(text)) << text;
  }
}

TEST_F(CompilerTest, SaysWhatEntryIsMissing) {
  const Compiled compiled = Compile("extern \"C\" void walk() {}");
  EXPECT_EQ(compiled.verdict, Verdict::kCompileFailed);
  EXPECT_THAT(compiled.diagnostics,
              testing::EndsWith("kernel.cc: the entry is missing: define "
                                "extern \"C\" void run(...)\n"));
}

TEST_F(CompilerTest, SaysAfterHowLongItWasStopped) {
  const auto compiled = Find(0.25).Compile(kEndless, "run");
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->diagnostics,
            "kernel.cc: the compiler was stopped after 0.25 s\n");
  EXPECT_TRUE(compiled->object.empty());
}

// -ffp-contract=fast, OpenMP and what this processor has.
TEST_F(CompilerTest, KernelsAreCompiledAsItIsSaid) {
  EXPECT_EQ(Compiler::Flags(),
            "-std=c++20 -O3 -march=native -fopenmp -ffp-contract=fast "
            "-fno-math-errno");
  const Compiled compiled = Compile(R"(
    #if __cplusplus < 202002L || !defined(_OPENMP) || !defined(__OPTIMIZE__)
    #error flags
    #endif
    #ifdef __FAST_MATH__
    #error fast
    #endif
    extern "C" void run() {})");
  EXPECT_EQ(compiled.verdict, Verdict::kPassed) << compiled.diagnostics;
}

TEST_F(CompilerTest, SanitizersAreLinkedInOnlyForTheirOwn) {
  const std::string source = "extern \"C\" int run(int* x) { return x[1]; }";
  const Compiler compiler = Find();
  const auto needs = [&](Purposed purpose) {
    const auto compiled = compiler.Compile(source, "run", purpose);
    EXPECT_TRUE(compiled && compiled->verdict == Verdict::kPassed);
    return ReadWhole(compiled->object).value().find("libasan") !=
           std::string::npos;
  };
  EXPECT_FALSE(needs(Purposed::kSpeed));
  EXPECT_TRUE(needs(Purposed::kSanitizers));
}

TEST_F(CompilerTest, ACacheThatCannotBeIsTheUsersFault) {
  std::ofstream(cache_) << "in the way";
  const auto compiler = Compiler::Find(cache_, 20.0, nullptr);
  ASSERT_FALSE(compiler);
  EXPECT_EQ(compiler.error().code, Errc::kUsage);
}

TEST_F(CompilerTest, PreprocessesOrTellsTheFirstComplaint) {
  const auto text = Find().Preprocess("#define N 3\nint x = N;\n", {});
  ASSERT_TRUE(text) << text.error().what;
  EXPECT_THAT(*text, HasSubstr("int x = 3;"));
  const auto wrong = Find().Preprocess("\n#include <gone.h>\n", {});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what,
              testing::StartsWith("2:10: fatal error: gone.h: No such file"));
}

}  // namespace
}  // namespace coppice::eval
