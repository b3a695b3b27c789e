// What reads a stranger's file: whatever breaks off, or stands where it cannot,
// is refused in a line or passed over.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/catalogue/parse.h"
#include "engine/own/array_sizes.h"
#include "engine/own/body_text.h"
#include "engine/own/complex_text.h"
#include "engine/own/cuda_source.h"
#include "engine/own/source_file.h"
#include "engine/own/source_reader.h"
#include "engine/own/wide_number.h"

namespace coppice::engine::own {
namespace {

const std::vector<std::string> kSources = {
    "#define N 8\nvoid f(const float* x, float* y, int n) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + N;\n}\n",
    "double dot(n, x, y) const double *x, *y; {\n  int i; double s = 0;\n"
    "  for (i = 0; i < n; i++) s += x[i] * y[i];\n  return s;\n}\n",
    "#include <complex.h>\nstatic void (scale)(int m, float complex z[4][5]) "
    "{\n  for (int i = 0; i < m; i++) z[i][0] *= cexpf(I);\n}\n",
    "namespace a { extern \"C\" {\ntemplate <class T> struct S { T t; };\n"
    "void g(int* ptr, unsigned long long n, double x[][3]) {\n"
    "  if (n > 0) { x[ptr[0]][1] = 'a'; } else { do { --n; } while (n); }\n}\n"
    "} }\n",
    "__global__ void k(float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] += 1.0f;\n}\n"
    "//@ launch k<<<(n + 255) / 256, 256>>>(y, n)\n"
    "void run(float* y, int n) { k<<<(n + 255) / 256, 256>>>(y, n); }\n"};

// Each text up to each of its bytes, from each of them on, and without each of
// them.
std::vector<std::string> Broken() {
  std::vector<std::string> all = {"",
                                  "x)(y){}",
                                  ")(y){}",
                                  "(f)(n) {}",
                                  "()(){}{",
                                  "= (a) {}",
                                  "f(){}}}}",
                                  "extern \"C\"",
                                  "namespace",
                                  "inline namespace a::",
                                  "__attribute__",
                                  "__attribute__((x",
                                  "f(a) int a",
                                  "f(a,) int a; {}",
                                  "operator()(int a) {}",
                                  "[[((({{{",
                                  "]]))}}",
                                  "f(,) {}",
                                  "f(*) {}",
                                  "f(const) {}",
                                  "f([]) {}",
                                  "f(int a[) {}",
                                  "for",
                                  "for (",
                                  "for (i =",
                                  "for (i = 0; i < n; ++i)",
                                  "a[",
                                  "a[i",
                                  "a[i][",
                                  std::string("a\0b(c){}", 8),
                                  "\xff\xfe(x){}"};
  for (const std::string& source : kSources) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      all.push_back(source.substr(0, i));
      all.push_back(source.substr(i));
      all.push_back(source.substr(0, i) + source.substr(i + 1));
    }
  }
  return all;
}

TEST(HostileTextTest, ReplacingNothingLeavesATextAsItIs) {
  for (const std::string& text : Broken()) {
    EXPECT_EQ(
        Replaced(text, [](const TokenView&, std::string&) { return false; }),
        text);
  }
}

// A piece is a part of the text, and a function has a name.
TEST(HostileTextTest, PiecesAreWhatIsThere) {
  for (const std::string& text : Broken()) {
    for (const Piece& piece : CutSource(text)) {
      EXPECT_FALSE(piece.text.empty()) << text;
      if (piece.kind != PieceKind::kFunction) continue;
      EXPECT_FALSE(piece.name.empty()) << text;
    }
  }
}

// One line, which says what is wrong.
void ExpectRefused(const Error& error, const std::string& text) {
  EXPECT_EQ(error.code, Errc::kUsage) << text;
  EXPECT_FALSE(error.what.empty()) << text;
}

TEST(HostileTextTest, AFunctionIsReadOrRefused) {
  for (const std::string& text : Broken()) {
    const auto reading = Read(CutSource(text), {});
    if (!reading) ExpectRefused(reading.error(), text);
  }
}

TEST(HostileTextTest, LaunchesAreReadOrRefused) {
  for (const std::string& text : Broken()) {
    const auto source = ReadCudaSource(text, "");
    if (!source) ExpectRefused(source.error(), text);
  }
}

// A text that does not say "complex" has no complex numbers, and one that has
// none is as it was.
TEST(HostileTextTest, WordsAreRewrittenOnce) {
  for (const std::string& text : Broken()) {
    const std::string named = WithNamedComplex(text);
    if (text.find("omplex") == std::string::npos) {
      EXPECT_EQ(named, text);
    }
    if (!NamesComplex(named)) {
      EXPECT_EQ(WithoutComplex(named), named);
    }
    const std::string wide = InWideNumbers(text);
    EXPECT_EQ(InWideNumbers(wide), wide) << text;
  }
}

TEST(HostileTextTest, ABodyIsPreparedHoweverItBreaksOff) {
  const Dimensions arrays = {
      {"z", {"4", "5"}}, {"x", {"", "3"}}, {"a", {"N", "M"}}, {"f", {"", "2"}}};
  for (const std::string& text : Broken()) {
    const std::string prepared = PreparedBody(text, arrays);
    // Without such arrays, loops and restrict there is nothing to prepare.
    const bool has_any = text.find_first_of("zxaf") != std::string::npos;
    if (!has_any) {
      EXPECT_EQ(prepared, text);
    }
  }
}

TEST(HostileTextTest, SizesAreToldOfWhatCanBeParsed) {
  for (const char* body :
       {"", ";", "x[0];", "x[i] = 1;", "x[x[x[0]]] = y[at[ptr[0]]];",
        "for (int i = 0; i < 0; ++i) x[i] = 0;",
        "for (int i = 0; i < n; i += 0) x[i] = 0;",
        "for (int i = n; i < 0; ++i) x[i * 0] = 0;",
        "for (int i = 0; i < i; ++i) x[i] = i;",
        "for (int i = 0; i < n; ++i) for (int i = 0; i < n; ++i) x[i] = 0;",
        "for (int i = 0; i < n; ++i) x[i * i] = 0;",
        "for (int i = 0; i < n; ++i) x[-i] = 0;",
        "for (int i = 0; i < n; ++i) x[i % n] = x[i / n];",
        "for (int i = 0; i < 9223372036854775807; ++i) x[i] = 0;",
        "int k = k; x[k] = 0;", "int* p = x; p = p + n; p[0] = 0;",
        "float* p = &x[n]; *p = 0; *(p + 1) = 0;",
        "for (int e = ptr[0]; e < ptr[1]; ++e) x[at[e]] += 1;"}) {
    const ArraySizes sizes =
        ArraySizesOf(agents::catalogue::ParseStmts(body),
                     {"x", "y", "at", "ptr"}, {"m", "n"}, {});
    for (const auto& [array, dims] : sizes.dims) {
      EXPECT_FALSE(dims.empty()) << body;
    }
  }
}

// Ten thousand brackets are no tree that a stack must hold.
TEST(HostileTextTest, DeepBracketsAreOnlyLong) {
  const std::string open(10'000, '(');
  const std::string close(10'000, ')');
  const std::string text =
      "void f(float* x) { x[0] = " + open + "1" + close + "; }";
  const auto pieces = CutSource(text);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].name, "f");
  EXPECT_EQ(CutSource("void f(float* x) { " + open).size(), 1u);
  EXPECT_TRUE(CutSource(close).empty() || !CutSource(close)[0].text.empty());
}

}  // namespace
}  // namespace coppice::engine::own
