// Anchors: the comments that mark what a plan asks to change (STARK, 4.3).
//
// An anchor is `<<<IMPROVE BEGIN>>>` or `<<<IMPROVE END>>>` (or BEGINS, ENDS)
// within a comment opened by `//`, `/*` or `#`; the comment may hold more words
// and belongs to the anchor as a whole.  A comment that names two anchors is
// prose about them and marks nothing.  Nothing is known of string literals, so
// an anchor works in a kernel that sits in a string of its host program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/records/result.h"

namespace coppice::agents {

// Lines [begin, end) of a source, from 0.  Empty: a place to insert at.
struct LineSpan {
  int begin = 0;
  int end = 0;
};

struct AnchoredSource {
  std::string source;           // Without the anchors.
  std::vector<LineSpan> spans;  // Its marked lines, ascending, disjoint.
};

// An anchor alone on its lines vanishes with them; one beside code takes the
// blanks next to it along.  Error kCorrupt, in words fit for an agent: no
// anchor, one outside a comment, a pair not closed, not opened, or nested.
Result<AnchoredSource> ParseAnchors(std::string_view annotated);

// The source without whatever anchors it has, paired or not.
std::string WithoutAnchors(std::string_view annotated);

}  // namespace coppice::agents
