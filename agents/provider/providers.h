// The models that a campaign can have, each made by one function.  A retrying
// model (agents/provider/retrying_model.h) makes one of each transport.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "agents/provider/model.h"
#include "agents/provider/model_table.h"
#include "agents/provider/timer.h"
#include "agents/provider/transport.h"

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
// which is made if absent.  Errors of `inner` are passed on, not recorded.  An
// answer that cannot be recorded is given all the same, since it was paid for;
// after it nothing more is asked: kIo.
Result<std::unique_ptr<Model>> MakeRecordingModel(
    std::unique_ptr<Model> inner, const std::filesystem::path& cassette);

// What the user says of a provider beside the table.
struct ProviderSettings {
  std::string base_url{};  // Empty: the table's.
  KeySource key{};         // Each part, if not empty, instead of the table's.
  bool structured = true;  // Ask for JSON where it is offered.
};

// The row by which `provider` is spoken to: its own, with `base_url` if that is
// not empty.  One that has a row for elsewhere is spoken to by that at another
// host, whatever else the host is known as: what is there may be anything, and
// cost something.  A row of the user's says more.  kUsage if there is no such
// provider, and names those there are.
Result<ProviderRow> RowOf(const ModelTable& table, const std::string& provider,
                          const std::string& base_url);

// Which of a user's wishes a model is told of, by the table.
struct Heeds {
  bool temperature = true;
  bool effort = true;
};

// A command is told of none.  Errors: as of RowOf().
Result<Heeds> WhatItHeeds(const ModelTable& table, const std::string& provider,
                          const std::string& model,
                          const std::string& base_url);

// `model` is a model of the provider's or the command that the user names.
// `timer` outlives the transport.
Result<std::unique_ptr<Transport>> MakeTransport(
    const ModelTable& table, const std::string& provider,
    const std::string& model, const ProviderSettings& settings, Timer& timer);

}  // namespace coppice::agents
