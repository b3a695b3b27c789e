#include "agents/catalogue/wishes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "agents/prompt/prompt_context.h"
#include "store/records/technique.h"

namespace coppice::agents::catalogue {
namespace {

constexpr double kRequired = 4.0;  // Factors of a score.
constexpr double kAdvised = 2.5;
constexpr double kAdvisedAgainst = 0.2;

constexpr std::array<std::string_view, 8> kNegations = {
    "no", "not", "don", "never", "avoid", "without", "stop", "instead"};

// What else people call a technique, by how the word begins.
struct Synonym {
  std::string_view beginning;
  std::string_view technique;
};
constexpr std::array kSynonyms = {
    Synonym{"vector", "simd"}, Synonym{"vector", "lanes"},
    Synonym{"thread", "parallel"}, Synonym{"openmp", "parallel"},
    Synonym{"parallel", "parallel"}};

// "tile", "tiles", "tiled" and "tiling" are of the technique tile.
bool Means(std::string_view word, const std::string& technique) {
  for (const Synonym& each : kSynonyms) {
    if (each.technique == technique && word.starts_with(each.beginning)) {
      return true;
    }
  }
  std::string stem = technique;
  if (stem.ends_with('e')) stem.pop_back();
  for (const std::string_view ending : {"", "e", "s", "es", "ed", "ing"}) {
    if (word == technique || word == stem + std::string(ending)) return true;
  }
  return false;
}

bool IsOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::set<std::string> NamesOf(const std::string& label) {
  std::set<std::string> names;
  for (const Technique& technique : ParseLabel(label)) {
    names.insert(technique.name);
  }
  return names;
}

}  // namespace

WishFilter::WishFilter(const std::vector<Wish>& wishes) {
  for (const Wish& wish : wishes) {
    if (!wish.is_rule) {
      Hear(wish.text);
    } else if (!wish.technique.empty()) {
      (wish.wants_technique ? required_ : forbidden_).insert(wish.technique);
    }
  }
}

void WishFilter::Hear(const std::string& advice) {
  bool is_against = false;
  std::string word;
  for (std::size_t i = 0; i <= advice.size(); ++i) {
    const char c = i < advice.size() ? advice[i] : '.';
    if (IsOfWord(c)) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    const bool is_negation =
        std::ranges::find(kNegations, word) != kNegations.end();
    if (is_negation) {
      is_against = true;
    } else if (word == "but") {
      is_against = false;
    } else if (!word.empty()) {
      words_.push_back({word, is_against});
    }
    word.clear();
    // Another clause begins.
    if (std::string_view(".,;:!?\n").find(c) != std::string_view::npos) {
      is_against = false;
    }
  }
}

bool WishFilter::AllowStep(const std::string& label) const {
  if (forbidden_.empty()) return true;
  return std::ranges::none_of(NamesOf(label), [&](const std::string& name) {
    return forbidden_.contains(name);
  });
}

bool WishFilter::Allow(const std::string& label) const {
  if (!AllowStep(label)) return false;
  return required_.empty() || std::ranges::includes(NamesOf(label), required_);
}

double WishFilter::FactorOf(const std::string& label) const {
  double factor = 1.0;
  if (words_.empty() && required_.empty()) return factor;
  for (const std::string& name : NamesOf(label)) {
    if (required_.contains(name)) factor *= kRequired;
    // The last word is the one that counts.
    const auto said =
        std::find_if(words_.rbegin(), words_.rend(),
                     [&](const Word& word) { return Means(word.text, name); });
    if (said == words_.rend()) continue;
    factor *= said->is_against ? kAdvisedAgainst : kAdvised;
  }
  return factor;
}

}  // namespace coppice::agents::catalogue
