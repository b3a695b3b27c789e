#include "agents/catalogue/cuda/device_source.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

using catalogue::Print;
using Tokens = std::vector<Token>;
constexpr std::string_view kLaunch = "//@ launch ";

bool Is(const Token& token, std::string_view text) {
  return token.kind != TokenKind::kEnd && token.text == text;
}

// At commas outside parentheses.
std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  if (text.find_first_not_of(' ') != text.npos) {
    parts.push_back(text.substr(start));
  }
  return parts;
}

std::vector<Expr> ParseList(std::string_view text) {
  std::vector<Expr> list;
  for (const std::string_view part : SplitList(text)) {
    list.push_back(ParseExpr(part));
  }
  return list;
}

// One expression, or a parenthesised list of them.
std::vector<Expr> ParseDimensions(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  text = text.substr(first, text.find_last_not_of(' ') - first + 1);
  if (text.starts_with('(') && text.ends_with(')')) {
    const std::string_view inner = text.substr(1, text.size() - 2);
    if (SplitList(inner).size() > 1) return ParseList(inner);
  }
  return ParseList(text);
}

std::optional<SourceLaunch> ParseLaunch(std::string_view comment, int line) {
  const std::size_t open = comment.find("<<<");
  const std::size_t close = comment.find(">>>(");
  if (!comment.starts_with(kLaunch) || open == comment.npos ||
      close == comment.npos || close < open || !comment.ends_with(')')) {
    return std::nullopt;
  }
  SourceLaunch launch;
  launch.kernel = comment.substr(kLaunch.size(), open - kLaunch.size());
  launch.line = line;
  const auto shape = SplitList(comment.substr(open + 3, close - open - 3));
  if (shape.size() < 2) return std::nullopt;
  launch.grid = ParseDimensions(shape[0]);
  launch.block = ParseDimensions(shape[1]);
  for (std::size_t i = 2; i < shape.size(); ++i) {
    launch.more.push_back(ParseExpr(shape[i]));
  }
  launch.arguments =
      ParseList(comment.substr(close + 4, comment.size() - close - 5));
  return launch;
}

std::string PrintList(const std::vector<Expr>& list) {
  std::string text;
  for (const Expr& expr : list) {
    text += (text.empty() ? "" : ", ") + Print(expr);
  }
  return text;
}

std::string PrintDimensions(const std::vector<Expr>& dimensions) {
  const std::string list = PrintList(dimensions);
  return dimensions.size() == 1 ? list : "(" + list + ")";
}

// A kernel whose `extern` is at tokens[at]; nothing, and why, if it is none
// that we can read.
tl::expected<DeviceKernel, std::string> ParseOneKernel(const Tokens& tokens,
                                                       std::size_t at) {
  DeviceKernel kernel;
  const std::size_t start = at;
  at += 4;  // extern "C" __global__ void
  while (tokens[at].kind == TokenKind::kName && !Is(tokens[at + 1], "(")) ++at;
  if (Is(tokens[at], "__launch_bounds__")) {
    do kernel.attributes += tokens[at].text;
    while (!Is(tokens[at++], ")") && tokens[at].kind != TokenKind::kEnd);
  }
  if (tokens[at].kind == TokenKind::kEnd || !Is(tokens[at + 1], "(")) {
    return tl::unexpected<std::string>("a kernel has no parameter list");
  }
  kernel.name = tokens[at].text;
  auto why = ReadFunction(tokens, start, at, kernel.name, kernel);
  if (!why.empty()) return tl::unexpected(std::move(why));
  return kernel;
}

// The signature, wrapped at 80 columns, through the opening brace.
std::string PrintSignature(const DeviceKernel& kernel, const DeviceEdit& edit) {
  const std::string attributes = edit.attributes.value_or(kernel.attributes);
  const std::vector<Param> params = edit.params.value_or(kernel.params);
  std::string text = "extern \"C\" __global__ void ";
  if (!attributes.empty()) text += attributes + "\n    ";
  text += kernel.name + "(";
  std::size_t column = text.size() - (text.rfind('\n') + 1);
  const std::string margin(column, ' ');
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::string one = params[i].type + " " + params[i].name +
                            (i + 1 < params.size() ? "," : ") {");
    if (i > 0 && column + 1 + one.size() > 80) {
      text += "\n" + margin;
      column = margin.size();
    } else if (i > 0) {
      text += " ";
      ++column;
    }
    text += one;
    column += one.size();
  }
  if (params.empty()) text += ") {";
  return text + "\n";
}

