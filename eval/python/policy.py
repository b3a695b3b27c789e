"""Reads a candidate's source without running it: whether it can be one, and
whether it keeps to the task's rule on delegation.

The rules are those of a reader, and a determined writer deceives them; what
protects the verdict is that it is reached in another process.
"""

import ast
from typing import Any

# Of torch, torch.nn.functional and torch.Tensor: what does a task's work by a
# vendor's kernel, rather than a step of one's own around it.
VENDOR_OPS = frozenset(
    """
    matmul mm bmm addmm addbmm baddbmm addmv mv dot vdot inner outer einsum
    tensordot chain_matmul linear bilinear conv1d conv2d conv3d
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
              "cublas", "cudnn", "cutlass::library")


def check(source: str, order: dict[str, Any]) -> dict[str, str]:
    """`order` names the entry and the policy: any, no_vendor_op, own_kernels."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        return verdict("compile_failed", f"line {error.lineno}: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return verdict("compile_failed", f"it cannot be parsed: {error}")
    if order["entry"] not in defined(tree):
        return verdict("compile_failed", f"it defines no {order['entry']}")
    if order["delegation"] == "any":
        return verdict("passed", "")
    found = vendor_calls(tree) or native_calls(tree)
    if found:
        return verdict("rejected", f"{found}; this task's rule is "
                       f"{order['delegation']}: no operation of a library may "
                       "do the work")
    if order["delegation"] == "own_kernels" and not has_kernel(tree):
        return verdict("rejected", "it has no kernel of its own (load_inline, "
                       "Triton); this task's rule is own_kernels")
    return verdict("passed", "")


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
    names = torch_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return f"line {node.lineno}: it multiplies matrices by @"
        found = ""
        if isinstance(node, ast.Attribute):
            found = vendor_name(dotted(node), names)
        elif isinstance(node, ast.Name):
            found = vendor_name(node.id, names) if node.id in names else ""
        elif isinstance(node, ast.Call) and dotted(node.func) == "getattr":
            found = " ".join(
                argument.value
                for argument in node.args[1:2]
                if isinstance(argument, ast.Constant)
                and argument.value in VENDOR_OPS
            )
        if found:
            return f"line {node.lineno}: it uses {found}"
    return ""


def vendor_name(name: str, names: dict[str, str]) -> str:
    """What `name`, as the source has it, is of torch; empty if harmless."""
    first, _, rest = name.partition(".")
    whole = names.get(first, first) + ("." + rest if rest else "")
    owner, _, last = whole.rpartition(".")
    if owner == "torch.nn" and last not in HARMLESS_MODULES:
        return whole if last[:1].isupper() else ""
    # A method of one's own may be called as it likes, a tensor's may not.
    if last in VENDOR_OPS and owner and owner != "self":
        return whole
    return ""


def torch_names(tree: ast.Module) -> dict[str, str]:
    """What the source's own names for parts of torch stand for."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname and alias.name.startswith("torch"):
                    names[alias.asname] = alias.name
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").startswith("torch"):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    names[alias.asname or alias.name] = whole
    return names


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
    return ""


def has_kernel(tree: ast.Module) -> bool:
    return any("__global__" in text for text in texts(tree)) or any(
        isinstance(node, ast.Attribute) and dotted(node) == "triton.jit"
        for node in ast.walk(tree)
    )
