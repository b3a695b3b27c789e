// separate(p): a sum over the rows p and columns q of a window becomes sums
// along the columns, and then sums of those along the row.
//
//   for i { for j { for p { for q { if (i + p and j + q are inside)
//                                     { s += x[(i + p) * W + j + q]; } } } } }
// becomes
//   for i { for p { if (i + p is inside) { for c { line[c] += x[...]; } } }
//           for j { for q { s += line[j + q]; } } }
// with zeros beyond both ends of `line`.  The summands may have factors of p
// and of q, or weights from a table of plain numbers that is such a product,
// as 1 2 1, 2 4 2, 1 2 1 is; numbers that are counted are counted apart.  Sums of floats are
// rounded in another order, which the tolerance must allow.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Separate(const Site& site, const Technique& technique);

}  // namespace coppice::agents::catalogue
