#include "store/records/unified_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace coppice {
namespace {

using Lines = std::vector<std::string_view>;

// Each with its newline, if it has one.
Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Marks the lines that a shortest script deletes and inserts.
class Myers {
 public:
  Myers(const Lines& a, const Lines& b)
      : deleted(a.size()),
        inserted(b.size()),
        a_(a),
        b_(b),
        forward_(2 * (a.size() + b.size()) + 3),
        backward_(forward_.size()) {
    Compare({0, Size(a), 0, Size(b)});
  }

  std::vector<bool> deleted;
  std::vector<bool> inserted;

 private:
  using Int = std::ptrdiff_t;
  struct Box {  // Half-open ranges of lines.
    Int a0, a1, b0, b1;
  };
  struct Point {
    Int a, b;
  };

  static Int Size(const Lines& lines) { return static_cast<Int>(lines.size()); }
  bool Equal(Int a, Int b) const {
    return a_[static_cast<std::size_t>(a)] == b_[static_cast<std::size_t>(b)];
  }
  // Furthest a on diagonal k, for k in -(|a| + |b|) - 1 and up.
  Int& At(std::vector<Int>& furthest, Int k) const {
    return furthest[static_cast<std::size_t>(k + Size(a_) + Size(b_) + 1)];
  }

  void Compare(Box box) {
    while (box.a0 < box.a1 && box.b0 < box.b1 && Equal(box.a0, box.b0)) {
      ++box.a0, ++box.b0;
    }
    while (box.a0 < box.a1 && box.b0 < box.b1 &&
           Equal(box.a1 - 1, box.b1 - 1)) {
      --box.a1, --box.b1;
    }
    if (box.a0 == box.a1) return Mark(inserted, box.b0, box.b1);
    if (box.b0 == box.b1) return Mark(deleted, box.a0, box.a1);
    const Point middle = Middle(box);
    Compare({box.a0, middle.a, box.b0, middle.b});
    Compare({middle.a, box.a1, middle.b, box.b1});
  }

  static void Mark(std::vector<bool>& marks, Int from, Int to) {
    std::fill(marks.begin() + from, marks.begin() + to, true);
  }

  // A point on a shortest path, where searches from both corners meet.
  Point Middle(const Box& box) {
    const Int n = box.a1 - box.a0;
    const Int m = box.b1 - box.b0;
    const Int delta = n - m;
    At(forward_, 1) = 0;
    At(backward_, 1) = 0;
    for (Int d = 0;; ++d) {
      for (Int k = -d; k <= d; k += 2) {
        Int x = Start(forward_, k, d);
        while (x < n && x - k < m && Equal(box.a0 + x, box.b0 + x - k)) ++x;
        At(forward_, k) = x;
        const Int mirror = delta - k;
        if (delta % 2 != 0 && mirror > -d && mirror < d &&
            x + At(backward_, mirror) >= n) {
          return {box.a0 + x, box.b0 + x - k};
        }
      }
      for (Int k = -d; k <= d; k += 2) {
        Int x = Start(backward_, k, d);
        while (x < n && x - k < m &&
               Equal(box.a1 - 1 - x, box.b1 - 1 - (x - k))) {
          ++x;
        }
        At(backward_, k) = x;
        const Int mirror = delta - k;
        if (delta % 2 == 0 && mirror >= -d && mirror <= d &&
            x + At(forward_, mirror) >= n) {
          return {box.a1 - x, box.b1 - (x - k)};
        }
      }
    }
  }

  // Where diagonal k begins with d edits: from the better neighbour.
  Int Start(std::vector<Int>& furthest, Int k, Int d) const {
    const bool down =
        k == -d || (k != d && At(furthest, k - 1) < At(furthest, k + 1));
    return down ? At(furthest, k + 1) : At(furthest, k - 1) + 1;
  }

  const Lines& a_;
  const Lines& b_;
  std::vector<Int> forward_;
  std::vector<Int> backward_;
};

struct Step {
  char sign;  // ' ', '-' or '+'.
  std::string_view line;
};

std::vector<Step> Script(const Lines& a, const Lines& b) {
  const Myers myers(a, b);
  std::vector<Step> steps;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && myers.deleted[i]) {
      steps.push_back({'-', a[i++]});
    } else if (j < b.size() && myers.inserted[j]) {
      steps.push_back({'+', b[j++]});
    } else {
      steps.push_back({' ', a[i++]});
      ++j;
    }
  }
  return steps;
}

// "12,7" of a hunk that follows `before` lines; a hunk without lines is said
// to be after the line before it.
std::string Range(std::size_t before, std::size_t count) {
  const std::size_t first = count == 0 ? before : before + 1;
  std::string text = std::to_string(first);
  return count == 1 ? text : text + "," + std::to_string(count);
}

void AppendHunk(const std::vector<Step>& steps, std::size_t from,
                std::size_t to, std::string& text) {
  const auto count = [&](std::size_t begin, std::size_t end, char other) {
    return static_cast<std::size_t>(std::count_if(
        steps.begin() + static_cast<std::ptrdiff_t>(begin),
        steps.begin() + static_cast<std::ptrdiff_t>(end),
        [other](const Step& step) { return step.sign != other; }));
  };
  text += "@@ -" + Range(count(0, from, '+'), count(from, to, '+')) + " +" +
          Range(count(0, from, '-'), count(from, to, '-')) + " @@\n";
  for (std::size_t i = from; i < to; ++i) {
    text += steps[i].sign;
    text += steps[i].line;
    if (!steps[i].line.ends_with('\n')) {
      text += "\n\\ No newline at end of file\n";
    }
  }
}

}  // namespace

std::string UnifiedDiff(const DiffSide& before, const DiffSide& after,
                        std::size_t context) {
  const Lines a = Split(before.text);
  const Lines b = Split(after.text);
  const std::vector<Step> steps = Script(a, b);
  const auto next_change = [&](std::size_t from) {
    while (from < steps.size() && steps[from].sign == ' ') ++from;
    return from;
  };
  std::string text;
  std::size_t change = next_change(0);
  while (change < steps.size()) {
    const std::size_t from = change - std::min(change, context);
    std::size_t end = change;  // After the hunk's last change.
    // Changes with no more than 2 * context lines between them share a hunk.
    while (change < steps.size() && change <= end + 2 * context) {
      end = change + 1;
      change = next_change(end);
    }
    if (text.empty()) {
      text = "--- " + before.label + "\n+++ " + after.label + "\n";
    }
    AppendHunk(steps, from, std::min(end + context, steps.size()), text);
  }
  return text;
}

}  // namespace coppice
