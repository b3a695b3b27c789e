// The plan agent: chooses a move for the selected kernel and says why.
//
// It draws from the moves in proportion to exp(score / temperature), after
// what the window shows has changed the scores: moves that were made from this
// node already are out, kinds of moves that failed here count less, and kinds
// that made a leader fast count more.  What other campaigns found on tasks like
// this one counts, too (prior.h), and whole programs that were good there are
// tried here before others (precedent.h).  Where there is a mate, only kinds of
// moves are drawn that made it and are none of this node's; if none of them
// applies, the answer says so, and any may be drawn.
//
// No plan breaks a rule that people set, on techniques or on the source that it
// leads to, and what they advise is drawn more often (wishes.h).
#pragma once

#include <string>

#include "agents/prompt/prompt_context.h"

namespace coppice::agents::catalogue {

// The plan agent's answer: advice, technique and annotated source.  It leads to
// no source that was judged already (PromptContext::is_known); empty if neither
// a move from here nor a hundred chains from the root lead to another.
std::string AnswerPlan(const PromptContext& context);

}  // namespace coppice::agents::catalogue
