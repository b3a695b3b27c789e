#include "store/scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace coppice::store {
namespace {

TEST(ScannerTest, LettersOfOtherAlphabetsAreOfWords) {
  for (const char c : {'a', 'Z', '0', '_', '$', '\x80', '\xFF'}) {
    EXPECT_TRUE(IsWordByte(c)) << static_cast<int>(c);
  }
  for (const char c : {' ', '.', '#', '@', '\\', '\n', '\0', '\x7f', '-'}) {
    EXPECT_FALSE(IsWordByte(c)) << static_cast<int>(c);
  }
}

TEST(ScannerTest, AWordIsNotPartOfALongerOne) {
  EXPECT_TRUE(HasWord("eval", "eval"));
  EXPECT_TRUE(HasWord("x = eval(y)", "eval"));
  EXPECT_TRUE(HasWord("evaluate eval", "eval"));
  EXPECT_TRUE(HasWord("model.eval", "eval"));
  for (const char* text : {"", "evaluate", "medieval", "_eval", "eval_",
                           "eval2", "$eval", "eval\xC3\xA9", "eva l"}) {
    EXPECT_FALSE(HasWord(text, "eval")) << text;
  }
}

TEST(ScannerTest, PastTheEndThereIsNothing) {
  Scanner scanner("ab");
  EXPECT_EQ(scanner.Peek(1), 'b');
  EXPECT_EQ(scanner.Peek(2), '\0');
  scanner.Skip(1);
  EXPECT_TRUE(scanner.Sees("b"));
  EXPECT_FALSE(scanner.Sees("bc"));
  scanner.Skip(9);
  EXPECT_TRUE(scanner.AtEnd());
  EXPECT_EQ(scanner.left(), "");
  scanner.SkipTo("x");
  EXPECT_TRUE(scanner.AtEnd());
}

TEST(ScannerTest, SkipsToWhatIsNextOfItsKind) {
  Scanner scanner("a\nb\nc");
  scanner.SkipTo("\n");
  EXPECT_EQ(scanner.left(), "\nb\nc");
  scanner.SkipTo("\n");
  EXPECT_EQ(scanner.left(), "\nb\nc");
  scanner.SkipTo("none");
  EXPECT_TRUE(scanner.AtEnd());
}

// The number at the beginning of a text; empty: there is none.
std::string NumberAt(std::string_view text, char separator) {
  Scanner scanner(text);
  if (!scanner.SeesNumber()) return "";
  scanner.TakeNumber(separator);
  std::string token = scanner.MoveTokens();
  token.pop_back();  // The line's end.
  return token;
}

TEST(ScannerTest, ANumberIsAsLongAsCTakesIt) {
  struct Case {
    const char* text;
    const char* number;
  };
  constexpr Case kCases[] = {
      {"12+3", "12"},
      {"1.5f*x", "1.5f"},
      {".5.x", ".5.x"},  // A preprocessing number, and an error to compilers.
      {"1e+5+2", "1e+5"},
      {"1E-5-2", "1E-5"},
      {"0x1p+3+1", "0x1p+3"},
      {"0x1e+5", "0x1e+5"},  // One token, whatever it may mean.
      {"1'000'000;", "1'000'000"},
      {"1'';", "1"},
      {"1' '", "1"},
      {"7ull>>1", "7ull"},
      {"3_km", "3_km"},
      {"1..2", "1..2"},
      {"x1", ""},
      {".x", ""},
      {"", ""},
  };
  for (const auto& [text, number] : kCases) {
    EXPECT_EQ(NumberAt(text, '\''), number) << text;
  }
  // Python has no such separator.
  EXPECT_EQ(NumberAt("1'a'", '\0'), "1");
}

TEST(ScannerTest, AQuotedTextEndsWithAnUnescapedQuote) {
  const auto length = [](std::string_view text, std::size_t prefix,
                         std::string_view quote, bool ends_with_line) {
    const std::size_t found =
        Scanner(text).LengthOfQuoted(prefix, quote, ends_with_line);
    return found == std::string_view::npos ? -1 : static_cast<int>(found);
  };
  EXPECT_EQ(length(R"("ab" c)", 0, "\"", true), 4);
  EXPECT_EQ(length(R"("" c)", 0, "\"", true), 2);
  EXPECT_EQ(length(R"(u8"ab" c)", 2, "\"", true), 6);
  EXPECT_EQ(length(R"("a\"b" c)", 0, "\"", true), 6);
  EXPECT_EQ(length(R"("a\\" c)", 0, "\"", true), 5);
  EXPECT_EQ(length(R"("ab)", 0, "\"", true), -1);
  EXPECT_EQ(length(R"("ab\")", 0, "\"", true), -1);
  EXPECT_EQ(length("\"a\nb\"", 0, "\"", true), -1);
  EXPECT_EQ(length("\"a\nb\"", 0, "\"", false), 5);
  EXPECT_EQ(length("\"a\\\nb\"", 0, "\"", true), 6);
  EXPECT_EQ(length("'''a''b''' c", 0, "'''", false), 10);
  EXPECT_EQ(length("'''a''b''", 0, "'''", false), -1);
}

TEST(ScannerTest, TokensAreALineEach) {
  Scanner scanner("int x1 = 5;");
  EXPECT_EQ(scanner.TakeWord(), "int");
  scanner.Skip(1);
  EXPECT_EQ(scanner.TakeWord(), "x1");
  scanner.Put("and more");
  scanner.Skip(1);
  EXPECT_EQ(scanner.Take(1), "=");
  EXPECT_EQ(scanner.Take(99), " 5;");
  EXPECT_EQ(scanner.MoveTokens(), "int\nx1\nand more\n=\n 5;\n");
}

}  // namespace
}  // namespace coppice::store
