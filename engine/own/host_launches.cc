#include "engine/own/host_launches.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "store/records/joined.h"
#include "store/records/trimmed.h"

namespace coppice::engine::own {
namespace {

// Splits at the top level of brackets.
std::vector<std::string> Split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '{' || c == '[' ? 1 : 0;
    depth -= c == ')' || c == '}' || c == ']' ? 1 : 0;
    if (c == by && depth == 0) {
      parts.emplace_back(Trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!Trimmed(part).empty()) parts.emplace_back(Trimmed(part));
  return parts;
}

// What is in the brackets of "dim3 grid(a, b)" or "dim3{a, b}"; empty: it has
// none.
std::vector<std::string> InBrackets(const std::string& text) {
  const std::size_t open = text.find_first_of("({");
  if (open == text.npos || text.size() < open + 2) return {};
  return Split(text.substr(open + 1, text.size() - open - 2), ',');
}

std::string WithoutComments(const std::string& text) {
  return Replaced(text, [](const TokenView& token, std::string& other) {
    other = "";
    return token.text.starts_with("//") || token.text.starts_with("/*");
  });
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

bool IsDecimal(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
}

class Launcher {
 public:
  Launcher(const std::string& text, const std::vector<Piece>& pieces,
           const Piece& function)
      : text_(text), pieces_(pieces), function_(function) {
    for (const Piece& piece : pieces) TakeConstant(piece);
  }

  Result<std::vector<std::string>> Lines() {
    for (const std::string& statement :
         Split(WithoutComments(function_.body), ';')) {
      if (statement.empty() || statement.starts_with("return")) continue;
      if (statement.find("<<<") != statement.npos) {
        TRY(line, Launch(statement));
        lines_.push_back(std::move(line));
      } else if (!IsHarmless(statement) && !TakeVariable(statement)) {
        return Refuse(statement,
                      "a launcher that becomes a task does nothing but launch; "
                      "memory of its own is a plan line, //@ scratch");
      }
    }
    return std::move(lines_);
  }

 private:
  tl::unexpected<Error> Refuse(const std::string& statement,
                               const std::string& why) const {
    const std::size_t at =
        text_.find(statement.substr(0, statement.find('\n')));
    const auto line =
        at == text_.npos
            ? std::string()
            : std::to_string(
                  std::count(text_.begin(),
                             text_.begin() + static_cast<std::ptrdiff_t>(at),
                             '\n') +
                  1) +
                  ": ";
    return Fail(Errc::kUsage, line + statement + ": " + why);
  }

  static bool IsHarmless(const std::string& statement) {
    for (const char* word : {"cudaDeviceSynchronize", "cudaStreamSynchronize",
                             "cudaGetLastError", "cudaPeekAtLastError"}) {
      if (statement.find(word) != statement.npos) return true;
    }
    return false;
  }

  // "#define B 256", "constexpr int B = 256;"
  void TakeConstant(const Piece& piece) {
    if (piece.kind == PieceKind::kDirective) {
      const auto words = Split(piece.text, ' ');
      if (words.size() == 3 && words[0] == "#define" && IsDecimal(words[2])) {
        known_[words[1]] = {words[2]};
      }
    } else if (piece.kind == PieceKind::kDeclaration) {
      const std::string text(
          Trimmed(piece.text.substr(0, piece.text.rfind(';'))));
      if (text.find("const") != text.npos) TakeVariable(text);
    }
  }

  // "dim3 grid(a, b)", "const int blocks = ceil_div(n, 256)"
  bool TakeVariable(const std::string& statement) {
    constexpr std::string_view kDim = "dim3 ";
    const std::size_t dim = statement.find(kDim);
    if (dim != statement.npos && statement.find('=') == statement.npos) {
      for (const std::string& one :
           Split(statement.substr(dim + kDim.size()), ',')) {
        auto sizes = InBrackets(one);
        if (sizes.empty()) return false;
        const std::string name = one.substr(0, one.find_first_of("({"));
        known_[std::string(Trimmed(name))] = std::move(sizes);
      }
      return true;
    }
    const std::size_t is = statement.find('=');
    if (is == statement.npos || is == 0) return false;
    const auto words =
        Split(std::string(Trimmed(statement.substr(0, is))), ' ');
    if (words.size() < 2 || !IsWord(words.back())) return false;
    const std::string value(Trimmed(statement.substr(is + 1)));
    if (value.find('"') != value.npos) return false;
    const bool is_dim = value.starts_with("dim3");
    auto sizes = is_dim ? InBrackets(value) : std::vector<std::string>{value};
    if (sizes.empty()) return false;
    known_[words.back()] = std::move(sizes);
    return true;
  }

  // An expression of sizes without casts, and with what its names stand for.
  std::string Resolved(const std::string& expression, int depth = 0) const {
    std::string text = expression;
    for (const char* cast : {"static_cast<int>", "static_cast<unsigned>",
                             "static_cast<unsigned int>", "(int)", "(unsigned)",
                             "(unsigned int)", "std::"}) {
      for (std::size_t at = 0; (at = text.find(cast)) != text.npos;) {
        text.erase(at, std::string_view(cast).size());
      }
    }
    return Replaced(text, [&](const TokenView& token, std::string& other) {
      if (std::isdigit(static_cast<unsigned char>(token.text[0])) != 0) {
        other = std::string(token.text);
        while (!other.empty() &&
               std::isalpha(static_cast<unsigned char>(other.back())) != 0) {
          other.pop_back();
        }
        return true;
      }
      const auto found = known_.find(std::string(token.text));
      if (depth > 16 || found == known_.end() || found->second.size() != 1)
        return false;
      const std::string inner = Resolved(found->second.front(), depth + 1);
      other = IsWord(inner) ? inner : "(" + inner + ")";
      return true;
    });
  }

  std::string Sizes(const std::string& text) const {
    std::vector<std::string> parts = {text};
    const auto found = known_.find(text);
    if (found != known_.end()) {
      parts = found->second;
    } else if (text.starts_with("dim3")) {
      parts = InBrackets(text);
    }
    const std::string list = Joined(
        parts, ", ", [&](const std::string& part) { return Resolved(part); });
    return parts.size() > 1 ? "(" + list + ")" : list;
  }

  Result<std::string> Launch(const std::string& statement) {
    const std::size_t open = statement.find("<<<");
    const std::size_t close = statement.find(">>>", open);
    const std::size_t list = statement.find('(', close);
    const std::string kernel(Trimmed(statement.substr(0, open)));
    const auto piece = std::ranges::find(pieces_, kernel, &Piece::name);
    if (close == statement.npos || list == statement.npos ||
        !statement.ends_with(')') || !IsWord(kernel)) {
      return Refuse(statement,
                    "is no plain launch, kernel<<<grid, block>>>(...)");
    }
    if (piece == pieces_.end())
      return Refuse(kernel, "is no kernel of the file");
    const auto sizes = Split(statement.substr(open + 3, close - open - 3), ',');
    if (sizes.size() < 2) return Refuse(statement, "has no grid and block");
    std::string line = "//@ launch " + kernel + "<<<" + Sizes(sizes[0]) + ", " +
                       Sizes(sizes[1]);
    if (sizes.size() > 2 && sizes[2] != "0") line += ", " + Resolved(sizes[2]);
    line += ">>>(";
    const auto arguments =
        Split(statement.substr(list + 1, statement.size() - list - 2), ',');
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool is_int =
          i < piece->parameters.size() && !piece->parameters[i].is_pointer &&
          piece->parameters[i].type.find("float") == std::string::npos &&
          piece->parameters[i].type.find("double") == std::string::npos;
      const std::string text = is_int ? Resolved(arguments[i]) : arguments[i];
      const bool is_long =
          is_int &&
          (piece->parameters[i].type.find("long") != std::string::npos ||
           piece->parameters[i].type.find("64") != std::string::npos ||
           piece->parameters[i].type == "size_t");
      line += (i > 0 ? ", " : "") +
              (is_int && !is_long ? "int32(" + text + ")" : text);
    }
    return line + ")";
  }

  const std::string& text_;
  const std::vector<Piece>& pieces_;
  const Piece& function_;
  // What names stand for; a dim3's are several.
  std::map<std::string, std::vector<std::string>> known_;
  std::vector<std::string> lines_;
};

}  // namespace

Result<std::vector<std::string>> HostLaunches(const std::string& text,
                                              const std::vector<Piece>& pieces,
                                              const std::string& name) {
  std::vector<const Piece*> launchers;
  std::string kernel;
  for (const Piece& piece : pieces) {
    if (piece.kind != PieceKind::kFunction) continue;
    if (piece.header.find("__global__") != piece.header.npos) {
      kernel = piece.name;
    }
    const bool launches = piece.body.find("<<<") != piece.body.npos;
    if (!launches || (!name.empty() && piece.name != name)) continue;
    launchers.push_back(&piece);
  }
  if (launchers.empty() && kernel.empty()) {
    return Fail(Errc::kUsage, "no kernel (__global__) is in it");
  }
  if (launchers.empty()) {
    return Fail(Errc::kUsage,
                kernel +
                    ": nothing launches it; add a host function that does, "
                    "or a line such as //@ launch " +
                    kernel + "<<<ceil_div(n, 256), 256>>>(x, y, int32(n))");
  }
  if (launchers.size() > 1) {
    return Fail(Errc::kUsage,
                "has several functions that launch; say which one with "
                "--function: " +
                    Joined(launchers, ", ", &Piece::name));
  }
  return Launcher(text, pieces, *launchers.front()).Lines();
}

}  // namespace coppice::engine::own
