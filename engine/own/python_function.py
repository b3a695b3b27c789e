"""A function in a Python file as a KernelBench problem.

usage: python -c THIS FILE FUNCTION INPUTS

FUNCTION is empty if the file has one only, and INPUTS are the arguments of an
example call, or empty if the file has a function that returns them.  Nothing
of the file is run: it is read, and what the function needs is copied as text.
Prints a JSON object with `text`, `function` and `notes`, or with `error`.
"""

import ast
import builtins
import json
import pathlib
import sys
from typing import Any, NoReturn

PRODUCERS = ("{}_inputs", "example_inputs", "get_inputs", "inputs")
# Makers of tensors in torch, which --inputs may call where the file says
# nothing else of them.
MAKERS = {"arange", "eye", "full", "linspace", "ones", "rand", "randint",
          "randn", "randperm", "tensor", "zeros"}
# What they do is no matter to what is computed.
LIGHT = {"compile", "no_grad", "inference_mode", "script", "jit", "njit"}
SEEDERS = {"manual_seed", "seed", "default_rng", "RandomState"}
TAKEN = {"Model", "ModelNew", "get_inputs", "get_init_inputs"}

RETURNED = '''

def _as_tensors(value):
    if isinstance(value, (list, tuple)):
        return [_as_tensors(one) for one in value]
    return torch.as_tensor(value)
'''


class Refusal(Exception):
    pass


def refuse(node: ast.AST | None, what: str) -> NoReturn:
    line = f"{node.lineno}: " if node is not None else ""  # type: ignore
    raise Refusal(line + what)


