// coppice new policy FILE: a policy in Python to begin with.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/campaign/policy_terms.h"
#include "engine/cli/verbs.h"
#include "engine/documents/table.h"
#include "eval/host/whole_file.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSkeleton =
    R"py("""Which node the next attempt works on: a policy of coppice.

It is a pure function of the tree and the random stream, and each sixteenth
decision is asked again of a process that is told of the same tree from nothing.
docs/python_policies.md has all that a tree offers.
"""

from coppice_kernels.policy import ROOT, Policy, Selection, Stream, Tree


class CLASS(Policy):
    # The root is not eligible once it has so many children, and no node with
    # more than so many children that all failed.
    max_root_children = 5
    max_failing_children = 3

    def select(self, tree: Tree, stream: Stream) -> Selection:
        if stream.uniform() < 0.3 and tree.leaves:
            return Selection(tree.leaves.pick(stream), "explore: a leaf")
        best = tree.best_eligible
        if best is not None:
            speedup = tree.speedup[best]
            return Selection(best, f"exploit: the fastest, {speedup:.2f}x")
        if tree.failing:
            return Selection(tree.failing.pick(stream), "repair: any that failed")
        return Selection(ROOT, "the root, since no node is eligible")
)py";

// A class of such a name would hide what the skeleton uses, or be none.
constexpr std::string_view kTaken[] = {"False",  "None",      "True",   "ROOT",
                                       "Policy", "Selection", "Stream", "Tree"};

// "TreeBandit" of tree_bandit.py.
std::string ClassNameOf(const fs::path& file) {
  std::string name;
  bool begins = true;
  for (const char c : file.stem().string()) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) == 0) {
      begins = true;
      continue;
    }
    name += begins ? static_cast<char>(std::toupper(letter)) : c;
    begins = false;
  }
  const bool is_name =
      !name.empty() &&
      std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  if (!is_name) return "Mine";
  const bool is_taken = std::ranges::find(kTaken, name) != std::end(kTaken);
  return is_taken ? "My" + name : name;
}

}  // namespace

Result<Exit> WriteNewPolicy(const Invocation& invocation, Streams& streams) {
  TRY_DONE(invocation.MustNotHave(
      {"function", "shape", "input", "value", "size", "in-place", "expert",
       "link", "flags", "with", "inputs"},
      "is of a function, and this is a policy"));
  const auto& words = invocation.arguments;
  const fs::path file = words.size() > 1 ? words[1] : "";
  if (file.extension() != ".py") {
    return Fail(Errc::kUsage,
                "expected a file to write, as in coppice new policy mine.py");
  }
  std::error_code ignored;
  if (fs::exists(file, ignored)) {
    return Fail(Errc::kUsage, file.string() + ": is there already");
  }
  const std::string name = ClassNameOf(file);
  std::string text(kSkeleton);
  text.replace(text.find("CLASS"), 5, name);
  if (auto done = eval::WriteWhole(file, text); !done) {
    return Fail(done.error().code, file.string() + ": " + done.error().what);
  }
  const std::string policy = Printable("python:" + file.string() + ":" + name);
  const config::Settings& settings = invocation.settings();
  streams.out << policy << " is the policy:\n  " << settings.policy_python
              << " " << engine::PolicyScript(settings).string() << " check "
              << policy.substr(policy.find(':') + 1) << "\n"
              << "  coppice run gemv --policy " << policy << "\n"
              << "  coppice compare --in-memory --policies stark," << policy
              << "\n";
  return Exit::kDone;
}

}  // namespace coppice::cli
