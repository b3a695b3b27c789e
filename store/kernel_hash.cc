#include "store/kernel_hash.h"

#include <optional>
#include <tuple>

#include "store/c_tokens.h"
#include "store/digest.h"
#include "store/python_tokens.h"

namespace coppice::store {
namespace {

std::optional<std::string> FindTokens(Language language,
                                      std::string_view source) {
  switch (language) {
    case Language::kCpp:
    case Language::kCuda:
      return TokensOfC(source);
    case Language::kPython:
    case Language::kTriton:
    case Language::kTilelang:
      return TokensOfPython(source);
    case Language::kSim:
      break;
  }
  return std::string(source);
}

bool IsOfC(Language language) {
  return language == Language::kCpp || language == Language::kCuda;
}

// No other source has its beginning for its first token.
std::string BytesOf(std::string_view source) {
  return "byte by byte\n" + std::string(source);
}

std::uint64_t HashOf(const Candidate& candidate, std::string_view tokens) {
  FieldHasher hasher;
  hasher.Add(static_cast<std::int64_t>(candidate.language));
  hasher.Add(std::string_view(candidate.entry_symbol));
  hasher.Add(tokens);
  return ShortHash(hasher.Finish());
}

}  // namespace

std::string TokensOf(Language language, std::string_view source) {
  if (IsOfC(language) && MayReadItself(source)) return BytesOf(source);
  return FindTokens(language, source).value_or(BytesOf(source));
}

std::uint64_t KernelHashBefore(const Candidate& candidate) {
  return HashOf(candidate, FindTokens(candidate.language, candidate.source)
                               .value_or(BytesOf(candidate.source)));
}

std::uint64_t KernelHash(const Candidate& candidate) {
  // A candidate is looked for, queued and committed, each time by its hash.
  thread_local Candidate last;
  thread_local std::uint64_t hash = 0;  // Of `last`; 0: there is none.
  const auto what = [](const Candidate& each) {
    return std::tie(each.language, each.entry_symbol, each.source);
  };
  if (hash == 0 || what(candidate) != what(last)) {
    hash = HashOf(candidate, TokensOf(candidate.language, candidate.source));
    last = candidate;
  }
  return hash;
}

}  // namespace coppice::store
