#include "engine/own/cuda_source.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "agents/catalogue/print.h"
#include "agents/catalogue/token.h"
#include "engine/own/host_launches.h"

namespace coppice::engine::own {
namespace {

using agents::catalogue::Expr;
using agents::catalogue::TokenKind;
using agents::catalogue::cuda::SourceLaunch;
using WordList = std::vector<std::string>;

constexpr std::string_view kPlanMark = "//@";

bool IsOf(const Piece& piece, std::string_view word) {
  return piece.kind == PieceKind::kFunction &&
         piece.header.find(word) != std::string::npos;
}

// Headers that device code has no use for, and NVRTC does not know.
bool IsHostHeader(const Piece& piece) {
  constexpr std::array<std::string_view, 12> kHost = {
      "<iostream>", "<vector>",  "<string>",   "<chrono>",
      "<memory>",   "<random>",  "<stdlib.h>", "<cstdlib>",
      "<string.h>", "<cstring>", "<fstream>",  "<iomanip>"};
  return piece.kind == PieceKind::kDirective &&
         std::ranges::any_of(kHost, [&](std::string_view header) {
           return piece.text.find(header) != std::string::npos;
         });
}

WordList WordsIn(const std::string& text) {
  WordList words;
  for (const auto& token : agents::catalogue::Tokenize(text)) {
    if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kComment ||
        token.kind == TokenKind::kDirective) {
      continue;
    }
    words.push_back(token.text);
  }
  return words;
}

std::string JoinedWords(const WordList& words, const char* by = " ") {
  std::string text;
  for (const std::string& word : words) text += word + by;
  return text;
}

// The place behind the expression that begins there.
std::size_t EndOfBound(const WordList& words, std::size_t at) {
  int depth = 0;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "(" || word == "[") ++depth;
    if ((word == ")" || word == "]") && depth-- == 0) break;
    if (depth == 0 && (word == "&&" || word == "||" || word == ";")) break;
  }
  return at;
}

// A body with loops in the place of threads.  For reading alone: a barrier is
// none, and of the threads of a block one is enough.
class Unrolled {
 public:
  Unrolled(const Piece& kernel, const SourceLaunch& launch)
      : words_(WordsIn(kernel.body)), launch_(launch) {}

  std::string Text() {
    TakeReturns();
    TakeAtomics();
    while (TakeIndex()) {
    }
    std::string head;
    std::string tail;
    for (const std::string& name : names_) {
      const std::string bound = BoundOf(name);
      if (bound.empty()) {
        head += "int " + name + " = unbounded_ ( ) ; ";
        continue;
      }
      Loop(name, bound, head, tail);
    }
    for (std::size_t i = 0; i < launch_.grid.size(); ++i) {
      const std::string dimension(1, "xyz"[i]);
      const std::string name = "block_" + dimension;
      if (!Rename("blockIdx", dimension, name)) continue;
      Loop(name, agents::catalogue::Print(launch_.grid[i]), head, tail);
    }
    for (const char* dimension : {"x", "y", "z"}) {
      Rename("threadIdx", dimension, kThread);
    }
    TakeAliases();
    for (const char* dimension : {"x", "y", "z"}) {
      Rename("blockIdx", dimension, "0");
      Rename("blockDim", dimension, "1");
      Rename("gridDim", dimension, "1");
    }
    return head + JoinedWords(words_) + tail;
  }

 private:
  static void Loop(const std::string& name, const std::string& bound,
                   std::string& head, std::string& tail) {
    head += "for ( int " + name + " = 0 ; " + name + " < " + bound + " ; ++ " +
            name + " ) { ";
    tail += "} ";
  }

  static constexpr const char* kThread = "thread_";

  static bool IsInteger(const std::string& word) {
    constexpr std::array<std::string_view, 8> kTypes = {
        "int",    "unsigned", "long",    "auto",
        "size_t", "int64_t",  "int32_t", "uint32_t"};
    return std::ranges::find(kTypes, word) != kTypes.end();
  }

