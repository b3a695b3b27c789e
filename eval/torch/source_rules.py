"""Reads a candidate's source without running it: whether it can be one, and
whether it keeps to the task's rule on delegation.

The rules are those of a reader, and a determined writer deceives them; what
protects the verdict is that it is reached in another process.  What a source
only mentions is no offence: layers may hold parameters, and a text may be about
kernels.  What was called when it ran (call_tracer.py) decides then.
"""

import ast
import contextlib
import re
from typing import Any, Iterator

from call_tracer import GRAPH, KERNEL, LAYER

# What of torch, torch.nn.functional and torch.Tensor does a task's work by a vendor's
# kernel, rather than a step of one's own around it.
VENDOR_OPS = frozenset(
    """
    matmul mm bmm addmm addbmm baddbmm addmv mv dot vdot inner outer einsum
    tensordot chain_matmul multi_dot linear bilinear conv1d conv2d conv3d
    conv_transpose1d conv_transpose2d conv_transpose3d convolution
    scaled_dot_product_attention multi_head_attention_forward
    layer_norm rms_norm batch_norm group_norm instance_norm normalize
    local_response_norm softmax log_softmax softmin gumbel_softmax
    avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
    adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d lp_pool1d
    lp_pool2d cumsum cumprod logcumsumexp logsumexp sort argsort topk
    cross_entropy nll_loss kl_div smooth_l1_loss huber_loss mse_loss
    binary_cross_entropy triplet_margin_loss cosine_similarity
    gru lstm rnn_tanh rnn_relu embedding embedding_bag fft ifft rfft irfft
    svd qr cholesky inverse solve
    """.split()
)
# What they are called below, by the beginnings of their names.
VENDOR_KERNELS = ("convolution", "thnn_conv", "mkldnn", "mkl_", "cudnn", "miopen",
                  "scaled_dot_product", "scaled_mm", "native_layer_norm",
                  "native_batch_norm", "native_group_norm", "fused_rms_norm",
                  "max_pool", "avg_pool", "adaptive_", "cublas", "int_mm",
                  "weight_norm", "embedding", "thnn_fused", "linalg_")
# Or by a part of them, as _addmm_activation and mkldnn::_linear_pointwise are,
# where they are torch's: a kernel of one's own may be an operation, too.
PRODUCTS = frozenset("matmul mm bmm addmm baddbmm addbmm linear".split())
LIBRARIES = ("aten", "mkldnn", "onednn", "quantized", "prepacked", "xnnpack")
# What makes an extension of texts (extensions.py has the second).
EXTENSIONS = ("torch.utils.cpp_extension.load_inline", "extensions.load_solution")
# By which a source would find out that its call is recorded.
TELLTALES = frozenset("getprofile gettrace _profiler_enabled _profiler_type".split())
# What they call is seen nowhere when it runs, or not as what it was.
HIDING = ("torch.compile", "torch.jit", "torch.cuda.CUDAGraph",
          "torch.cuda.graph", "torch.cuda.graphs",
          "torch.cuda.make_graphed_callables")
# Modules that hold parameters or compute nothing.
HARMLESS_MODULES = frozenset(
    """
    Module Parameter ParameterList ParameterDict ModuleList ModuleDict
    Sequential Identity Buffer functional init
    """.split()
)
# What an extension's C++ or CUDA would call instead.
NATIVE_OPS = ("at::matmul", "at::mm(", "at::bmm", "at::addmm", "at::linear",
              "at::conv", "at::convolution", "at::softmax", "at::einsum",
              "torch::matmul", "torch::mm(", "torch::bmm", "torch::addmm",
              "torch::linear", "torch::conv", "torch::softmax",
              "cublas", "cudnn", "cutlass::library",
              # Operations are not recorded beside it.
              "RecordFunctionGuard", "enableRecordFunction")
# The same below torch's dispatcher, where nothing tells of a call.
NATIVE_BELOW = re.compile(
    r"\b(?:at|torch)::(?:\w+::)+(?:" + "|".join(sorted(VENDOR_OPS)) + r")\b"
)
# Products of matrices by the names that libraries export.  A kernel of one's own
# may well be called sgemm.
BLAS = re.compile(r"\b(?:cblas_[sdcz]gem[mv]|[sdcz]gem[mv]_)\b")


