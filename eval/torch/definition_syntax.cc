#include "eval/torch/definition_syntax.h"

#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "eval/host/unique_fd.h"
#include "eval/torch/shell.h"

namespace coppice::eval::torch {
namespace {

// Reads [place, reference, constraints] each; prints what is wrong, or "".
constexpr char kParser[] = R"(
import ast, json, sys

def wrong(text, mode):
    try:
        tree = ast.parse(text, mode=mode)
    except SyntaxError as error:
        return f"line {error.lineno or 1}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__
    if mode == "exec" and not any(
            isinstance(node, ast.FunctionDef) and node.name == "run"
            for node in tree.body):
        return "defines no function run"
    return ""

def first_wrong(definitions):
    for place, reference, constraints in definitions:
        texts = [("/reference", reference, "exec")]
        texts += [(f"/constraints/{i}", text, "eval")
                  for i, text in enumerate(constraints)]
        for field, text, mode in texts:
            why = wrong(text, mode)
            if why:
                return f"{place}: {field}: {why}"
    return ""

print(json.dumps(first_wrong(json.load(sys.stdin))))
)";

// A file without a name that holds `text`; -1 if there is no memory.
UniqueFd Unnamed(const std::string& text) {
  // Not closed in what is started, which opens it anew.
  UniqueFd file(memfd_create("definitions", 0));
  std::size_t written = 0;
  while (file.get() >= 0 && written < text.size()) {
    const ssize_t now =
        write(file.get(), text.data() + written, text.size() - written);
    if (now <= 0) return UniqueFd();
    written += static_cast<std::size_t>(now);
  }
  return file;
}

}  // namespace

Result<void> CheckSyntax(const std::string& python,
                         const std::vector<PlacedDefinition>& definitions) {
  if (definitions.empty()) return {};
  nlohmann::json texts = nlohmann::json::array();
  for (const PlacedDefinition& each : definitions) {
    texts.push_back(
        {each.place, each.definition->reference, each.definition->constraints});
  }
  const UniqueFd file = Unnamed(
      texts.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  const std::string output =
      OutputOf("exec timeout 60 " + ShellQuoted(python) + " -I -S -c " +
               ShellQuoted(kParser) + " 2>/dev/null </dev/fd/" +
               std::to_string(file.get()));
  const auto wrong = nlohmann::json::parse(output, nullptr, false);
  if (!wrong.is_string()) {
    return Fail(Errc::kUnavailable,
                python + ": is no Python 3; --python names one");
  }
  const std::string text = wrong.get<std::string>();
  if (text.empty()) return {};
  return Fail(Errc::kCorrupt, text);
}

}  // namespace coppice::eval::torch
