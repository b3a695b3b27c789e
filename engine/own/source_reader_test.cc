#include "engine/own/source_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace coppice::engine::own {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

Reading ReadOrDie(const std::string& text, const Wishes& wishes = {}) {
  auto reading = Read(CutSource(text), wishes);
  EXPECT_TRUE(reading) << reading.error().what;
  return reading ? *std::move(reading) : Reading{};
}

std::string Complaint(const std::string& text, const Wishes& wishes = {}) {
  const auto reading = Read(CutSource(text), wishes);
  return reading ? "" : reading.error().what;
}

Argument Find(const Reading& reading, const std::string& name) {
  const auto found =
      std::ranges::find(reading.arguments, name, &Argument::name);
  EXPECT_NE(found, reading.arguments.end()) << name;
  return found == reading.arguments.end() ? Argument{} : *found;
}

TEST(SourceReaderTest, AProductHasTwoInputsAResultAndThreeSizes) {
  const Reading reading = ReadOrDie(R"(
    void product(const float* a, const float* b, float* c, int m, int n, int k) {
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
          float sum = 0;
          for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + j];
          c[i * n + j] = sum;
        }
    })");
  EXPECT_THAT(Find(reading, "a").shape, ElementsAre("m", "k"));
  EXPECT_THAT(Find(reading, "b").shape, ElementsAre("k", "n"));
  EXPECT_THAT(Find(reading, "c").shape, ElementsAre("m", "n"));
  EXPECT_EQ(Find(reading, "b").part, ArgumentRole::kInput);
  EXPECT_EQ(Find(reading, "c").part, ArgumentRole::kResult);
  EXPECT_EQ(Find(reading, "k").part, ArgumentRole::kSize);
}

TEST(SourceReaderTest, AnArrayThatIsReadFirstIsUpdated) {
  const Reading reading = ReadOrDie(
      "void scale(int n, double a, double* x) {\n"
      "  for (int i = 0; i < n; ++i) x[i] *= a;\n}");
  EXPECT_EQ(Find(reading, "x").part, ArgumentRole::kInPlace);
  EXPECT_EQ(Find(reading, "a").part, ArgumentRole::kNumber);
  EXPECT_EQ(Find(reading, "a").dtype, DType::kFloat64);
}

// y is not in `yes`, where the loop around that is not understood.
TEST(SourceReaderTest, AnArrayIsNamedByAWholeWord) {
  const Reading reading = ReadOrDie(
      "void f(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    while (yes(i)) { ++i; }\n    y[i] = x[i];\n  }\n}");
  EXPECT_EQ(Find(reading, "y").part, ArgumentRole::kResult);
}

// Ends of rows are one more than rows, and elements of `col` subscripts of x.
TEST(SourceReaderTest, RowsThatAreCompressedAreKnownByTheirLoops) {
  Wishes wishes;
  wishes.shapes["x"] = {"n"};
  const Reading reading = ReadOrDie(
      "void spmv(int n, const int* ptr, const int* col, const float* v,\n"
      "          const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    float s = 0;\n"
      "    for (int k = ptr[i]; k < ptr[i + 1]; ++k) s += v[k] * x[col[k]];\n"
      "    y[i] = s;\n  }\n}",
      wishes);
  EXPECT_EQ(Find(reading, "ptr").form, "csr:ptr_end");
  EXPECT_EQ(Find(reading, "col").form, "index:n");
  EXPECT_THAT(Find(reading, "v").shape, ElementsAre("ptr_end"));
  const auto ends = std::ranges::find(reading.axes, "n_plus_1", &OwnAxis::name);
  ASSERT_NE(ends, reading.axes.end());
  EXPECT_EQ(ends->derived, "n+1");
}