def check(source: str, order: dict[str, Any]) -> dict[str, str]:
    """`order` names the entry and the policy: any, no_vendor_op, own_kernels;
    and whether it is to run on a CPU."""
    try:
        return judged(ast.parse(source), order)
    except SyntaxError as error:
        # Without a line: what is no text, such as a zero byte.
        at = f"line {error.lineno}: " if error.lineno else ""
        return verdict("compile_failed", f"{at}{error.msg}")
    except ValueError as error:
        return verdict("compile_failed", f"it cannot be parsed: {error}")
    except (RecursionError, MemoryError):  # Whichever way it is read.
        return verdict("compile_failed", "it is nested too deeply to be read")


def judged(tree: ast.Module, order: dict[str, Any]) -> dict[str, str]:
    if order["entry"] not in defined(tree):
        return verdict("compile_failed", f"it defines no {order['entry']}")
    if order["delegation"] == "any":
        return verdict("passed", "")
    trees = [tree, *solution_files(tree)]
    found = next(
        filter(None, (vendor_calls(t) or native_calls(t) for t in trees)), ""
    )
    if found:
        return verdict("rejected", f"{found}; this task's rule is "
                       f"{order['delegation']}: no operation of a library may "
                       "do the work")
    if order["delegation"] == "own_kernels" and not any(
        has_kernel(t, order["on_cpu"]) for t in trees
    ):
        kernel = ("an extension in C++ by load_inline" if order["on_cpu"] else
                  "__global__ in what load_inline is given, or triton.jit")
        return verdict("rejected", f"it has no kernel of its own ({kernel}); "
                       "this task's rule is own_kernels")
    return verdict("passed", "")


def check_operations(names: list[str], order: dict[str, Any]) -> dict[str, str]:
    """What was called when it ran: "aten::addmm", ..., and what call_tracer.py saw."""
    for name in names:
        if is_vendors(name):
            return verdict("rejected", f"it calls {name} when it runs; this "
                           f"task's rule is {order['delegation']}")
    if order["delegation"] == "own_kernels" and not any(
        name == GRAPH or name.startswith(KERNEL) for name in names
    ):
        return verdict("rejected", "it calls no kernel of its own when it runs; "
                       "this task's rule is own_kernels")
    return verdict("passed", "")


def is_vendors(name: str) -> bool:
    if name == GRAPH or name.startswith(KERNEL):
        return False
    if name.startswith(LAYER):
        return name.removeprefix(LAYER) not in HARMLESS_MODULES
    library, _, operation = name.rpartition("::")
    operation = operation.split(".")[0].lstrip("_")
    if operation in VENDOR_OPS or operation.startswith(VENDOR_KERNELS):
        return True
    return library in LIBRARIES and not PRODUCTS.isdisjoint(operation.split("_"))


def solution_files(tree: ast.Module) -> list[ast.Module]:
    """The modules of a FlashInfer-Bench solution (trace_task.cc)."""
    files = []
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict):
            continue
        if [dotted(target) for target in node.targets] == ["_SOURCES"]:
            for value in node.value.values:
                with contextlib.suppress(SyntaxError, ValueError):
                    files.append(ast.parse(ast.literal_eval(value)))
    return files


def verdict(name: str, log: str) -> dict[str, str]:
    return {"verdict": name, "log": log}


