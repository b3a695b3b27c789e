#include "engine/python_policy/policy_file.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "eval/host/whole_file.h"
#include "store/digest.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kPrefix = "python:";
constexpr std::string_view kClass = ".py:";  // Between a file and its class.
constexpr std::size_t kHashDigits = 8;
constexpr std::uintmax_t kLongest = std::uintmax_t{1} << 20;  // Bytes.

bool IsLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool IsDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

// The letters of a name from there on.
std::size_t EndOfName(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && IsLetter(text[end])) ++end;
  return end;
}

}  // namespace

bool IsPythonPolicy(std::string_view text) { return text.starts_with(kPrefix); }

std::size_t EndOfPythonPolicy(std::string_view text) {
  if (!IsPythonPolicy(text)) return 0;
  const std::size_t file = text.find(kClass);
  if (file != text.npos) return EndOfName(text, file + kClass.size());
  const std::size_t at = EndOfName(text, kPrefix.size());
  const std::string_view hash =
      text.substr(std::min(at + 1, text.size()), kHashDigits);
  const bool is_stored = at < text.size() && text[at] == '@' &&
                         hash.size() == kHashDigits &&
                         std::ranges::all_of(hash, IsDigit);
  return is_stored ? at + 1 + kHashDigits : text.size();
}

Result<PolicyFile> ReadPolicyFile(std::string_view typed) {
  const std::size_t file_end = typed.find(kClass);
  const std::size_t name =
      file_end == typed.npos ? typed.size() : file_end + kClass.size();
  const std::size_t end = EndOfName(typed, name);
  if (!IsPythonPolicy(typed) || end == name || end != typed.size()) {
    return Fail(Errc::kUsage, "policy '" + std::string(typed) +
                                  "': expected python:FILE.py:CLASS, as in "
                                  "python:mine.py:Mine");
  }
  PolicyFile policy;
  policy.file = typed.substr(kPrefix.size(), name - 1 - kPrefix.size());
  policy.class_name = typed.substr(name);
  auto text = eval::ReadWhole(policy.file, kLongest);
  if (!text) {
    return Fail(Errc::kUsage,
                "policy '" + std::string(typed) + "': " + text.error().what);
  }
  policy.text = *std::move(text);
  policy.name = std::string(kPrefix) + policy.class_name + "@" +
                store::ToHex(store::Sha256(policy.text)).substr(0, kHashDigits);
  return policy;
}

bool IsOtherText(std::string_view stored, std::string_view now) {
  const std::size_t at = stored.find('@');
  return IsPythonPolicy(stored) && IsPythonPolicy(now) && stored != now &&
         at != stored.npos && stored.substr(0, at + 1) == now.substr(0, at + 1);
}

}  // namespace coppice::engine