  void Erase(std::size_t from, std::size_t to) {
    to = std::min(to, words_.size());
    words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(from),
                 words_.begin() + static_cast<std::ptrdiff_t>(to));
  }

  // `int row = blockIdx.x;` is that everywhere.
  void TakeAliases() {
    for (std::size_t i = 2; i + 2 < words_.size(); ++i) {
      const std::string value = words_[i + 1];
      const bool is_alias = words_[i] == "=" && words_[i + 2] == ";" &&
                            IsInteger(words_[i - 2]) &&
                            (i < 3 || words_[i - 3] != "(") &&
                            (value == kThread || value.starts_with("block_"));
      if (!is_alias) continue;
      const std::string name = words_[i - 1];
      const bool is_const = i > 2 && words_[i - 3] == "const";
      Erase(i - (is_const ? 3 : 2), i + 3);
      std::ranges::replace(words_, name, value);
      i = 1;
    }
    std::ranges::replace(words_, kThread, std::string("0"));
  }

  // atomicAdd(&y[i], v) reads and writes y[i].
  void TakeAtomics() {
    for (std::size_t at = 0; at + 3 < words_.size(); ++at) {
      if (!words_[at].starts_with("atomic") || words_[at + 1] != "(" ||
          words_[at + 2] != "&") {
        continue;
      }
      int depth = 0;
      std::size_t comma = 0;
      std::size_t end = at + 1;
      for (; end < words_.size(); ++end) {
        const std::string& word = words_[end];
        if (word == "(" || word == "[") ++depth;
        if (word == ")" || word == "]") --depth;
        if (depth == 0) break;
        if (depth == 1 && word == "," && comma == 0) comma = end;
      }
      if (comma == 0 || end >= words_.size()) continue;
      words_[end] = "";
      words_[comma] = "+=";
      Erase(at, at + 3);
    }
    std::erase(words_, "");
  }

  // `int i = blockIdx.x * blockDim.x + threadIdx.x;`
  bool TakeIndex() {
    for (std::size_t is = 1; is < words_.size(); ++is) {
      if (words_[is] != "=") continue;
      std::size_t end = is + 1;
      std::string text;
      while (end < words_.size() && words_[end] != ";") text += words_[end++];
      const bool is_index = text.find("blockIdx.") != text.npos &&
                            text.find("threadIdx.") != text.npos &&
                            (!BoundOf(words_[is - 1]).empty() ||
                             text.find("blockDim.") != text.npos);
      if (end == words_.size() || !is_index) continue;
      std::size_t from = is - 1;
      while (from > 0 && words_[from - 1] != ";" && words_[from - 1] != "{" &&
             words_[from - 1] != "}" && words_[from - 1] != "(") {
        --from;
      }
      // A loop that strides over the grid goes over all that is there.
      if (from > 0 && words_[from - 1] == "(") {
        words_[is + 1] = "0";
        Erase(is + 2, end);
        return true;
      }
      names_.push_back(words_[is - 1]);
      Erase(from, end + 1);
      return true;
    }
    return false;
  }

  // `if (i >= n) return;`, whose bound is kept.
  void TakeReturns() {
    for (std::size_t at = 0; at + 1 < words_.size(); ++at) {
      if (words_[at] != "if") continue;
      std::size_t end = at + 1;
      int depth = 0;
      do {
        depth += words_[end] == "(" ? 1 : words_[end] == ")" ? -1 : 0;
        ++end;
      } while (depth > 0 && end < words_.size());
      const bool in_braces = end < words_.size() && words_[end] == "{";
      const std::size_t word = end + (in_braces ? 1 : 0);
      if (word + 1 >= words_.size() || words_[word] != "return" ||
          words_[word + 1] != ";") {
        continue;
      }
      // if (!(i < n)) return;
      const char* sign = words_[at + 2] == "!" ? "<" : ">=";
      for (std::size_t i = at; i + 1 < end; ++i) {
        if (words_[i + 1] != sign) continue;
        const std::size_t behind = EndOfBound(words_, i + 2);
        bounds_.try_emplace(
            words_[i],
            JoinedWords(
                {words_.begin() + static_cast<std::ptrdiff_t>(i + 2),
                 words_.begin() + static_cast<std::ptrdiff_t>(behind)}));
      }
      Erase(at, word + 2 + (in_braces ? 1 : 0));
      --at;  // What follows may be another one.
    }
  }

  std::string BoundOf(const std::string& name) const {
    if (const auto known = bounds_.find(name); known != bounds_.end()) {
      return known->second;
    }
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      if (words_[i] != name || words_[i + 1] != "<") continue;
      const std::size_t end = EndOfBound(words_, i + 2);
      return JoinedWords({words_.begin() + static_cast<std::ptrdiff_t>(i + 2),
                          words_.begin() + static_cast<std::ptrdiff_t>(end)});
    }
    return "";
  }

  // Renames "blockIdx", ".", "x".
  bool Rename(std::string_view what, std::string_view dimension,
              const std::string& to) {
    bool found = false;
    for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
      if (words_[i] != what || words_[i + 1] != "." ||
          words_[i + 2] != dimension) {
        continue;
      }
      words_[i] = to;
      words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(i + 1),
                   words_.begin() + static_cast<std::ptrdiff_t>(i + 3));
      found = true;
    }
    return found;
  }

  WordList words_;
  const SourceLaunch& launch_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> bounds_;
};

