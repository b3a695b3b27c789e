#include "store/records/start_values.h"

#include <algorithm>
#include <string_view>

namespace coppice {
namespace {

constexpr std::string_view kStarts = "starts:";

}  // namespace

Result<std::map<std::string, std::size_t>> StartValues(
    const Definition& definition) {
  std::map<std::string, std::size_t> starts;
  for (const std::string& tag : definition.tags) {
    if (!tag.starts_with(kStarts)) continue;
    const auto refuse = [&](const std::string& what) {
      return Fail(Errc::kUsage, definition.name + ": tag " + tag + ": " + what);
    };
    const std::size_t is = tag.find('=');
    if (is == tag.npos) return refuse("expected starts:OUTPUT=INPUT");
    const std::string name = tag.substr(kStarts.size(), is - kStarts.size());
    const auto output =
        std::ranges::find(definition.outputs, name, &TensorSpec::name);
    const auto input = std::ranges::find(definition.inputs, tag.substr(is + 1),
                                         &TensorSpec::name);
    if (output == definition.outputs.end()) {
      return refuse("no output is called " + name);
    }
    if (input == definition.inputs.end()) {
      return refuse("no input is called " + tag.substr(is + 1));
    }
    if (input->dtype != output->dtype || input->shape != output->shape) {
      return refuse("they differ in type or shape");
    }
    starts[name] = static_cast<std::size_t>(input - definition.inputs.begin());
  }
  return starts;
}

}  // namespace coppice