// A row has lda elements, of which n are used: 8 more than needed.
TEST(SourceReaderTest, RowsMayBeLongerThanWhatIsUsed) {
  const Reading reading = ReadOrDie(
      "void fill(int m, int n, float* a, int lda) {\n"
      "  for (int i = 0; i < m; ++i)\n"
      "    for (int j = 0; j < n; ++j) a[i * lda + j] = 1;\n}");
  EXPECT_THAT(Find(reading, "a").shape, ElementsAre("m", "lda"));
  EXPECT_EQ(Find(reading, "a").part, ArgumentRole::kInPlace);
  const auto row = std::ranges::find(reading.axes, "lda", &OwnAxis::name);
  ASSERT_NE(row, reading.axes.end());
  EXPECT_EQ(row->derived, "n+8");
}

// "n+8" where x=k,lda is said of such a function, and its helper; empty: lda
// varies freely.
std::string RowOf(const std::string& helper, const std::string& call) {
  Wishes wishes;
  wishes.shapes["x"] = {"k", "lda"};
  const Reading reading =
      ReadOrDie(helper +
                    "\nvoid f(int n, int k, const float* x, int lda,\n"
                    "       float* y) {\n"
                    "  for (int i = 0; i < n; ++i) y[i] = " +
                    call + ";\n}",
                wishes);
  const auto row = std::ranges::find(reading.axes, "lda", &OwnAxis::name);
  return row == reading.axes.end() ? "none" : row->derived;
}

// Where lda is less than n, x + i goes along no row but to the next one.
TEST(SourceReaderTest, ARowThatIsSaidIsAtLeastWhatIsGoneAlong) {
  const std::string dot =
      "float dot(const float* a, int k, int s) {\n"
      "  float sum = 0;\n"
      "  for (int p = 0; p < k; ++p) sum += a[p * s];\n  return sum;\n}";
  EXPECT_EQ(RowOf(dot, "dot(x + i, k, lda)"), "n+8");
  EXPECT_EQ(RowOf("", "x[i % k * lda + (i < 1 ? 0 : n - i)]"), "n+8");
  // A row that is gone along as a whole is no longer than that.
  EXPECT_EQ(RowOf(dot, "dot(x + i, lda, k)"), "");
  EXPECT_EQ(RowOf("", "x[0] + dot(x + i, k, lda)"), "");  // Unknown.
}

// The last row that is written is m - 2, and its last element n - 2.
// n is in no shape but by way of ldb = n + 8.
TEST(SourceReaderTest, WhatIsUsedOfARowIsASize) {
  const auto reading = Read(
      CutSource("void f(int k, int n, const float* b, int ldb, float* s) {\n"
                "  s[0] = 0;\n"
                "  for (int p = 0; p < k; p++)\n"
                "    for (int j = 0; j < n; j++) s[0] += b[p * ldb + j];\n}\n"),
      {});
  ASSERT_TRUE(reading) << reading.error().what;
  EXPECT_EQ(reading->arguments[1].part, ArgumentRole::kSize);
  EXPECT_EQ(reading->arguments[3].part, ArgumentRole::kSize);
}

TEST(SourceReaderTest, AnEdgeThatIsLeftAloneIsPartOfTheArray) {
  const Reading reading = ReadOrDie(
      "void inner(int m, int n, const float* x, float* y) {\n"
      "  for (int i = 1; i < m - 1; ++i)\n"
      "    for (int j = 1; j < n - 1; ++j)\n"
      "      y[i * n + j] = x[(i + 1) * n + j + 1];\n}");
  EXPECT_THAT(Find(reading, "x").shape, ElementsAre("m", "n"));
  EXPECT_THAT(Find(reading, "y").shape, ElementsAre("m", "n"));
}

