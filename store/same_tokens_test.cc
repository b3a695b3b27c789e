// Sources that the compiler's preprocessor tells apart are never one kernel.
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "store/kernel_hash.h"
#include "store/records/random.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

constexpr auto kSources = std::to_array<std::string_view>({
    R"code(#define N 4 // four
#define AT (v) (v)
#define F(x, ...) ((x) + N)
int f(int a) { /* c */ return a + 1; }
const char* s = "a // b"; char c = '"';
#if N > 3 \
  && 1
int y = F(3, 4) - -1 + +2;
#endif
)code",
    R"code(#if 0
 it is
#endif
auto r = R"x(// a
 b)x";
long m = 1'000'0 + 0x1e+5 + .5e-3;
A<B<C<int>>> t = a<<b>>1 <= c >>= d;
int $x = "a"_s [0] ->* b ... :: d;
)code",
});

constexpr auto kInsertions = std::to_array<std::string_view>(
    {"\r",     "\n",   "\\\n", "\\ \n",      " ",      "//", "/*",
     "*/",     "\"",   "'",    "R\"(",       ")\"",    "#",  "(",
     ")",      "%:",   "_s",   "\\",         "<",      ">",  "=",
     ":",      ".",    "-",    "+",          "0",      "e",  "u8",
     "$",      "\r\n", "/**/", "// c\n",     "\\\r\n", "\f", "\n#if 0\n",
     "\"//\"", "'//'", "&",    "\n#define ", "/* */ "});

std::string Mutated(std::string text, RandomStream& random) {
  const auto below = [&](std::size_t count) {
    return static_cast<std::size_t>(random.Below(count));
  };
  for (std::size_t left = 1 + below(3); left > 0; --left) {
    if (below(4) == 0) {
      text.erase(below(text.size()), 1);
    } else {
      text.insert(below(text.size()), kInsertions[below(kInsertions.size())]);
    }
  }
  return text;
}

class SameTokensTest : public ::testing::Test {
 protected:
  // Without its blanks; "error" if the preprocessor refuses it.
  std::string Preprocessed(const std::string& source) const {
    const std::string from = directory_.File("kernel.cc").string();
    const std::string to = directory_.File("kernel.ii").string();
    std::ofstream(from, std::ios::binary) << source;
    const std::string command =
        "g++ -std=c++20 -E -P -w -o " + to + " " + from + " 2> " + to + ".log";
    if (std::system(command.c_str()) != 0) return "error";
    std::ifstream file(to);
    std::string text(std::istreambuf_iterator<char>(file), {});
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
  }

  ScratchDirectory directory_;
};

TEST_F(SameTokensTest, OneKernelIsOneTextToThePreprocessor) {
  if (Preprocessed("int x;") != "intx;") GTEST_SKIP() << "there is no g++";
  constexpr int kCompared = 30;  // Of each source.
  RandomStream random(1, Purpose::kSelect, 0);
  for (const std::string_view source : kSources) {
    const std::string original(source);
    const std::uint64_t kernel = KernelHash({Language::kCpp, original, "run"});
    const std::string text = Preprocessed(original);
    int compared = 0;
    for (int i = 0; i < 5000 && compared < kCompared; ++i) {
      const std::string mutant = Mutated(original, random);
      if (mutant == original ||
          KernelHash({Language::kCpp, mutant, "run"}) != kernel) {
        continue;
      }
      EXPECT_EQ(Preprocessed(mutant), text) << mutant;
      ++compared;
    }
    EXPECT_EQ(compared, kCompared);
  }
}

}  // namespace
}  // namespace coppice::store
