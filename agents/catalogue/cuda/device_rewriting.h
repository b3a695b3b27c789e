// For tests: what a label makes of a device-only source.
#pragma once

#include <string>
#include <string_view>

namespace coppice::agents::catalogue::cuda {

// The whole new source, or "refused: why".
std::string RewriteText(const std::string& source, std::string_view label);

// The lines of `text` that are not in `before`, without their indentation and
// without closing braces: enough to see what a rewriting made.
std::string MadeLines(const std::string& text, const std::string& before);

// y = max(x, 0), one thread for each element.
extern const char kRelu[];
// C[M,N] = A[M,K] * B[K,N], one thread for each element.
extern const char kGemm[];
// Softmax by rows, one thread for each.
extern const char kSoftmax[];

}  // namespace coppice::agents::catalogue::cuda
