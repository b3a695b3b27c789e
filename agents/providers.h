// The providers behind Model, each made by one function.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "agents/model.h"

namespace coppice::agents {

// Needs no model: plans from a catalogue of source transformations at a real
// loop of the selected node, and really rewrites it (agents/catalogue/).
std::unique_ptr<Model> MakeCatalogueModel();

// Answers recorded as JSON lines, keyed by the whole request and its sample
// index.  A request that is not in the file is an error, never a call.
Result<std::unique_ptr<Model>> MakeReplayModel(
    const std::filesystem::path& cassette);

struct OpenAiOptions {
  std::string base_url;  // "https://host/v1"
  std::string model;
  std::string api_key;     // Sent as a bearer token; never logged.
  double timeout_s = 600;  // Of one whole call.
  double usd_per_million_input = 0.0;
  double usd_per_million_output = 0.0;
};

// Any server that speaks OpenAI's Chat Completions.
std::unique_ptr<Model> MakeOpenAiModel(OpenAiOptions options);

}  // namespace coppice::agents