TEST(SourceReaderTest, DeclaredDimensionsAreFlattened) {
  const Reading reading = ReadOrDie(
      "#define N 4\n"
      "void trace(const float a[N][N], float* t) {\n"
      "  int i;\n"
      "  *t = 0;\n"
      "  for (i = 0; i < N; i++) *t += a[i][i];\n}");
  EXPECT_THAT(Find(reading, "a").shape, ElementsAre("K4", "K4"));
  EXPECT_THAT(reading.body, HasSubstr("for (int i = 0; i < N; i++)"));
  EXPECT_THAT(reading.body, HasSubstr("a[(i) * (N) + i]"));
}

TEST(SourceReaderTest, WhatIsReturnedIsAResultOfNoDimension) {
  const Reading reading = ReadOrDie(
      "double sum(long n, const double* x) {\n"
      "  double s = 0;\n  for (long i = 0; i < n; i++) s += x[i];\n"
      "  return s;\n}");
  EXPECT_EQ(reading.returns, "double");
  EXPECT_THAT(Find(reading, "result").shape, IsEmpty());
}

TEST(SourceReaderTest, TypesOfCAreThoseOfTasks) {
  EXPECT_EQ(DTypeOf("float"), DType::kFloat32);
  EXPECT_EQ(DTypeOf("short unsigned int"), DType::kUInt16);
  EXPECT_EQ(DTypeOf("int8_t"), DType::kInt8);
  EXPECT_EQ(DTypeOf("ComplexDouble"), DType::kFloat64);
  EXPECT_EQ(DTypeOf("size_t"), std::nullopt);  // A size, or two halves.
  EXPECT_EQ(DTypeOf("half"), std::nullopt);
  EXPECT_TRUE(IsOfPairs("uint64_t"));
  EXPECT_TRUE(IsOfPairs("ComplexFloat"));
  EXPECT_FALSE(IsOfPairs("int64_t"));
}

TEST(SourceReaderTest, WhatTheUserSaysIsBelieved) {
  Wishes wishes;
  wishes.shapes["x"] = {"n", "3"};
  wishes.forms["x"] = "positive";
  wishes.in_place = {"y"};
  wishes.values["a"] = "0.5";
  const Reading reading = ReadOrDie(
      "void f(int n, float a, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = a * x[i * i % 7];\n}",
      wishes);
  const Argument x = Find(reading, "x");
  EXPECT_THAT(x.shape, ElementsAre("n", "K3"));
  EXPECT_EQ(x.shape_how, "--shape");
  EXPECT_EQ(x.form, "positive");
  EXPECT_EQ(x.form_how, "--input");
  EXPECT_EQ(Find(reading, "y").part, ArgumentRole::kInPlace);
  EXPECT_EQ(Find(reading, "y").part_how, "--in-place");
  EXPECT_EQ(Find(reading, "a").value, "0.5");
  EXPECT_EQ(Find(reading, "a").shape_how, "--value");
}

TEST(SourceReaderTest, ANumberThatNobodySaysIsAGuess) {
  const Reading reading = ReadOrDie(
      "void f(int n, float a, int k, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = a * k;\n}");
  EXPECT_EQ(Find(reading, "a").value, "1.25");
  EXPECT_EQ(Find(reading, "k").value, "8");
  EXPECT_EQ(Find(reading, "k").shape_how, "a guess; see --value");
}

// Each says why it is what it is, as the user is told.
TEST(SourceReaderTest, HowEachIsKnownIsSaid) {
  const Reading reading = ReadOrDie(
      "void f(int n, const float* x, float* y, float* z, float* w) {\n"
      "  for (int i = 0; i < n; ++i) { y[i] = x[i] + z[i]; w[i] += 1; }\n}");
  EXPECT_EQ(Find(reading, "x").part_how, "it is const");
  EXPECT_EQ(Find(reading, "y").part_how, "it is written before it is read");
  EXPECT_EQ(Find(reading, "z").part_how, "nothing writes it");
  EXPECT_EQ(Find(reading, "w").part_how, "it is read before it is written");
  EXPECT_EQ(Find(reading, "n").part_how, "it is in the shape of an array");
  EXPECT_EQ(Find(reading, "y").shape_how,
            "by its subscripts and the loops around them");
}