// "n" of int32(n).
std::string ArgumentText(const Expr& expr) {
  std::string text = agents::catalogue::Print(expr);
  constexpr std::string_view kCall = "int32(";
  if (!text.starts_with(kCall)) return text;
  return text.substr(kCall.size(), text.size() - kCall.size() - 1);
}

bool IsPlainName(const std::string& text) {
  const auto words = agents::catalogue::Tokenize(text);
  return words.size() == 2 && words[0].kind == TokenKind::kName;
}

// The function that the launches come to.
class AsFunction {
 public:
  explicit AsFunction(const CudaSource& source) : source_(source) {
    for (const std::string& line : source.scratch) {
      const WordList words = WordsIn(line.substr(kPlanMark.size()));
      if (words.size() > 2) scratch_.insert(words[2]);
    }
  }

  Result<std::string> Text() {
    for (const SourceLaunch& launch : source_.launches) {
      const auto kernel =
          std::ranges::find_if(source_.pieces, [&](const Piece& piece) {
            return IsOf(piece, "__global__") && piece.name == launch.kernel;
          });
      if (kernel == source_.pieces.end()) {
        return Fail(Errc::kUsage,
                    launch.kernel + ": is launched, and no kernel of the file");
      }
      TRY_DONE(Add(*kernel, launch));
    }
    std::string list;
    for (const Parameter& parameter : parameters_) {
      list += (list.empty() ? "" : ", ") +
              std::string(parameter.is_const ? "const " : "") + parameter.type +
              (parameter.is_pointer ? "* " : " ") + parameter.name;
    }
    return "void " + source_.launches.front().kernel + "(" + list + ") {\n" +
           body_ + "\n}\n";
  }

