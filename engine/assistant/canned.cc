#include "engine/assistant/canned.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "store/records/parse_number.h"

namespace coppice::assistant {
namespace {

using store::CannedQuestion;

constexpr const char* kSeeAll =
    "; `coppice ask --list` shows what can be asked without a model";

// Lower-case words of letters and "_", and numbers, in order.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '_') {
      words.back() += static_cast<char>(std::tolower(byte));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool IsNumber(std::string_view word) {
  return !word.empty() &&
         word.find_first_not_of("0123456789") == std::string_view::npos;
}

// "n14" is node 14.  kUsage if one is larger than any node's.
Result<std::vector<std::int64_t>> NumbersIn(
    const std::vector<std::string>& words) {
  std::vector<std::int64_t> numbers;
  for (std::string_view word : words) {
    if (word.size() > 1 && word[0] == 'n' && IsNumber(word.substr(1))) {
      word.remove_prefix(1);
    }
    if (!IsNumber(word)) continue;
    const auto number = ParseNumber<std::int64_t>(word);
    if (!number) {
      return Fail(Errc::kUsage,
                  std::string(word) + " is too large for the number of a node");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

// Words that mean nothing here, since all questions have them.
bool IsFiller(std::string_view word) {
  constexpr std::string_view kFillers[] = {
      "a",   "an",   "and",  "at",   "by",    "campaign", "did",
      "do",  "does", "for",  "from", "how",   "in",       "is",
      "it",  "its",  "me",   "my",   "node",  "nodes",    "not",
      "of",  "on",   "or",   "that", "the",   "this",     "to",
      "was", "were", "what", "when", "which", "why"};
  return std::ranges::find(kFillers, word) != std::end(kFillers);
}

// "rejected" begins with "reject", but "seed" has nothing to do with "see".
bool IsCue(const std::string& word, const std::string& cue) {
  constexpr std::size_t kLeastBeginning = 4;
  return word == cue ||
         (cue.size() >= kLeastBeginning && word.starts_with(cue));
}

// Counts which of its words are cues of the question.
int Likeness(const std::vector<std::string>& words,
             const CannedQuestion& question) {
  const std::vector<std::string> cues = WordsOf(question.cues);
  int likeness = 0;
  for (const std::string& word : words) {
    const bool is_cue = !IsFiller(word) &&
                        std::ranges::any_of(cues, [&](const std::string& cue) {
                          return IsCue(word, cue);
                        });
    likeness += is_cue ? 1 : 0;
  }
  return likeness;
}

const CannedQuestion* Likest(const std::vector<std::string>& words,
                             std::size_t numbers) {
  const CannedQuestion* likest = nullptr;
  int most = 0;
  for (const CannedQuestion& question : store::CannedQuestions()) {
    if (!words.empty() && words.front() == question.name) return &question;
    // One that needs as many numbers as there are is meant, of equal ones.
    const int fits = std::cmp_equal(question.numbers, numbers) ? 1 : 0;
    const int likeness = Likeness(words, question);
    if (likeness > 0 && 2 * likeness + fits > most) {
      most = 2 * likeness + fits;
      likest = &question;
    }
  }
  return likest;
}

}  // namespace

std::string Meant::InWords() const {
  std::string words(question->question);
  for (const auto& [letter, at] : {std::pair{" N", 0U}, std::pair{" M", 1U}}) {
    const std::size_t place = words.find(letter);
    if (place == words.npos || at >= numbers.size()) continue;
    words.replace(place + 1, 1, std::to_string(numbers[at]));
  }
  return words;
}

Result<Meant> WhatIsMeant(std::string_view text) {
  const std::vector<std::string> words = WordsOf(text);
  Meant meant;
  TRY_ASSIGN(meant.numbers, NumbersIn(words));
  meant.question = Likest(words, meant.numbers.size());
  if (meant.question == nullptr) {
    return Fail(Errc::kUsage, "no question like that is known without a model" +
                                  std::string(kSeeAll));
  }
  const auto needed = static_cast<std::size_t>(meant.question->numbers);
  if (meant.numbers.size() < needed) {
    return Fail(Errc::kUsage, "\"" + std::string(meant.question->question) +
                                  "\" needs " +
                                  (needed == 1 ? "the number of a node"
                                               : "the numbers of two nodes") +
                                  std::string(kSeeAll));
  }
  meant.numbers.resize(needed);
  return meant;
}

Result<store::Sheet> AnswerCanned(store::Database& database,
                                  const std::string& campaign,
                                  const Meant& meant) {
  store::Parameters parameters = {{":campaign", campaign}};
  const char* const names[] = {":n", ":m"};
  for (std::size_t i = 0; i < meant.numbers.size(); ++i) {
    TRY(found,
        store::Look(database, store::Lookup::kHasNode,
                    {{":campaign", campaign}, {":n", meant.numbers[i]}}));
    if (found.rows.empty()) {
      return Fail(Errc::kUsage, campaign + " has no node " +
                                    std::to_string(meant.numbers[i]));
    }
    parameters.emplace(names[i], meant.numbers[i]);
  }
  return store::AskCanned(database, *meant.question, parameters);
}

}  // namespace coppice::assistant