TEST(SourceReaderTest, WhatAnotherFunctionIsGivenIsUpdated) {
  const Reading reading =
      ReadOrDie("void f(int n, float* y) { sort(y, n); y[n - 1] = 0; }");
  EXPECT_EQ(Find(reading, "y").part, ArgumentRole::kInPlace);
  EXPECT_EQ(Find(reading, "y").part_how,
            "another function is given it, and may read it");
}

// A size of a product is an axis of its own, with a name that can be typed.
TEST(SourceReaderTest, ASizeThatIsComputedIsADerivedAxis) {
  const Reading reading = ReadOrDie(
      "void f(int m, int n, float* y) {\n"
      "  for (int i = 0; i < m + n; ++i) y[i] = i;\n}");
  const std::string axis = Find(reading, "y").shape.at(0);
  EXPECT_EQ(axis, "m_plus_n");
  const auto found = std::ranges::find(reading.axes, axis, &OwnAxis::name);
  ASSERT_NE(found, reading.axes.end());
  EXPECT_EQ(found->derived, "m+n");
  EXPECT_EQ(Find(reading, "m").part, ArgumentRole::kSize);
}

TEST(SourceReaderTest, NamesOfNumbersAreSizes) {
  for (const char* size : {"#define N 12\n", "static const int N = 12;\n",
                           "constexpr int N = 12;\n"}) {
    const Reading reading =
        ReadOrDie(std::string(size) +
                  "void f(float* y) { for (int i = 0; i < N; ++i) y[i] = i; }");
    EXPECT_THAT(Find(reading, "y").shape, ElementsAre("K12")) << size;
  }
}

TEST(SourceReaderTest, ATypeMayBeNamedInAnyWay) {
  for (const char* type : {"typedef double real;\n", "using real = double;\n",
                           "#define real double\n"}) {
    const Reading reading = ReadOrDie(
        std::string(type) +
        "void f(int n, real* y) { for (int i = 0; i < n; ++i) y[i] = i; }");
    EXPECT_EQ(Find(reading, "y").dtype, DType::kFloat64) << type;
    EXPECT_EQ(Find(reading, "y").c_type, "double") << type;
  }
}

// Two halves of 32 bits, since no double has as many.
TEST(SourceReaderTest, SixtyFourBitsWithoutSignThatAreReturnedAreAPair) {
  const Reading reading = ReadOrDie(
      "unsigned long f(int n, const int* x) {\n"
      "  unsigned long s = 0;\n"
      "  for (int i = 0; i < n; ++i) s += x[i];\n  return s;\n}");
  const Argument result = Find(reading, "result");
  EXPECT_TRUE(result.is_pair);
  EXPECT_EQ(result.dtype, DType::kUInt32);
  EXPECT_THAT(result.shape, ElementsAre("K2"));
  EXPECT_EQ(result.part_how, "it is returned");
}

TEST(SourceReaderTest, NamesOfComputedSizesCanBeTyped) {
  const auto axis_of = [](const std::string& bound) {
    const Reading reading =
        ReadOrDie("void f(int m, int n, float* y) { for (int i = 0; i < " +
                  bound + "; ++i) y[i] = i; }");
    return Find(reading, "y").shape.at(0);
  };
  EXPECT_EQ(axis_of("m * n"), "m_by_n");
  EXPECT_EQ(axis_of("n + 1"), "n_plus_1");
  EXPECT_EQ(axis_of("n"), "n");
  EXPECT_EQ(axis_of("7"), "K7");
}

// The "x=m,n" of "--shape x=m,n".
std::string Proposal(const std::string& text) {
  const std::string complaint = Complaint(text);
  const std::size_t from = complaint.find("--shape ") + 8;
  return complaint.substr(from, complaint.find(' ', from) - from);
}