def names_in(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top level defines."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef,
                              ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(one.asname or one.name).split(".")[0]
                for one in statement.names}
    return {one.id for one in ast.walk(statement)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_lambda(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Lambda)


class Source:
    def __init__(self, path: str, name: str) -> None:
        self.path = pathlib.Path(path)
        try:
            text = self.path.read_text(encoding="utf-8-sig")
            self.lines = text.splitlines()
            self.tree = ast.parse(text)
        except SyntaxError as error:
            raise Refusal(f"{error.lineno}: {error.msg}") from error
        except UnicodeDecodeError as error:
            raise Refusal("is no text in UTF-8") from error
        self.notes: list[str] = []
        self.by_name: dict[str, ast.stmt] = {}
        for statement in self.tree.body:
            for bound in bound_by(statement):
                self.by_name[bound] = statement
        self.function = self.find(name or self.only())

    def only(self) -> str:
        """The function that no other uses."""
        functions = [one for one in self.tree.body
                     if isinstance(one, ast.FunctionDef)
                     and one.name not in PRODUCERS
                     and not one.name.endswith("_inputs")
                     and one.name != "main"]
        used = {name for one in functions for name in names_in(one)}
        free = [one.name for one in functions if one.name not in used]
        if not free:
            refuse(None, "no function is defined in it")
        if len(free) > 1:
            refuse(None, "has several functions; say which one: "
                   f"{self.path.name}:{free[0]} ({', '.join(free)})")
        return free[0]

    def find(self, name: str) -> ast.FunctionDef:
        found = self.by_name.get(name)
        if isinstance(found, ast.FunctionDef):
            self.must_be_plain(found)
            return found
        if isinstance(found, ast.AsyncFunctionDef):
            refuse(found, f"{name} is async")
        if isinstance(found, ast.ClassDef):
            refuse(found, f"{name} is a class; a file with a class Model, "
                   "get_inputs() and get_init_inputs() is a task as it is: "
                   f"kernelbench:{self.path.name}")
        if isinstance(found, (ast.Import, ast.ImportFrom)):
            refuse(found, f"{name} is imported; name the file that defines it")
        if found is not None:
            value = getattr(found, "value", None)
            refuse(found, f"{name} is a lambda; write it with def"
                   if is_lambda(value) else
                   f"{name} is a closure, made by what is called here; write "
                   "it with def at the top level")
        for outer in ast.walk(self.tree):
            for inner in ast.iter_child_nodes(outer):
                if isinstance(inner, ast.FunctionDef) and inner.name == name:
                    where = getattr(outer, "name", "a statement")
                    refuse(inner, f"{name} is a closure, defined within "
                           f"{where}; move it to the top level")
        refuse(None, f"no function is called {name}")

    def must_be_plain(self, function: ast.FunctionDef) -> None:
        arguments = function.args
        for star in (arguments.vararg, arguments.kwarg):
            if star is not None:
                refuse(star, f"{function.name} takes any number of arguments "
                       f"({star.arg}); a task has fixed ones")
        for decorator in function.decorator_list:
            if last_name(decorator) not in LIGHT:
                refuse(decorator, f"{function.name} is decorated by "
                       f"{ast.unparse(decorator)}; the task takes it plain")
            self.notes.append(f"without @{ast.unparse(decorator)}")
        for node in ast.walk(function):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                refuse(node, f"{function.name} keeps a state in "
                       f"{', '.join(node.names)}; a task has none")
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                refuse(node, f"{function.name} is a generator")

    def needed(self, roots: set[str]) -> list[ast.stmt]:
        """Statements that the names rest on, as they follow in the file."""
        wanted: list[ast.stmt] = []
        left = list(roots)
        seen: set[str] = set()
        while left:
            name = left.pop()
            statement = self.by_name.get(name)
            if name in seen or statement is None:
                continue
            seen.add(name)
            if statement in wanted:
                continue
            wanted.append(statement)
            left += names_in(statement) | bound_by(statement)
        for statement in wanted:
            self.must_be_of_others(statement)
        return [one for one in self.tree.body
                if one in wanted or is_future(one)]

    def must_be_of_others(self, statement: ast.stmt) -> None:
        """Files beside it do not travel with a task."""
        modules: list[str] = []
        if isinstance(statement, ast.Import):
            modules = [one.name for one in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            if statement.level > 0:
                refuse(statement, "a relative import; a task is one file")
            modules = [statement.module or ""]
        for module in modules:
            top = self.path.parent / module.split(".")[0]
            if top.with_suffix(".py").exists() or top.is_dir():
                refuse(statement, f"imports {module}, which lies beside it; a "
                       "task is one file")

    def unknown_names(self) -> None:
        """Those that neither the function nor its file defines."""
        function = self.function
        own = {one.arg for one in ast.walk(function)
               if isinstance(one, ast.arg)}
        for node in ast.walk(function):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                own.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                own |= bound_by(node)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                own.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
        for node in ast.walk(function):
            if not isinstance(node, ast.Name) or node.id in own:
                continue
            if node.id not in self.by_name and not hasattr(builtins, node.id):
                refuse(node, f"{node.id} is defined nowhere in it")


def is_future(statement: ast.stmt) -> bool:
    return (isinstance(statement, ast.ImportFrom)
            and statement.module == "__future__")


def is_of_numpy(statements: list[ast.stmt]) -> bool:
    for one in statements:
        if isinstance(one, ast.Import):
            if any(name.name.split(".")[0] == "numpy" for name in one.names):
                return True
        elif isinstance(one, ast.ImportFrom):
            if (one.module or "").split(".")[0] == "numpy":
                return True
    return False


def must_not_seed(node: ast.AST, offset: int = 0) -> None:
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and last_name(one.func) in SEEDERS:
            if offset:
                refuse(None, f"--inputs: {ast.unparse(one)} would give every "
                       "call the same inputs; leave it out")
            refuse(one, f"{ast.unparse(one)} would give every call the same "
                   "inputs; leave it out")


class WithTorch(ast.NodeTransformer):
    """randn(3) as torch.randn(3), where the file says nothing of randn."""

    def __init__(self, known: set[str]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in MAKERS or node.id in self.known:
            return node
        return ast.Attribute(ast.Name("torch", ast.Load()), node.id, node.ctx)


def example(source: Source, inputs: str) -> tuple[list[str], list[str], set[str]]:
    """Names of parameters, texts of their values, and names that these need."""
    function = source.function
    plain = [one.arg for one in (*function.args.posonlyargs,
                                 *function.args.args)]
    keywords = [one.arg for one in function.args.kwonlyargs]
    needs = plain[:len(plain) - len(function.args.defaults)]
    needs += [name for name, default in zip(keywords, function.args.kw_defaults)
              if default is None]
    try:
        call = ast.parse(f"f({inputs})", mode="eval").body
    except SyntaxError as error:
        raise Refusal(f"--inputs {inputs}: {error.msg}; it has the arguments "
                      f"of a call, such as 'randn(1024, 512)'") from error
    if not isinstance(call, ast.Call) or any(
            isinstance(one, ast.Starred) for one in call.args):
        refuse(None, f"--inputs {inputs}: is no list of arguments")
    must_not_seed(call, 1)
    values: dict[str, ast.expr] = {}
    if len(call.args) > len(plain):
        refuse(None, f"--inputs: {len(call.args)} arguments, and "
               f"{function.name} takes {len(plain)}")
    values |= dict(zip(plain, call.args))
    for keyword in call.keywords:
        if keyword.arg not in plain + keywords:
            refuse(None, f"--inputs: {function.name} has no argument "
                   f"{keyword.arg}")
        values[str(keyword.arg)] = keyword.value
    missing = [name for name in needs if name not in values]
    if missing:
        refuse(None, f"--inputs says nothing of {', '.join(missing)}")
    names = [name for name in plain + keywords if name in values]
    used: set[str] = set()
    texts = []
    for name in names:
        value = WithTorch(set(source.by_name)).visit(values[name])
        used |= names_in(value)
        texts.append(ast.unparse(ast.fix_missing_locations(value)))
    for name in sorted(used):
        if (name not in source.by_name and name not in ("torch", "np")
                and not hasattr(builtins, name)):
            refuse(None, f"--inputs: {name} is defined nowhere")
    return names, texts, used


def producer_of(source: Source) -> ast.FunctionDef | None:
    for form in PRODUCERS:
        found = source.by_name.get(form.format(source.function.name))
        if isinstance(found, ast.FunctionDef) and found is not source.function:
            if found.args.args and len(found.args.defaults) < len(
                    found.args.args):
                refuse(found, f"{found.name} takes arguments; it returns "
                       "example inputs of itself")
            must_not_seed(found)
            return found
    return None


def text_of(source: Source, statement: ast.stmt) -> str:
    """With its comments, where it has lines of its own."""
    first = statement.lineno
    decorators = getattr(statement, "decorator_list", [])
    if decorators and statement is not source.function:
        first = decorators[0].lineno
    others = [one for one in source.tree.body if one is not statement]
    if any(one.lineno == statement.end_lineno or one.end_lineno == first
           for one in others):
        return ast.unparse(statement)
    return "\n".join(source.lines[first - 1:statement.end_lineno])


def whole(path: str, name: str, inputs: str) -> dict[str, Any]:
    source = Source(path, name)
    function = source.function
    source.unknown_names()
    producer = None if inputs else producer_of(source)
    roots = {function.name}
    texts: list[str] = []
    if producer is not None:
        roots.add(producer.name)
        names = [one.arg for one in (*function.args.posonlyargs,
                                     *function.args.args)]
        source.notes.append(f"its inputs are what {producer.name}() returns")
    elif inputs or not function.args.args:
        names, texts, used = example(source, inputs)
        roots |= used
        source.notes.append("its inputs are what --inputs says")
    else:
        arguments = ", ".join(one.arg for one in function.args.args)
        refuse(function, f"{function.name}({arguments}) has no example inputs; "
               "say them with --inputs 'randn(1024, 512)', or define "
               f"{function.name}_inputs() that returns them")
    statements = source.needed(roots)
    clash = TAKEN & {name for one in statements for name in bound_by(one)}
    clash -= {producer.name} if producer is not None else set()
    if clash:
        refuse(source.by_name[min(clash)], f"{min(clash)} is a name that tasks "
               "have; give it another")
    of_numpy = is_of_numpy(statements)
    futures = [one for one in statements if is_future(one)]
    lines = [f"# Made of {source.path.name} by coppice new."]
    lines += [ast.unparse(one) for one in futures]
    lines += ["import torch"]
    if any("np" in names_in(ast.parse(text)) for text in texts):
        lines += ["import numpy as np"]
    for one in statements:
        if one in futures or text_of(source, one) in lines:
            continue
        is_long = isinstance(one, (ast.FunctionDef, ast.ClassDef))
        lines.append(("\n\n" if is_long else "") + text_of(source, one))
    lines.append(model(function, names, of_numpy, producer is not None))
    lines.append(inputs_text(producer, texts, of_numpy))
    if of_numpy:
        source.notes.append("it computes with numpy: on a processor, whatever "
                            "its inputs are on")
    return {"text": "\n".join(lines) + "\n", "function": function.name,
            "notes": source.notes}


def model(function: ast.FunctionDef, names: list[str], of_numpy: bool,
          takes_all: bool) -> str:
    keywords = {one.arg for one in function.args.kwonlyargs}
    passed = ["*inputs"] if takes_all else [
        f"{name}={name}" if name in keywords else name for name in names]
    parameters = ["*inputs"] if takes_all else names
    text = RETURNED if of_numpy else ""
    text += "\n\nclass Model(torch.nn.Module):\n"
    text += f"    def forward({', '.join(['self', *parameters])}):\n"
    if not of_numpy:
        return text + f"        return {function.name}({', '.join(passed)})"
    if takes_all:
        text += ("        inputs = [one.cpu().numpy() if torch.is_tensor(one) "
                 "else one\n                  for one in inputs]\n")
    for name in names if not takes_all else []:
        text += (f"        if torch.is_tensor({name}):\n"
                 f"            {name} = {name}.cpu().numpy()\n")
    return text + (f"        return _as_tensors({function.name}"
                   f"({', '.join(passed)}))")


def inputs_text(producer: ast.FunctionDef | None, texts: list[str],
                of_numpy: bool) -> str:
    text = ""
    made = "[" + ", ".join(texts) + "]"
    if producer is not None:
        made = f"{producer.name}()"
        if producer.name == "get_inputs":
            text += "\n_own_inputs = get_inputs\n"
            made = "_own_inputs()"
    text += "\n\ndef get_inputs():\n"
    if of_numpy or "np." in made:
        text += ("    import numpy\n"
                 "    numpy.random.seed(torch.initial_seed() % 2**32)\n")
    text += (f"    made = {made}\n"
             "    made = list(made) if isinstance(made, (list, tuple)) "
             "else [made]\n"
             "    return [torch.as_tensor(one) if hasattr(one, '__array__') "
             "else one\n            for one in made]\n")
    return text + "\n\ndef get_init_inputs():\n    return []"


def main(path: str, name: str, inputs: str) -> None:
    try:
        print(json.dumps(whole(path, name, inputs)))
    except Refusal as refusal:
        print(json.dumps({"error": str(refusal)}))


if __name__ == "__main__":
    main(*sys.argv[1:4])
