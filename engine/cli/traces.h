// Trace sets of FlashInfer-Bench, from and to a database.
#pragma once

#include <filesystem>

#include "engine/documents/verb.h"

namespace coppice::eval {
struct TraceSet;
}

namespace coppice::cli {

// `coppice export traces --output DIRECTORY`.
Result<Exit> ExportTraces(const Invocation& invocation, Streams& streams);

// `coppice import traces DIRECTORY`.
Result<Exit> ImportTraces(const Invocation& invocation, Streams& streams);

// Reads the traces of a directory, or of all campaigns of a database.
Result<eval::TraceSet> TracesAt(const std::filesystem::path& path,
                                const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
