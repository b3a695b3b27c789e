// coppice new FILE: a function in a file becomes a task.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>

#include "config/keys.h"
#include "engine/campaign/outage_listener.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/new_task.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/own_text.h"
#include "engine/cli/verbs.h"
#include "engine/documents/input.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/task_finder.h"
#include "engine/own/complex_text.h"
#include "engine/own/source_file.h"
#include "engine/own/source_reader.h"
#include "engine/own/task_draft.h"
#include "engine/own/task_files.h"
#include "engine/own/task_trial.h"
#include "engine/process/interrupts.h"
#include "eval/formats/shapes.h"
#include "store/records/formatted.h"
#include "store/records/joined.h"
#include "store/records/parse_number.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using engine::own::Argument;
using ArgumentPart = engine::own::ArgumentRole;

// "x=positive" of an option that may be given several times.
Result<std::vector<std::pair<std::string, std::string>>> NamedValues(
    const Invocation& invocation, const char* option) {
  using Pair = std::pair<std::string, std::string>;
  std::vector<Pair> pairs;
  for (const std::string& text : invocation.Texts(option)) {
    const std::size_t is = text.find('=');
    if (is == std::string::npos || is == 0 || is + 1 == text.size()) {
      return Fail(Errc::kUsage, std::string("--") + option + " " + text +
                                    ": expected NAME=VALUE");
    }
    std::string name = text.substr(0, is);
    if (std::ranges::count(pairs, name, &Pair::first) > 0) {
      return Fail(Errc::kUsage, std::string("--") + option + " " + text + ": " +
                                    name + " was given before");
    }
    pairs.emplace_back(std::move(name), text.substr(is + 1));
  }
  return pairs;
}

std::vector<std::string> SplitWords(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != by) continue;
    if (i > from) parts.push_back(text.substr(from, i - from));
    from = i + 1;
  }
  return parts;
}

std::string PartText(const Argument& argument) {
  switch (argument.part) {
    case ArgumentPart::kInput:
      return "input";
    case ArgumentPart::kResult:
      return "result";
    case ArgumentPart::kInPlace:
      return "updated";
    case ArgumentPart::kSize:
      return "size";
    case ArgumentPart::kNumber:
      return "number";
  }
  return "";
}

std::string ArgumentShapeText(const engine::own::Reading& reading,
                              const Argument& argument) {
  if (argument.part == ArgumentPart::kNumber) return argument.value;
  const std::string text = Joined(argument.shape, ", ", [&](const auto& name) {
    const auto axis =
        std::ranges::find(reading.axes, name, &engine::own::OwnAxis::name);
    return axis->constant          ? std::to_string(*axis->constant)
           : axis->derived.empty() ? name
                                   : name + "=" + axis->derived;
  });
  return text.empty() ? "" : "[" + text + "]";
}

Result<std::string> ExpertText(const Invocation& invocation) {
  const auto file = invocation.Text("expert");
  const std::vector<std::string> libraries = invocation.Texts("link");
  if (!file && !libraries.empty()) {
    return Fail(Errc::kUsage,
                "--link " + libraries.front() +
                    ": is of the expert; give --expert FILE, too");
  }
  if (!file) return std::string();
  TRY(text, ReadFile(*file));
  for (const std::string& library : libraries) {
    text = "//@ library " + library + "\n" + text;
  }
  return text;
}

Result<Exit> TellOfTask(const engine::own::TrialResult& tried,
                        const std::string& name, Streams& streams) {
  PrintAssumptions(tried.reading, tried.notes, streams);
  streams.out << "shapes: " << ShapesText(tried.task.workloads)
              << "; the function takes " << engine::DurationText(tried.root_s)
              << "\n";
  streams.out << "its error is " << Formatted("%.2f", tried.worst_error_ratio)
              << " of the allowed; " << tried.nulls
              << " kernels that do not compute it fail, as they must\n";
  if (!tried.why_unfit.empty()) {
    streams.out << "UNFIT: " << Printable(tried.why_unfit) << "\n";
  }
  streams.out << "./" << name << " is the task: coppice run ./" << name << "\n";
  return tried.why_unfit.empty() ? Exit::kDone : Exit::kFailure;
}

