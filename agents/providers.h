// The providers behind Model, each made by one function.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agents/model.h"

namespace coppice::agents {

// Needs no model: plans from a catalogue of source transformations at a real
// loop of the selected node, and really rewrites it (agents/catalogue/).
std::unique_ptr<Model> MakeCatalogueModel();

// Answers recorded as JSON lines, keyed by the whole request: role, prompts,
// sampling and sample index.  A request that is not in the file is an error
// kNotFound that names the nearest one and where they differ, never a call.  A
// replayed answer has the recorded usage and costs nothing.  A last line
// without its newline is a write that never ended, and ignored.
Result<std::unique_ptr<Model>> MakeReplayModel(
    const std::filesystem::path& cassette);

// Passes every request to `inner` and appends what it answers to `cassette`,
// which is made if absent.  Errors of `inner` are passed on, not recorded.
Result<std::unique_ptr<Model>> MakeRecordingModel(
    std::unique_ptr<Model> inner, const std::filesystem::path& cassette);

struct OpenAiOptions {
  std::string base_url;  // "https://host/v1"
  std::string model;
  std::string api_key;     // Sent as a bearer token, if any; in no error text.
  double timeout_s = 600;  // Of one whole call, its retries and waits included.
  double usd_per_million_input = 0.0;
  double usd_per_million_output = 0.0;
  std::optional<double> usd_per_million_cached_input;  // Unset: as any input.
  // Tries after the first, on a lost connection, 408, 409, 429 and 5xx.  A
  // server that asks for a longer wait than the longest is not tried again.
  int max_retries = 4;
  double max_retry_wait_s = 60;
  // Not owned, may be null.  Once it is true, Complete() ends with kCancelled
  // within a second.
  const std::atomic<bool>* cancel = nullptr;
  // Waits between tries, and returns early once `cancel` is true.
  // REQUIRES: set.
  std::function<void(double seconds)> wait;
};

// Any server that speaks OpenAI's Chat Completions.  Complete() may be called
// from several threads.  Its errors: kUsage (key, model, URL or parameter is
// wrong, or there is no credit), kBusy (429), kTimeout, kUnavailable (network,
// 5xx), kCorrupt (no reply of a model), kCancelled.
//
// A parameter that the model rejects by name (temperature, top_p, the output
// limit's) is dropped or renamed for this and all later calls.
std::unique_ptr<Model> MakeOpenAiModel(OpenAiOptions options);

}  // namespace coppice::agents
