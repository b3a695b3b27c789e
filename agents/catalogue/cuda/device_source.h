// A device-only CUDA source: its launch plan and its kernels as statements.
//
// The plan is in comment lines, `//@ launch KERNEL<<<grid, block>>>(arguments)`
// (data/README.md).  Rewriting replaces whole lines, so that all which a
// technique does not touch stays byte for byte what it was.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "agents/catalogue/kernel.h"
#include "agents/catalogue/lines.h"
#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue::cuda {

struct SourceLaunch {
  std::string kernel;
  std::vector<Expr> grid;  // One to three dimensions, x first.
  std::vector<Expr> block;
  std::vector<Expr> more;  // Bytes of shared memory, cluster.
  std::vector<Expr> arguments;
  int line = 0;
};

// As a line of a source, without its newline.
std::string Print(const SourceLaunch& launch);

struct DeviceKernel : Function {
  std::string name;
  std::string attributes;  // Between `void` and the name, such as bounds.
};

struct DeviceSource {
  std::string text;
  std::vector<SourceLaunch> launches;
  std::vector<DeviceKernel> kernels;
  std::set<std::string> names;  // All identifiers of the file.

  const DeviceKernel* FindKernel(std::string_view name) const;
  // Null if the kernel is launched twice or never.
  const SourceLaunch* OnlyLaunch(std::string_view kernel) const;
};

// True if a line is of a launch plan.
bool IsDeviceSource(std::string_view text);

// Says in words why the text cannot be read.  Functions that are no kernels
// are left alone.
tl::expected<DeviceSource, std::string> ParseDeviceSource(
    std::string_view text);

// What a technique makes of a kernel and of its launch.  Absent: as it is.
struct DeviceEdit {
  std::optional<SourceLaunch> launch;
  std::optional<std::string> attributes;
  std::optional<std::vector<Param>> params;
  std::optional<std::string> body;  // Lines, indented, between the braces.
  // Functions and types to stand above the kernel once.
  std::vector<std::string> helpers;
  std::string header;  // "#include <mma.h>", or empty.
};

// The whole new text.
std::string ApplyEdit(const DeviceSource& source, const DeviceKernel& kernel,
                      const DeviceEdit& edit);

// The lines from the kernel's launch to its end: what an edit of it changes.
Lines SpanOf(const DeviceSource& source, const DeviceKernel& kernel);

}  // namespace coppice::agents::catalogue::cuda