 private:
  Result<void> Add(const Piece& kernel, const SourceLaunch& launch) {
    const auto& arguments = launch.arguments;
    if (arguments.size() != kernel.parameters.size()) {
      return Fail(Errc::kUsage, kernel.name + ": is launched with " +
                                    std::to_string(arguments.size()) +
                                    " arguments, and takes " +
                                    std::to_string(kernel.parameters.size()));
    }
    std::map<std::string, std::string> by_name;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Parameter& own = kernel.parameters[i];
      if (!own.trouble.empty()) {
        return Fail(Errc::kUsage,
                    kernel.name + ": argument " + own.name + " " + own.trouble);
      }
      const std::string text = ArgumentText(arguments[i]);
      by_name[own.name] = text;
      if (IsPlainName(text)) {
        Take(text, own);
        continue;
      }
      if (own.is_pointer) {
        return Fail(Errc::kUsage, kernel.name + ": is launched with " + text +
                                      " for the array " + own.name +
                                      "; a plan names whole arrays");
      }
      for (const std::string& word : WordsIn(text)) TakeNumber(word);
    }
    for (const auto* sizes : {&launch.grid, &launch.block, &launch.more}) {
      for (const Expr& expr : *sizes) {
        for (const std::string& word : WordsIn(agents::catalogue::Print(expr)))
          TakeNumber(word);
      }
    }
    body_ += Replaced(
        Unrolled(kernel, launch).Text(),
        [&](const TokenView& token, std::string& other) {
          const auto found = by_name.find(std::string(token.text));
          if (found == by_name.end() || token.before == "." ||
              token.before == "->") {
            return false;
          }
          other = IsPlainName(found->second) ? found->second
                                             : "(" + found->second + ")";
          return true;
        });
    return {};
  }

  void Take(const std::string& name, const Parameter& own) {
    if (scratch_.contains(name)) return;
    for (Parameter& known : parameters_) {
      if (known.name != name) continue;
      known.is_const &= own.is_const;  // Somebody writes it.
      return;
    }
    Parameter parameter = own;
    parameter.name = name;
    parameters_.push_back(std::move(parameter));
  }

  void TakeNumber(const std::string& word) {
    if (!IsPlainName(word) || word == "ceil_div" || word == "min" ||
        word == "max" || word == "int32") {
      return;
    }
    Parameter size;
    size.name = word;
    size.type = "int";
    Take(word, size);
  }

  const CudaSource& source_;
  std::set<std::string> scratch_;
  std::vector<Parameter> parameters_;
  std::string body_;
};

std::string WithoutBounds(std::string text) {
  constexpr std::string_view kBounds = "__launch_bounds__";
  for (std::size_t at = 0; (at = text.find(kBounds)) != text.npos;) {
    const std::size_t end = text.find(')', at);
    if (end == text.npos) break;
    text.erase(at, end + 1 - at);
  }
  return text;
}

// Lines that begin so, one by one.
std::vector<std::string> PlanLines(const std::string& text,
                                   std::string_view word) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t from = line.find_first_not_of(" \t");
    if (from != line.npos && line.substr(from).starts_with(kPlanMark)) {
      const WordList words = WordsIn(line.substr(from + kPlanMark.size()));
      if (!words.empty() && words[0] == word)
        lines.push_back(line.substr(from));
    }
    at = end + 1;
  }
  return lines;
}

Result<std::vector<SourceLaunch>> LaunchesOf(
    const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  auto parsed = agents::catalogue::cuda::ParseDeviceSource(text);
  if (parsed) return std::move(parsed->launches);
  return Fail(Errc::kUsage, "the plan: " + parsed.error());
}

}  // namespace

Result<CudaSource> ReadCudaSource(const std::string& text,
                                  const std::string& name) {
  const std::string plain = WithoutBounds(text);
  CudaSource source;
  const auto all = CutSource(plain);
  std::vector<std::string> lines = PlanLines(plain, "launch");
  source.scratch = PlanLines(plain, "scratch");
  if (lines.empty()) {
    TRY_ASSIGN(lines, HostLaunches(plain, all, name));
  }
  TRY_ASSIGN(source.launches, LaunchesOf(lines));
  std::string declarations;
  for (const Piece& piece : all) {
    const bool is_host =
        (piece.kind == PieceKind::kFunction && !IsOf(piece, "__global__") &&
         !IsOf(piece, "__device__")) ||
        IsHostHeader(piece);
    if (is_host) continue;
    if (IsOf(piece, "__global__") && piece.trouble == "is a template") {
      return Fail(Errc::kUsage, piece.name + ": is a template");
    }
    source.pieces.push_back(piece);
    if (piece.kind != PieceKind::kFunction) declarations += piece.text + "\n";
  }
  TRY(function, AsFunction(source).Text());
  source.as_function = CutSource(declarations + function);
  return source;
}

}  // namespace coppice::engine::own
