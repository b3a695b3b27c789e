#include "agents/catalogue/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::agents::catalogue {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Texts(std::string_view text) {
  std::vector<std::string> texts;
  for (const Token& token : Tokenize(text)) texts.push_back(token.text);
  texts.pop_back();  // The end.
  return texts;
}

TEST(TokenTest, TakesTheLongestOperator) {
  EXPECT_THAT(Texts("a+=b<<2"), ElementsAre("a", "+=", "b", "<<", "2"));
  EXPECT_THAT(Texts("i++<n"), ElementsAre("i", "++", "<", "n"));
}

TEST(TokenTest, NumbersKeepSuffixAndExponent) {
  EXPECT_THAT(Texts("1e-5f+0x1F-2.0f"),
              ElementsAre("1e-5f", "+", "0x1F", "-", "2.0f"));
  // An exponent of 2, and a hexadecimal digit.
  EXPECT_THAT(Texts("0x1.8p-3f+0x1e-1"),
              ElementsAre("0x1.8p-3f", "+", "0x1e", "-", "1"));
}

TEST(TokenTest, CommentsAndDirectivesAreSingleTokens) {
  const auto tokens = Tokenize("#pragma omp simd\nx; // tail\n/* a\nb */ y");
  ASSERT_EQ(tokens.size(), 7U);
  EXPECT_EQ(tokens[0].kind, TokenKind::kDirective);
  EXPECT_EQ(tokens[3].text, "// tail");
  EXPECT_EQ(tokens[4].line, 3);
  EXPECT_EQ(tokens[4].end_line, 4);
  EXPECT_EQ(tokens[5].line, 4);
}

TEST(TokenTest, AHashInsideALineIsNoDirective) {
  EXPECT_EQ(Tokenize("a # b")[1].kind, TokenKind::kPunct);
}

TEST(TokenTest, UnterminatedTextEndsWithTheSource) {
  EXPECT_THAT(Texts("x /* open"), ElementsAre("x", "/* open"));
  EXPECT_THAT(Texts("\"open"), ElementsAre("\"open"));
  EXPECT_THAT(Texts(""), ElementsAre());
}

TEST(TokenTest, EachKindIsTold) {
  const auto kinds = [](std::string_view text) {
    std::vector<TokenKind> all;
    for (const Token& token : Tokenize(text)) all.push_back(token.kind);
    all.pop_back();
    return all;
  };
  EXPECT_THAT(
      kinds("_x1 .5f 1'000 'a' \"b\""),
      ElementsAre(TokenKind::kName, TokenKind::kNumber, TokenKind::kNumber,
                  TokenKind::kString, TokenKind::kString));
  EXPECT_THAT(kinds("a.b ... 1..2"),
              ElementsAre(TokenKind::kName, TokenKind::kPunct, TokenKind::kName,
                          TokenKind::kPunct, TokenKind::kNumber));
}

TEST(TokenTest, QuotesAndLinesMayGoOn) {
  EXPECT_THAT(Texts(R"("a\"b" x)"), ElementsAre(R"("a\"b")", "x"));
  EXPECT_THAT(Texts("#define A \\\n  1\nx"),
              ElementsAre("#define A \\\n  1", "x"));
  EXPECT_THAT(Texts("x // a \\\n b\ny"), ElementsAre("x", "// a \\\n b", "y"));
}

}  // namespace
}  // namespace coppice::agents::catalogue
