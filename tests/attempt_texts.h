// Texts of attempts as a campaign with language models writes them, for
// measuring a tree memory.  Nothing is padding: every text has its own reason
// to differ from the others.
//
//   source     a real kernel (data/cpu/attention_head/root.cc), changed along
//              each lineage by 1 to 4 edits such as agents make: a loop tiled,
//              a statement unrolled, a pragma, a constant, a name changed
//              everywhere, a comment in words, a line dropped; one in fifty is
//              written anew from the root; none is the same kernel as its
//              parent, which an engine would not judge
//   annotated  the parent's source with a span marked and a hint in it
//   answers    advice in words and the annotated source; a remark and the new
//              source
//   prompts    the project's own role texts, the task, the source at hand with
//              what was observed of it, and the advice of its relatives
//   log        compiler errors that quote the source, or a table of quartiles
//
// That is about 20 KB for each node that is planned and coded.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/node.h"
#include "store/records/random.h"

namespace coppice {

class AttemptTexts {
 public:
  // Reads the root and the role texts below `source_directory`.
  explicit AttemptTexts(const std::filesystem::path& source_directory);

  const std::string& root() const { return root_; }
  const std::string& system_prompt() const { return system_; }

  std::string Edited(const std::string& source, RandomStream& random) const;
  std::string Annotated(const std::string& source, RandomStream& random) const;
  std::string Advice(RandomStream& random) const;
  std::string Log(const std::string& source, Verdict verdict,
                  RandomStream& random) const;
  // `role` is "plan", "code" or "debug"; `relatives`: what was tried nearby.
  std::string Prompt(const std::string& role, const NodeRecord& at,
                     const std::string& annotated,
                     const std::vector<std::string>& relatives) const;

 private:
  std::string Read(const std::filesystem::path& path) const;
  std::string EditedAtWill(const std::string& source,
                           RandomStream& random) const;

  std::string root_;
  std::string system_;
  std::string task_;
  std::string plan_;
  std::string code_;
  std::string debug_;
};

}  // namespace coppice
