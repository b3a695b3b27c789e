// What a client may read by its address, "coppice://task/l1_relu/root".
//
// Everything comes from an operation, a document of the installation, or the
// schema; it is read when it is asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::mcp {

inline constexpr std::size_t kResourceBytes = 200'000;

struct Sources {
  // Asks an operation by its name.
  std::function<Result<std::string>(std::string_view operation,
                                    std::string_view request)>
      ask;
  std::string schema{};               // Of the views, with what they mean.
  std::filesystem::path documents{};  // A folder of Markdown; may be missing.
};

// {"resources": [...]}: those that are always there.
nlohmann::ordered_json ResourceList(const Sources& sources);

// {"resourceTemplates": [...]}.
nlohmann::ordered_json ResourceTemplateList(const Sources& sources);

// {"contents": [...]}.  kNotFound: there is none at that address; the message
// says which there are.
Result<nlohmann::ordered_json> ReadResource(const Sources& sources,
                                            std::string_view uri);

}  // namespace coppice::mcp
