#include "store/kernel_hash.h"

#include <optional>

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

}  // namespace

std::string TokensOf(Language language, std::string_view source) {
  if (auto tokens = FindTokens(language, source)) return *std::move(tokens);
  // No other source has that for its first token.
  return "byte by byte\n" + std::string(source);
}

std::uint64_t KernelHash(const Candidate& candidate) {
  FieldHasher hasher;
  hasher.Add(static_cast<std::int64_t>(candidate.language));
  hasher.Add(std::string_view(candidate.entry_symbol));
  hasher.Add(std::string_view(TokensOf(candidate.language, candidate.source)));
  return ShortHash(hasher.Finish());
}

}  // namespace coppice::store