Result<Exit> RunNew(const Invocation& invocation, Streams& streams) {
  const std::string& file = invocation.arguments.at(0);
  if (file == "policy") return WriteNewPolicy(invocation, streams);
  if (NamesPython(file)) return NewFromPython(invocation, streams);
  if (NamesCuda(file)) return NewFromCuda(invocation, streams);
  TRY_DONE(invocation.MustNotHave({"inputs"},
                                  "is of a function in Python; --shape and "
                                  "--input say what one in C or C++ takes"));
  TRY(wishes, WishesOf(invocation));
  TRY(expert, ExpertText(invocation));
  TRY(own, OwnTextOf(invocation, file));
  const std::string& text = own.text;
  const auto pieces =
      engine::own::CutSource(engine::own::WithNamedComplex(text));
  const auto in_file = [&](const Error& error) {
    return Fail(error.code, file + ": " + error.what);
  };
  auto reading = engine::own::Read(pieces, wishes);
  if (!reading) {
    const auto chosen = engine::own::Chosen(pieces, wishes.function);
    const std::string wrong = WhatDoesNotCompile(
        invocation, chosen ? engine::own::TextWith(pieces, **chosen) : text);
    if (wrong.empty()) return in_file(reading.error());
    return Fail(Errc::kUsage, file + ": does not compile: " + wrong);
  }
  TRY(name, NewTaskName(invocation, reading->name));
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  const auto listener = Listen(*factory, streams);
  engine::own::Drafting drafting;
  drafting.name = name;
  drafting.file = fs::path(file).filename().string();
  const auto draft = engine::own::DraftTask(pieces, *reading, drafting);
  if (!draft) return in_file(draft.error());
  TRY(evaluator, factory->EvaluatorFor(*draft));
  const auto say = [&](const std::string& what) {
    if (streams.err_is_terminal) streams.err << Printable(what) << std::endl;
  };
  auto tried = engine::own::TryOut(*evaluator, pieces, *std::move(reading),
                                   wishes, std::move(drafting), say);
  if (!tried) return in_file(tried.error());
  TRY_DONE(engine::own::WriteFolder(name,
                                    engine::own::FilesOf(tried->task, expert)));
  if (!own.remark.empty()) streams.out << Printable(own.remark) << "\n";
  TRY(exit, TellOfTask(*tried, name, streams));
  TRY_DONE(TellOfName(*factory, name, streams));
  return exit;
}

}  // namespace

Result<std::string> NewTaskName(const Invocation& invocation,
                                const std::string& function) {
  const auto& words = invocation.arguments;
  const std::string name = words.size() > 1 ? words[1] : function;
  const bool is_plain =
      !name.empty() &&
      name.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
          "0123456789_-") == name.npos;
  if (!is_plain) {
    return Fail(Errc::kUsage,
                name +
                    ": is no name of a task; letters, digits, _ and - make "
                    "one, and its folder is made here");
  }
  // It is written at the end, which is late to be told.
  if (::access(".", W_OK) != 0) {
    return Fail(Errc::kUsage,
                name + ": cannot be made here: " + std::strerror(errno));
  }
  std::error_code ignored;
  if (fs::exists(name, ignored)) {
    return Fail(Errc::kUsage, name +
                                  ": is there already; remove it, or say "
                                  "another name: coppice new " +
                                  words[0] + " NAME");
  }
  return name;
}

Result<void> TellOfName(const engine::CampaignFactory& factory,
                        const std::string& name, Streams& streams) {
  TRY(known, factory.tasks().TaskNames());
  if (std::ranges::find(known, name) != known.end()) {
    streams.out << "a task " << name << " comes with coppice: always type ./"
                << name << "\n";
  }
  return {};
}

Result<engine::own::Wishes> WishesOf(const Invocation& invocation) {
  engine::own::Wishes wishes;
  wishes.function = invocation.Text("function").value_or("");
  TRY(shapes, NamedValues(invocation, "shape"));
  for (const auto& [name, shape] : shapes) {
    std::vector<std::string> axes = SplitWords(shape, ',');
    if (axes.empty()) {
      return Fail(Errc::kUsage,
                  "--shape " + name + "=" + shape + ": expected axes, as M,N");
    }
    wishes.shapes[name] = std::move(axes);
  }
  TRY(forms, NamedValues(invocation, "input"));
  wishes.forms.insert(forms.begin(), forms.end());
  TRY(values, NamedValues(invocation, "value"));
  for (const auto& [name, value] : values) {
    const auto number = ParseNumber<double>(value);
    if (!number || !std::isfinite(*number)) {
      return Fail(Errc::kUsage,
                  "--value " + name + "=" + value + ": expected a number");
    }
    wishes.values[name] = value;
  }
  TRY(sizes, NamedValues(invocation, "size"));
  for (const auto& [name, list] : sizes) {
    const auto refused =
        Fail(Errc::kUsage,
             "--size " + name + "=" + list + ": expected a size of at least 1");
    std::vector<std::int64_t> all;
    for (const std::string& size : SplitWords(list, ',')) {
      const auto number = ParseNumber<std::int64_t>(size);
      if (!number || *number < 1) return refused;
      all.push_back(*number);
    }
    if (all.empty()) return refused;
    wishes.sizes[name] = all.front();
    if (all.size() > 1) wishes.all_sizes[name] = std::move(all);
  }
  for (const std::string& name : invocation.Texts("in-place")) {
    wishes.in_place.insert(name);
  }
  return wishes;
}

