#include "engine/tools/redaction.h"

#include <algorithm>
#include <utility>

#include "agents/provider/secrets.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kLeftOut = "[left out]";
constexpr std::size_t kLeast = 3;  // Characters of a name.

bool IsWord(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsOfPath(char c) {
  return IsWord(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("/.~+@%=-").find(c) != std::string_view::npos;
}

// Where `name` stands alone, and is no part of a longer word; a folder stands
// behind whatever it stands, as in "-I/home/ann".
std::string WithoutWord(const std::string& text, std::string_view name) {
  if (name.size() < kLeast) return text;
  const bool is_folder = name.starts_with('/');
  std::string kept;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const std::size_t end = at + name.size();
    const bool is_part = (!is_folder && at > 0 && IsWord(text[at - 1])) ||
                         (end < text.size() && IsWord(text[end]));
    if (is_part) {
      ++at;
      continue;
    }
    kept += text.substr(from, at - from);
    kept += kLeftOut;
    from = at = end;
  }
  return kept + text.substr(from);
}

// Behind a name a slash goes on with it, but not behind a compiler's option.
bool MayBeginPath(std::string_view before) {
  if (before.empty() || before.ends_with("-I") || before.ends_with("-L")) {
    return true;
  }
  const char c = before.back();
  return !IsOfPath(c) || std::string_view("=@+%-").find(c) != before.npos;
}

std::string WithLastParts(std::string_view text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = text[i] == '/' && MayBeginPath(text.substr(0, i)) &&
                        i + 1 < text.size() && IsOfPath(text[i + 1]);
    if (!begins) {
      kept += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && IsOfPath(text[end])) ++end;
    const std::string_view path = text.substr(i, end - i);
    // "/x" may be a quotient, and "//" begins a comment: a path has two parts.
    const std::size_t name = std::min(path.find_first_not_of('/'), path.size());
    const bool is_path = path.find('/', name) != path.npos;
    kept += is_path ? path.substr(path.rfind('/') + 1) : path;
    i = end;
  }
  return kept;
}

}  // namespace

Redaction::Redaction(Names names) : names_(std::move(names)) {
  if (names_.host == "localhost") names_.host.clear();
  if (names_.user == "root") names_.user.clear();
  while (names_.home.ends_with('/')) names_.home.pop_back();
}

std::string Redaction::OfSource(std::string_view text) const {
  std::string kept = agents::WithoutKeys(std::string(text), "");
  kept = WithoutWord(kept, names_.home);
  return WithoutWord(kept, names_.host);
}

std::string Redaction::OfRemark(std::string_view text) const {
  return WithoutWord(OfSource(WithLastParts(text)), names_.user);
}

}  // namespace coppice::engine
