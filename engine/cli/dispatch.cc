#include "engine/cli/dispatch.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ostream>

#include "engine/cli/actions.h"
#include "engine/cli/completion.h"
#include "engine/cli/help.h"
#include "engine/cli/manual.h"
#include "engine/cli/options.h"
#include "engine/cli/verbs.h"
#include "engine/documents/table.h"
#include "engine/process/version.h"
#include "store/records/joined.h"
#include "store/records/nearest_name.h"

namespace coppice::cli {
namespace {

Exit ExitFor(Errc code) {
  switch (code) {
    case Errc::kUsage:
    case Errc::kNotFound:  // What the command line names does not exist.
      return Exit::kUsage;
    case Errc::kCancelled:
      return Exit::kInterrupted;
    default:
      return Exit::kFailure;
  }
}

// What helps against it, whatever it stopped; empty: nothing is known.
std::string_view AdviceOn(std::string_view error) {
  const auto speaks_of = [&](int code) {
    return error.find(std::strerror(code)) != error.npos;
  };
  if (speaks_of(EMFILE) && error.find("ulimit") == error.npos) {
    return "; raise the limit, as by ulimit -n 1024";
  }
  if (speaks_of(ENOMEM)) {
    return "; give it more memory, or raise its limit (ulimit -v)";
  }
  return "";
}

// "coppice show: x.db: no node 7", whatever lines the text came in.
Exit Report(std::string_view verb, const Error& error, Streams& streams) {
  std::string text = error.what;
  while (text.ends_with('\n')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  streams.err << "coppice" << (verb.empty() ? "" : " ") << verb << ": "
              << Printable(text) << AdviceOn(text) << "\n";
  return ExitFor(error.code);
}

// "config policies" of "policies": what has that word after its verb.
std::vector<std::string> ActionsCalled(const std::string& word) {
  std::vector<std::string> names;
  for (const Verb* verb : Verbs()) {
    const Verb* action = FindAction(*verb, word);
    if (action != nullptr) names.emplace_back(action->name);
  }
  return names;
}

Error UnknownVerb(const std::string& word) {
  if (const auto called = ActionsCalled(word); !called.empty()) {
    return {Errc::kUsage, "unknown verb '" + word + "'; did you mean '" +
                              Joined(called, "' or '") + "'?"};
  }
  std::vector<std::string> names;
  for (const Verb* verb : Verbs()) names.emplace_back(verb->name);
  for (const OldVerb& old : OldVerbs()) names.emplace_back(old.name);
  std::string text = "unknown verb '" + word + "'";
  if (const auto nearest = NearestName(word, names)) {
    const OldVerb* old = FindOldVerb({*nearest});
    text +=
        "; did you mean '" + (old ? Joined(old->now, " ") : *nearest) + "'?";
  } else {
    text += "; `coppice --help` lists them";
  }
  return {Errc::kUsage, std::move(text)};
}

// An option that stands before a verb is a mistyped one of ours, or misplaced.
Error NoVerbYet(const std::string& option) {
  if (const auto nearest = NearestName(option, {"--version", "--help"})) {
    return {Errc::kUsage, "unknown option '" + option + "'; did you mean '" +
                              *nearest + "'?"};
  }
  return {Errc::kUsage,
          "'" + option + "' before a verb; options follow it: coppice VERB " +
              option};
}

// As wide as a terminal is, or as paper.
std::size_t HelpWidth(const Streams& streams) {
  constexpr int kWidest = 80;
  const int columns = streams.out_is_terminal ? streams.columns : kWidest;
  return static_cast<std::size_t>(std::clamp(columns, 40, kWidest));
}

Result<Exit> Run(const Verb& verb, const std::vector<std::string>& words,
                 const config::Surroundings& surroundings, Streams& streams) {
  TRY(parsed, ParseWords(verb, words));
  if (parsed.help) {
    streams.out << VerbHelp(verb, HelpWidth(streams));
    return Exit::kDone;
  }
  TRY(loaded, config::Load(surroundings, parsed.config_file, parsed.settings));
  Invocation invocation{std::move(loaded), surroundings,
                        std::move(parsed.arguments), std::move(parsed.options)};
  if (NamesDatabase(verb) && !invocation.arguments.empty()) {
    invocation.config.settings.db = invocation.arguments.front();
  }
  return verb.run(invocation, streams);
}

// `words` are those after the verb, which has actions.
Exit RunAction(const Verb& verb, std::vector<std::string> words,
               const config::Surroundings& surroundings, Streams& streams) {
  if (words.empty()) return Report(verb.name, MissingAction(verb), streams);
  const std::string word = words.front();
  if (word == "--help" || word == "-h") {
    streams.out << VerbHelp(verb, HelpWidth(streams));
    return Exit::kDone;
  }
  const Verb* action = FindAction(verb, word);
  if (action == nullptr) {
    return Report(verb.name, UnknownAction(verb, word), streams);
  }
  words.erase(words.begin());
  const auto exit = Run(*action, words, surroundings, streams);
  return exit ? *exit : Report(action->name, exit.error(), streams);
}

Exit RunNamed(std::vector<std::string> arguments,
              const config::Surroundings& surroundings, Streams& streams) {
  const std::string name = arguments.front();
  if (const OldVerb* old = FindOldVerb(arguments)) {
    streams.err << "coppice " << name << ": now `coppice "
                << Joined(old->now, " ") << "`\n";
    arguments.erase(arguments.begin());
    arguments.insert(arguments.begin(), old->now.begin(), old->now.end());
    return RunNamed(std::move(arguments), surroundings, streams);
  }
  const Verb* verb = FindVerb(name);
  if (verb == nullptr) return Report("", UnknownVerb(name), streams);
  std::vector<std::string> words{arguments.begin() + 1, arguments.end()};
  if (!verb->actions.empty()) {
    return RunAction(*verb, std::move(words), surroundings, streams);
  }
  const auto exit = Run(*verb, words, surroundings, streams);
  return exit ? *exit : Report(name, exit.error(), streams);
}

Exit PrintHelp(Streams& streams) {
  streams.out << OverallHelp(HelpWidth(streams));
  return Exit::kDone;
}

// `help --man`, `help --man VERB`: a page for man(1).
Exit PrintManual(const std::vector<std::string>& arguments, Streams& streams) {
  if (arguments.size() == 2) {
    streams.out << OverallPage();
    return Exit::kDone;
  }
  const Verb* verb = FindVerb(arguments[2]);
  if (verb == nullptr) return Report("", UnknownVerb(arguments[2]), streams);
  streams.out << VerbPage(*verb);
  return Exit::kDone;
}

Exit RunAny(std::vector<std::string> arguments,
            const config::Surroundings& surroundings, Streams& streams) {
  if (arguments.empty()) return PrintHelp(streams);
  const std::string first = arguments.front();
  if (first == "--help" || first == "-h") return PrintHelp(streams);
  if (first == "help") {
    if (arguments.size() == 1) return PrintHelp(streams);
    if (arguments.back() == "--man") {  // In either order.
      std::rotate(arguments.begin() + 1, arguments.end() - 1, arguments.end());
    }
    if (arguments[1] == "--man") return PrintManual(arguments, streams);
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
    return RunNamed(std::move(arguments), surroundings, streams);
  }
  if (first == "--version" || first == "-V" || first == "version") {
    streams.out << "coppice " << engine::Version() << "\n";
    return Exit::kDone;
  }
  // Words complete whatever is wrong with settings.
  if (first == "completion" && arguments.size() > 1 &&
      arguments[1] == "words") {
    PrintCompletions({arguments.begin() + 2, arguments.end()}, surroundings,
                     streams);
    return Exit::kDone;
  }
  if (first.starts_with("-")) return Report("", NoVerbYet(first), streams);
  return RunNamed(std::move(arguments), surroundings, streams);
}

// Whoever read our output, as head(1), has seen enough.  Most verbs end by
// SIGPIPE then, but not those that may speak to a server.
bool ReaderHasGone() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace

Exit Dispatch(const std::vector<std::string>& arguments,
              const config::Surroundings& surroundings, Streams& streams) {
  const Exit exit = RunAny(arguments, surroundings, streams);
  streams.out.flush();
  const bool has_result = exit == Exit::kDone || exit == Exit::kNoImprovement;
  if (!streams.out && has_result && !ReaderHasGone()) {
    return Report("", {Errc::kIo, "standard output: cannot be written"},
                  streams);
  }
  return exit;
}

}  // namespace coppice::cli