def defined(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return names


def vendor_calls(tree: ast.Module) -> str:
    names = imported_names(tree, "torch")
    hiding = hides_calls(tree, names)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found = layer_calls(node, names)
            if found:
                return found
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return f"line {node.lineno}: it multiplies matrices by @"
        found = ""
        if isinstance(node, ast.Attribute):
            found = vendor_name(dotted(node), names, hiding)
        elif isinstance(node, ast.Name):
            if node.id in names:
                found = vendor_name(node.id, names, hiding)
        elif isinstance(node, ast.Call) and dotted(node.func) == "getattr":
            found = " ".join(
                argument.value
                for argument in node.args[1:2]
                if isinstance(argument, ast.Constant)
                and argument.value in VENDOR_OPS
            )
        elif isinstance(node, ast.Call):
            found = layer_name(node.func, names)
        if found:
            return f"line {node.lineno}: it uses {found}"
    return ""


def hides_calls(tree: ast.Module, names: dict[str, str]) -> str:
    """By which of HIDING; empty: by none."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)):
            whole = resolved(dotted(node), names)
            if any(is_of(whole, known) for known in HIDING):
                return whole
    return ""


def vendor_name(name: str, names: dict[str, str], hiding: str) -> str:
    """What `name`, as the source has it, is of torch; empty if harmless."""
    whole = resolved(name, names)
    owner, _, last = whole.rpartition(".")
    if owner == "torch.nn" and last[:1].isupper():
        # A layer.  It may not be called, which has to be seen.
        if not hiding or last in HARMLESS_MODULES:
            return ""
        return f"{whole} beside {hiding}, whose calls are not seen"
    # A method of one's own may be called as it likes, a tensor's may not.
    if last in VENDOR_OPS and owner and owner != "self":
        return whole
    if owner and (BLAS.fullmatch(last) or last in TELLTALES):  # By ctypes, say.
        return whole
    return ""


def layer_name(node: ast.AST, names: dict[str, str]) -> str:
    """Names torch's layer that an expression makes, as nn.Linear(3, 4) does."""
    if not isinstance(node, ast.Call):
        return ""
    whole = resolved(dotted(node.func), names)
    owner, _, last = whole.rpartition(".")
    if owner != "torch.nn" or not last[:1].isupper():
        return ""
    if last not in HARMLESS_MODULES:
        return whole
    # A Sequential is what it is made of.
    return next(
        filter(None, (layer_name(part, names) for part in node.args)), ""
    )


def layer_calls(owner: ast.ClassDef, names: dict[str, str]) -> str:
    """Finds self.layer(x), where that is one of torch's and nothing else."""
    layers: dict[str, str] = {}
    others = set()
    for node in ast.walk(owner):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        else:
            continue
        found = layer_name(node.value, names)
        for target in map(dotted, targets):
            if found and target.startswith("self."):
                layers[target] = found
            elif not found:
                others.add(target)
    for node in ast.walk(owner):
        if isinstance(node, ast.Call):
            called = dotted(node.func).removesuffix(".forward")
            if called in layers and called not in others:
                return f"line {node.lineno}: it calls {layers[called]}"
    return ""


def resolved(name: str, names: dict[str, str]) -> str:
    """With its first part's own name in that one's place."""
    first, _, rest = name.partition(".")
    return names.get(first, first) + ("." + rest if rest else "")


def imported_names(tree: ast.Module, package: str) -> dict[str, str]:
    """What the source's own names for parts of a package stand for."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname and is_of(alias.name, package):
                    names[alias.asname] = alias.name
        elif isinstance(node, ast.ImportFrom):
            if is_of(node.module or "", package):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    names[alias.asname or alias.name] = whole
    return names


def is_of(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value) or '?'}.{node.attr}"
    return ""


def texts(tree: ast.Module) -> list[str]:
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def native_calls(tree: ast.Module) -> str:
    for text in texts(tree):
        for op in NATIVE_OPS:
            if op in text:
                return f"its native code names {op.strip('(')}"
        found = NATIVE_BELOW.search(text) or BLAS.search(text)
        if found:
            return f"its native code names {found[0]}"
    return ""


def has_kernel(tree: ast.Module, on_cpu: bool) -> bool:
    return has_triton_kernel(tree) or any(
        on_cpu or "__global__" in without_comments(text)
        for text in extension_texts(tree)
    )


def has_triton_kernel(tree: ast.Module) -> bool:
    """A function that triton.jit decorates, or is called with."""
    names = imported_names(tree, "triton")
    for node in ast.walk(tree):
        makers = []
        if isinstance(node, ast.FunctionDef):
            makers = node.decorator_list
        elif isinstance(node, ast.Call) and node.args:
            makers = [node.func]
        for maker in makers:
            if isinstance(maker, ast.Call):  # @triton.jit(debug=True)
                maker = maker.func
            whole = resolved(dotted(maker), names)
            if is_of(whole, "triton") and whole.endswith(".jit"):
                return True
    return False


def extension_texts(tree: ast.Module) -> Iterator[str]:
    """What load_inline is called with, wherever the source has its texts."""
    names = imported_names(tree, "torch") | imported_names(tree, "extensions")
    meanings = definitions(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if resolved(dotted(node.func), names) in EXTENSIONS:
            seen: set[str] = set()
            for part in node.args + [word.value for word in node.keywords]:
                yield from texts_behind(part, meanings, seen)


def definitions(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """By names, of attributes too, what they are said to be."""
    meanings: dict[str, list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                name = dotted(target).rpartition(".")[2]
                if node.value is not None:
                    meanings.setdefault(name, []).append(node.value)
        elif isinstance(node, ast.FunctionDef):
            meanings.setdefault(node.name, []).append(node)
    return meanings


def texts_behind(
    node: ast.AST, meanings: dict[str, list[ast.AST]], seen: set[str]
) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        name = dotted(part).rpartition(".")[2]
        if name and name not in seen:
            seen.add(name)
            for meaning in meanings.get(name, []):
                yield from texts_behind(meaning, meanings, seen)


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