// The integer behind the array, else the first, else a form.
TEST(SourceReaderTest, ALikelySizeIsProposed) {
  const auto proposal = [](const std::string& parameters) {
    return Proposal("void f(" + parameters + ") { y[0] = x[g()]; }");
  };
  EXPECT_EQ(proposal("int m, const float* x, int n, float* y"), "x=n");
  EXPECT_EQ(proposal("int m, int n, const float* x, float* y"), "x=m");
  EXPECT_EQ(proposal("const float* x, float* y"), "x=ROWS,COLUMNS");
}

// One axis alone would be too small in each of these.
TEST(SourceReaderTest, AllAxesOfASubscriptAreProposed) {
  const struct {
    const char* parameters;
    const char* body;  // In loops over i < n and j < m.
    const char* proposal;
  } cases[] = {
      // Clamped, with rows that are longer than what is used.
      {"int m, int n, int pitch, const float* x, float* y",
       "y[i] = x[(j < 0 ? 0 : j > m - 1 ? m - 1 : j) * pitch +\n"
       "         (i < 0 ? 0 : i > n - 1 ? n - 1 : i)];",
       "x=m,pitch"},
      // The same, with a row in channels: 3 of each.
      {"int m, int n, int pitch, const float* x, float* y",
       "y[i] = x[(j % m) * pitch * 3 + (i % n) * 3];", "x=m,pitch,3"},
      {"int m, int n, const float* x, float* y", "y[i] = x[(i * j) % 7 * 4];",
       "x=n,m,4"},
      // Rows that an element picks may be as many as there are.
      {"int m, int n, const float* x, const int* at, float* y",
       "y[i] = x[at[i] * m + j % 2];", "x=ROWS,m"},
      // Another function goes along it.
      {"int m, int n, int k, const float* x, int ldx, float* y",
       "y[i] = dot(x + i, k, ldx);", "x=k,ldx"},
      {"int m, int n, const float* x, float* y", "y[j] = sum(x + j * n, n);",
       "x=m,n"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(Proposal("void f(" + std::string(one.parameters) +
                       ") {\n  for (int i = 0; i < n; ++i)\n"
                       "    for (int j = 0; j < m; ++j) {\n" +
                       one.body + "\n}}"),
              one.proposal)
        << one.body;
  }
}

// T is no type that the reader of statements knows, so dx would be no number.
TEST(SourceReaderTest, LocalNumbersMayHaveTypesOfOtherNames) {
  const Reading reading = ReadOrDie(R"(
    using T = float;
    void sum(const T* b, T* s, int n) {
      for (int i = 0; i < n; i++) {
        T x = b[4 * i] - b[4 * i + 1], m = b[4 * i + 3];
        s[3 * i] = m; s[3 * i + 1] = x; s[3 * i + 2] = T(1e-3) * x;
      }
    })");
  EXPECT_THAT(Find(reading, "b").shape, ElementsAre("n", "K4"));
  EXPECT_THAT(Find(reading, "s").shape, ElementsAre("n", "K3"));
}

// The guess that its complaint printed: --shape x=ROWS,8.
TEST(SourceReaderTest, AGuessMayBeSaidAsItIsPrinted) {
  const std::string text =
      "void f(int n, const int* at, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = x[8 * at[i] + 3];\n}";
  EXPECT_THAT(Complaint(text), HasSubstr("perhaps --shape x=ROWS,8 "));
  Wishes wishes;
  wishes.shapes["x"] = {"ROWS", "8"};
  const auto reading = Read(CutSource(text), wishes);
  ASSERT_TRUE(reading) << reading.error().what;
  EXPECT_THAT(Find(*reading, "x").shape, ElementsAre("ROWS", "K8"));
  const auto& axes = reading->axes;
  const auto rows = std::ranges::find(axes, "ROWS", &OwnAxis::name);
  ASSERT_NE(rows, axes.end());
  EXPECT_EQ(rows->derived, "");  // It varies freely.
  EXPECT_EQ(Find(*reading, "at").form, "");
  EXPECT_EQ(Find(*reading, "at").picks_along, "ROWS");
}

TEST(SourceReaderTest, AFunctionIsChosenByItsName) {
  const auto pieces = CutSource(
      "void f(float* x) { x[0] = 1; }\nvoid g(float* x) { f(x); }\n"
      "int main() { return 0; }");
  EXPECT_EQ((*Chosen(pieces, ""))->name, "g");
  EXPECT_EQ((*Chosen(pieces, "f"))->name, "f");
  EXPECT_EQ(Chosen(pieces, "h").error().what, "no function is called h");
  EXPECT_EQ(
      Chosen(CutSource("class A { void f(float* x) {} };"), "").error().what,
      "no function is defined in it outside of a class; write one that "
      "calls a member");
}

// Which is meant where nobody says it: "?" where that cannot be told.
TEST(SourceReaderTest, WhatOthersCallIsNotMeant) {
  const auto meant = [](const std::string& before) {
    const auto pieces =
        CutSource(before + "void f(float* x) { State s; s.mix(x); }");
    const auto chosen = Chosen(pieces, "");
    return chosen ? (*chosen)->name : "?";
  };
  // With explicit arguments, and by a member of a class.
  EXPECT_EQ(meant("template <int R> int rotl(int x) { return x << R; }\n"
                  "struct State { int h; void mix(float* x) {\n"
                  "  h = rotl<5>(h) ^ 1; } };\n"),
            "f");
  EXPECT_EQ(meant("int g(int x) { return x; }\n"
                  "struct State { int mix(int x) { return g(x); } };\n"),
            "f");
  EXPECT_EQ(meant("int g(int x) { return x; }\n"
                  "const auto h = [](int x) { return 1 + ::g(x); };\n"),
            "f");
  // A template is never meant beside another, nor is a member.
  EXPECT_EQ(meant("template <class T> T unused(T x) { return x; }\n"), "f");
  EXPECT_EQ(meant("void State::reset() { h = 0; }\n"), "f");
  // Neither is a call of g.
  for (const char* none :
       {"int g(int x);", "struct State { int g(int x) { return x; } };",
        "struct State { State* t; int mix(int x) { return t->g(x); } };",
        "struct State { int g; };"}) {
    EXPECT_EQ(meant(std::string("int g(int x) { return x; }\n") + none), "?")
        << none;
  }
  // Each is called by the other.
  EXPECT_EQ(Chosen(CutSource("int f(int x) { return g(x); }\n"
                             "int g(int x) { return f(x); }"),
                   "")
                .error()
                .what,
            "has several functions; say which one with --function: f, g");
}

TEST(SourceReaderTest, AReturnThatIsNoNumberIsRefused) {
  EXPECT_EQ(Complaint("const char* f(float* x) { x[0] = 1; return 0; }"),
            "f: returns const char *, which is no number; a kernel returns a "
            "number or nothing");
}

TEST(SourceReaderTest, SaysWhatItCannotKnowAndWhichOptionSaysIt) {
  EXPECT_EQ(Complaint("int x;"), "no function is defined in it");
  EXPECT_EQ(Complaint("template <class T> void f(T* x) {}"),
            "f: is a template; write it for one type, as with `using T = "
            "float;` in the place of `template <...>`");
  EXPECT_THAT(Complaint("void A::f(float* x) {}"), HasSubstr("is a member"));
  EXPECT_EQ(Complaint("void f(float* x) {} void g(float* x) {}"),
            "has several functions; say which one with --function: f, g");
  EXPECT_EQ(Complaint("void f(int n, const float* x, float* y) {\n"
                      "  for (int i = 0; i < n; ++i) y[i] = x[i * i % 7];\n}"),
            "f: the size of x cannot be read off its loops; say it, perhaps "
            "--shape x=n (a guess; names, numbers, sums and products may "
            "stand there)");
  EXPECT_THAT(Complaint("void f(float** x) {}"), HasSubstr("pointer to point"));
  EXPECT_THAT(Complaint("void f(std::vector<float>& x) {}"),
              HasSubstr("no pointer to numbers"));
  EXPECT_THAT(Complaint("void f(int n) {}"), HasSubstr("takes no array"));
  EXPECT_THAT(Complaint("void f(long double* x) { x[0] = 1; }"),
              HasSubstr("of type long double, which no task can have"));
  EXPECT_EQ(Complaint("void f(const float* x) { x[0]; }"),
            "f: writes none of its arrays, and returns nothing");
  EXPECT_EQ(Complaint("void f(const float* x, float y[1]) { x[0]; }"),
            "f: writes none of its arrays, and returns nothing, as far as can "
            "be read; where it writes one, say so: --in-place y");
  Wishes wishes;
  wishes.forms["z"] = "positive";
  EXPECT_THAT(Complaint("void f(float* x) { x[0] = 1; }", wishes),
              EndsWith("--input z: no such argument"));
}

// They would change nothing, and nobody would know.
TEST(SourceReaderTest, SizesAndValuesOfNothingAreRefused) {
  const std::string scale =
      "void scale(int n, float a, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = a * x[i];\n}";
  const auto complaint = [&](const char* size, const char* value) {
    Wishes wishes;
    if (*size != '\0') wishes.sizes[size] = 64;
    if (*value != '\0') wishes.values[value] = "2";
    return Complaint(scale, wishes);
  };
  EXPECT_EQ(complaint("m", ""), "scale: --size m: no size that can be chosen");
  EXPECT_EQ(complaint("x", ""), "scale: --size x: no size that can be chosen");
  EXPECT_EQ(complaint("", "n"),
            "scale: --value n: no argument that is a number");
  EXPECT_EQ(complaint("a", ""),
            "scale: --size a: is a number and no size; say --value a=64");
  EXPECT_EQ(complaint("n", "a"), "");
  Wishes sum;
  sum.sizes["m_plus_n"] = 64;
  EXPECT_THAT(Complaint("void f(int m, int n, float* y) {\n"
                        "  for (int i = 0; i < m + n; ++i) y[i] = i;\n}",
                        sum),
              EndsWith("--size m_plus_n: follows from others: it is m+n"));
}

// Other shapes have other n, so what is said of lda is how far it is from n.
TEST(SourceReaderTest, ARowIsAsMuchLongerThanWhatIsUsedAsTheFirstShapeSays) {
  const auto lda_of = [](Wishes wishes, bool is_said) -> std::string {
    if (is_said) wishes.shapes["a"] = {"m", "lda"};
    const auto reading =
        Read(CutSource("void f(int m, int n, float* a, int lda) {\n"
                       "  for (int i = 0; i < m; ++i)\n"
                       "    for (int j = 0; j < n; ++j) a[i * lda + j] = 1;\n"
                       "}"),
             wishes);
    if (!reading) return reading.error().what;
    return std::ranges::find(reading->axes, "lda", &OwnAxis::name)->derived;
  };
  const std::string refused = "f: --size lda: ";
  const struct {
    std::map<std::string, std::int64_t> sizes;
    std::string lda;
  } cases[] = {
      {{}, "n+8"},
      {{{"n", 192}}, "n+8"},
      {{{"lda", 200}, {"n", 192}}, "n+8"},
      {{{"lda", 256}, {"n", 192}}, "n+64"},
      {{{"lda", 192}, {"n", 192}}, "n"},
      {{{"lda", 191}, {"n", 192}}, refused + "is at least n, which is 192"},
      {{{"lda", 200}}, refused + "is at least n; say --size of that, too"},
  };
  for (const auto& one : cases) {
    Wishes wishes;
    wishes.sizes = one.sizes;
    for (const bool is_said : {false, true}) {
      EXPECT_EQ(lda_of(wishes, is_said), one.lda) << is_said;
    }
  }
  Wishes lists;
  lists.sizes = {{"lda", 200}, {"n", 192}};
  lists.all_sizes = {{"lda", {200, 400, 300}}};
  EXPECT_EQ(lda_of(lists, true),
            refused +
                "say one number; in other shapes it is as much more than "
                "n");
}

TEST(SourceReaderTest, AFunctionThatAnotherCallsIsNotMeant) {
  const Reading reading = ReadOrDie(
      "static float twice(float v) { return 2 * v; }\n"
      "void f(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = twice(x[i]);\n}");
  EXPECT_EQ(reading.name, "f");
}

// As zlib has its types: each stands for another one.
TEST(SourceReaderTest, ATypeMayStandForOneThatStandsForAnother) {
  const Reading reading = ReadOrDie(
      "typedef unsigned char Byte;\ntypedef Byte Bytef;\n"
      "typedef unsigned long uLong;\ntypedef float *vector;\n"
      "uLong sum(uLong seed, const Bytef *x, int n) {\n"
      "  for (int i = 0; i < n; i++) seed += x[i];\n  return seed;\n}");
  EXPECT_EQ(Find(reading, "x").dtype, DType::kUInt8);
  EXPECT_EQ(Find(reading, "seed").c_type, "unsigned long");
  EXPECT_EQ(reading.returns, "unsigned long");
  EXPECT_THAT(Complaint("typedef float *vector;\n"
                        "void f(vector x, float *y) { y[0] = x[0]; }"),
              HasSubstr("is of type vector"));
}

TEST(SourceReaderTest, LocalNamesInSubscriptsStandForWhatTheyAre) {
  const Reading reading = ReadOrDie(R"(
    void scale(int rows, int cols, const float* x, float* y) {
      const int size = rows * cols;
      for (int r = 0; r < rows; r++) {
        int row = r * cols;
        for (int c = 0; c < cols; c++) {
          int at = row + c;
          y[at] = x[at] / size;
        }
      }
    })");
  EXPECT_THAT(Find(reading, "x").shape, ElementsAre("rows", "cols"));
  EXPECT_THAT(Find(reading, "y").shape, ElementsAre("rows", "cols"));
}

// 8 at a time, the last from n - 8 on: n of them, not n + 7.
TEST(SourceReaderTest, StepsOfSeveralEndWhereTheSizeDoes) {
  const Reading reading = ReadOrDie(R"(
    void copy(int n, const float* x, float* y) {
      const int step = 8;
      for (int i = 0; i < n; i += step)
        for (int k = 0; k < step; k++) y[i + k] = x[i + k];
    })");
  EXPECT_THAT(Find(reading, "y").shape, ElementsAre("n"));
}

TEST(SourceReaderTest, AnArrayThatIsMovedAlongHasNoSizeToRead) {
  EXPECT_THAT(Complaint("int sum(int seed, const int *x, int n) {\n"
                        "  for (int i = 0; i < n; i += 4) {\n"
                        "    seed += x[0] + x[3];\n    x += 4;\n  }\n"
                        "  return seed;\n}"),
              HasSubstr("say it, perhaps --shape x=n "));
}

TEST(SourceReaderTest, AComplexNumberByItselfIsAnArrayOfOne) {
  const Reading reading = ReadOrDie(
      "void scale(int n, ComplexFloat a, ComplexFloat *x) {\n"
      "  for (int i = 0; i < n; i++) x[i] = a * x[i];\n}");
  const Argument a = Find(reading, "a");
  EXPECT_EQ(a.part, ArgumentRole::kInput);
  EXPECT_TRUE(a.is_by_value);
  EXPECT_THAT(a.shape, ElementsAre("K2"));
}

}  // namespace
}  // namespace coppice::engine::own