// After the last include, or after the launch plan.
void AddInclude(std::string& text, const std::string& header) {
  if (header.empty() || text.find(header) != text.npos) return;
  std::size_t at = 0, end = 0;
  EachLine(text, [&](int, std::string_view line) {
    end += line.size();
    if (line.starts_with("#include") || line.starts_with("//@")) at = end;
  });
  text.insert(at, header + "\n");
}

}  // namespace

std::string Print(const SourceLaunch& launch) {
  std::string shape =
      PrintDimensions(launch.grid) + ", " + PrintDimensions(launch.block);
  for (const Expr& expr : launch.more) shape += ", " + Print(expr);
  return std::string(kLaunch) + launch.kernel + "<<<" + shape + ">>>(" +
         PrintList(launch.arguments) + ")";
}

const DeviceKernel* DeviceSource::FindKernel(std::string_view name) const {
  for (const DeviceKernel& kernel : kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

const SourceLaunch* DeviceSource::OnlyLaunch(std::string_view kernel) const {
  const SourceLaunch* only = nullptr;
  for (const SourceLaunch& launch : launches) {
    if (launch.kernel != kernel) continue;
    if (only != nullptr) return nullptr;
    only = &launch;
  }
  return only;
}

bool IsDeviceSource(std::string_view text) {
  return text.starts_with(kLaunch) ||
         text.find("\n" + std::string(kLaunch)) != text.npos;
}

tl::expected<DeviceSource, std::string> ParseDeviceSource(
    std::string_view text) {
  const Tokens tokens = Tokenize(text);
  DeviceSource source;
  source.text = text;
  for (std::size_t at = 0; tokens[at].kind != TokenKind::kEnd; ++at) {
    const Token& token = tokens[at];
    if (token.kind == TokenKind::kName) source.names.insert(token.text);
    if (token.kind == TokenKind::kComment && token.text.starts_with(kLaunch)) {
      auto launch = ParseLaunch(token.text, token.line);
      if (!launch) {
        return tl::unexpected<std::string>("line " +
                                           std::to_string(token.line) +
                                           ": a launch that cannot be read");
      }
      source.launches.push_back(std::move(*launch));
    }
    if (Is(token, "extern") && Is(tokens[at + 1], "\"C\"") &&
        Is(tokens[at + 2], "__global__") && Is(tokens[at + 3], "void")) {
      auto kernel = ParseOneKernel(tokens, at);
      if (!kernel) return tl::unexpected<std::string>(kernel.error());
      source.kernels.push_back(std::move(*kernel));
    }
  }
  if (source.launches.empty()) {
    return tl::unexpected<std::string>("the source has no launch plan");
  }
  return source;
}

std::string ApplyEdit(const DeviceSource& source, const DeviceKernel& kernel,
                      const DeviceEdit& edit) {
  std::string text = source.text;
  if (edit.launch) {
    const int line = source.OnlyLaunch(kernel.name)->line;
    text = WithLines(text, {line, line}, Print(*edit.launch) + "\n");
  }
  if (edit.attributes || edit.params || edit.body) {
    const bool one_line = kernel.body_line == kernel.last_line;
    const std::string signature =
        edit.attributes || edit.params || one_line
            ? PrintSignature(kernel, edit)
            : LinesOf(text, {kernel.signature_line, kernel.body_line});
    const std::string body =
        edit.body ? *edit.body
        : one_line
            ? Print(kernel.body, 2)
            : LinesOf(text, {kernel.body_line + 1, kernel.last_line - 1});
    text = WithLines(text, {kernel.signature_line, kernel.last_line},
                     signature + body + "}\n");
  }
  std::string helpers;
  for (const std::string& helper : edit.helpers) {
    if (source.text.find(helper) == std::string::npos) helpers += helper + "\n";
  }
  if (!helpers.empty()) {  // Above all kernels: another may use them later.
    const int first = source.kernels.front().first_line;
    const Lines line = {first, first};
    text = WithLines(text, line, helpers + LinesOf(text, line));
  }
  AddInclude(text, edit.header);
  return text;
}

Lines SpanOf(const DeviceSource& source, const DeviceKernel& kernel) {
  const SourceLaunch* launch = source.OnlyLaunch(kernel.name);
  if (launch == nullptr) return {kernel.first_line, kernel.last_line};
  return {std::min(launch->line, kernel.first_line),
          std::max(launch->line, kernel.last_line)};
}

}  // namespace coppice::agents::catalogue::cuda
