#include "engine/own/python_function.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/own/python_function_script.h"
#include "eval/torch/shell.h"

namespace coppice::engine::own {

Result<PythonDraft> DraftPython(const std::string& python,
                                const std::filesystem::path& file,
                                const std::string& function,
                                const std::string& inputs) {
  using eval::torch::ShellQuoted;
  std::string command = "exec " + ShellQuoted(python) + " -I -c " +
                        ShellQuoted(PythonFunctionScript());
  for (const std::string& word : {file.string(), function, inputs}) {
    command += " " + ShellQuoted(word);
  }
  const std::string said = eval::torch::OutputOf(command + " 2>/dev/null");
  const auto json = nlohmann::json::parse(said, nullptr, false);
  if (!json.is_object()) {
    return Fail(Errc::kUnavailable,
                python +
                    ": does not run, or is older than Python 3.10; name "
                    "another one with --python");
  }
  if (json.contains("error")) {
    const auto error = json.at("error").get<std::string>();
    const bool has_line = std::isdigit(static_cast<unsigned char>(error[0]));
    return Fail(Errc::kUsage, file.string() + (has_line ? ":" : ": ") + error);
  }
  PythonDraft draft;
  json.at("text").get_to(draft.text);
  json.at("function").get_to(draft.function);
  json.at("notes").get_to(draft.notes);
  return draft;
}

std::string InWordsOf(const PythonDraft& draft, std::string error) {
  const bool is_of_numpy = draft.text.find("_as_tensors(") != std::string::npos;
  if (error.find("is a tensor of torch.float64") != std::string::npos &&
      error.find("Model.forward returned") != std::string::npos) {
    return draft.function + " returns float64: cast it, as in " +
           (is_of_numpy ? ".astype(np.float32)" : ".float()");
  }
  constexpr std::string_view kWhat = "what Model.forward returned";
  if (const std::size_t at = error.find(kWhat); at != std::string::npos) {
    return "what " + draft.function + " returned" +
           error.substr(at + kWhat.size());
  }
  return error;
}

}  // namespace coppice::engine::own