void PrintAssumptions(const engine::own::Reading& reading,
                      const std::vector<std::string>& notes, Streams& streams) {
  Table table(
      {"argument", "is", "type", "shape or value", "values", "known, since"});
  for (const Argument& argument : reading.arguments) {
    std::string how = argument.part_how;
    for (const std::string* more : {&argument.shape_how, &argument.form_how}) {
      if (!more->empty()) how += (how.empty() ? "" : "; ") + *more;
    }
    const bool is_read = argument.part == ArgumentPart::kInput ||
                         argument.part == ArgumentPart::kInPlace;
    const bool is_float = eval::IsFloat(argument.dtype);
    const std::string any = !is_read ? "" : is_float ? "N(0, 1)" : "any";
    table.AddRow({argument.name, PartText(argument), argument.c_type,
                  ArgumentShapeText(reading, argument),
                  argument.form.empty() ? any : argument.form, how});
  }
  table.Print(streams);
  for (const std::string& note : notes) {
    streams.out << Printable(note) << "\n";
  }
}

std::string ShapesText(const std::vector<Workload>& workloads) {
  const bool is_fixed = std::ranges::all_of(
      workloads,
      [](const Workload& workload) { return workload.axes.empty(); });
  return is_fixed ? "one, which the file fixes"
                  : Joined(workloads, ", ", AxesText);
}

Verb NewVerb() {
  using config::Group;
  return {
      .name = "new",
      .summary =
          "make a task of a function in a file of C, C++, CUDA or Python",
      .arguments = "FILE [NAME]",
      .examples =
          "  coppice new kernel.cc\n"
          "  coppice new spmv.c --shape x=n --size n=4096\n"
          "  coppice new solvers.cc thomas --function solve --input "
          "b=positive\n"
          "  coppice new gemm.cc --expert blas.cc --link openblas\n"
          "  coppice new kernels.cu --function launch\n"
          "  coppice new mine.py:act --inputs 'randn(512, 512), 0.1'\n"
          "  coppice new policy mine.py   # a policy in Python to begin with\n",
      .options =
          {{"function", Takes::kText, "NAME", "of several, this one"},
           {"shape", Takes::kTexts, "ARRAY=M,N",
            "how large an array is, where its loops do not say it"},
           {"input", Takes::kTexts, "ARRAY=WHAT",
            "what it holds: positive, sorted, permutation, probabilities, "
            "index:N, csr:N, integers:LOW..HIGH"},
           {"value", Takes::kTexts, "NAME=NUMBER",
            "of an argument that is no size"},
           {"size", Takes::kTexts, "NAME=N",
            "of the first shape; below 16, of all; N,N,N: of each"},
           {"in-place", Takes::kTexts, "ARRAY",
            "it is read before it is written"},
           {"expert", Takes::kText, "FILE",
            "a kernel to compare with, called as the task's root is"},
           {"link", Takes::kTexts, "LIBRARY", "that the expert calls"},
           {"flags", Takes::kTexts, "FLAGS",
            "of its own: -DNAME=VALUE, -IFOLDER"},
           {"with", Takes::kTexts, "FILE", "whose text it needs, too"},
           {"inputs", Takes::kText, "ARGUMENTS",
            "of a function in Python: those of an example call"}},
      .settings =
          config::NamesIn({Group::kThreads, Group::kTimeouts, Group::kPython,
                           Group::kDevices, Group::kData, Group::kCache}),
      .first = {"function", "shape", "input", "value", "size"},
      .run = RunNew,
  };
}

}  // namespace coppice::cli
