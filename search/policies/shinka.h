// ShinkaEvolve's choice of a parent, and of what to cross it with, as its
// authors ship it (Lange, Imajuku, Cetin 2025, "ShinkaEvolve"; version 0.0.7,
// with the defaults of its DatabaseConfig and EvolutionConfig).
// tests/peers/golden_shinka.py asks their code, and
// search/policies/peers_test.cc holds this to its answers.
//
// A program is a node that holds a candidate which is decided and the first of
// its tokens.  Its score is its speedup over the root, and it is correct if it
// passes.  The root is a program on each island; all others are on their
// parent's.  The archive has the `archive` programs of the highest scores among
// the correct ones of all islands, of equal ones the newer.  A parent is
//
//   if no program is correct     a uniform program, to be repaired
//   if the root is not correct,  the root, to be repaired
//   nor any on some island
//   else                         of a uniform island one of the archive, by
//                                ShinkaWeights of scores and children that are
//                                programs; if the archive has none of this
//                                island, a uniform correct one of it
//
// With chance `cross` a parent that need not be repaired is crossed with one of
// up to two others of the archive and its island, each as likely: the best of
// all programs, or, if that is the parent or not of the island, a uniform one;
// and the best besides.  If there is none, it is not crossed.
//
// Which of its copies a child of the root was made from is not in a tree: the
// first is on island 0, the next on island 1, and so in turn, where
// ShinkaEvolve remembers.  Attempts in flight are paid no heed, as there.  What
// it rejects as no novelty, by embeddings, is here what repeats a node's
// tokens.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

struct ShinkaOptions {
  int islands = 2;  // Without migration: its migration_rate is 0.
  int archive = 40;
  double lambda = 10.0;
  double cross = 0.1;
};

inline constexpr ConstantOf<ShinkaOptions> kShinkaConstants[] = {
    {"islands", &ShinkaOptions::islands, 1, 1000},
    {"archive", &ShinkaOptions::archive, 1, 10000},
    {"lambda", &ShinkaOptions::lambda, 0, 1000},
    {"cross", &ShinkaOptions::cross, 0, 1},
};

// O(archive log archive) a selection.
std::unique_ptr<Policy> MakeShinka(ShinkaOptions options = {});

}  // namespace coppice::search
