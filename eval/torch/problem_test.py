"""Tests of problem.py: how a task's file is described and drawn from, and what is
said of one that is none."""

import json
import re
import unittest
import warnings
from typing import Any
from unittest import mock

import problem
import torch
import worker
import worker_test
from problem import Examined, ProblemWorker, Undrawn, one_line, place, renamed
from problem import shape_of
from worker import DTYPES
from worker_test import CONSTRUCT, LOAD, Parent

DESCRIBE, DRAW, STATE, CHECK, TRIAL_SEEDS, KEEP, STAGE, TAKE = range(16, 24)
JUDGE, REPEAT, SPOIL, VARIANTS, GROUND, HAND, WATCH, CROWDING = range(24, 32)

RULE = {
    "is_exact": False,
    "matching": None,
    "tolerances": [1e-4 if dtype is torch.float32 else 0.0 for dtype in DTYPES],
}
HEAD = "import torch\nfrom torch import nn\n"
MODEL = """
class Model(nn.Module):
    '''Doubles.'''
    def __init__(self, factor):
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(float(factor)))
    def forward(self, x, n):
        return self.factor * x
"""
INPUTS = "def get_inputs():\n    return [torch.rand(2, 3), 7]\n"
INIT = "def get_init_inputs():\n    return [2]\n"
WHOLE = HEAD + MODEL + INPUTS + INIT


class ProblemTest(unittest.TestCase):
    def setUp(self) -> None:
        self.parent = Parent(ProblemWorker)
        self.addCleanup(self.parent.close)
        self.worker = self.parent.worker
        patch = mock.patch.object(
            problem, "load_module", worker_test.loaded_from_text
        )
        patch.start()
        self.addCleanup(patch.stop)
        self.addCleanup(
            setattr,
            torch.backends.cudnn,
            "allow_tf32",
            torch.backends.cudnn.allow_tf32,
        )

    def orders(self, source: str, **others: Any) -> None:
        self.parent.orders(
            source=source,
            precision=0,
            casts_all=False,
            device="cpu",
            most_input_bytes=1 << 30,
            **others,
        )

    def load(self, source: str, **others: Any) -> None:
        self.orders(source)
        if others:
            self.parent.orders(
                **{
                    "source": source,
                    "precision": 0,
                    "casts_all": False,
                    "device": "cpu",
                    **others,
                }
            )
        self.parent.done(LOAD)

    def constructed(self, source: str, **others: Any) -> str:
        self.load(source, **others)
        return self.parent.done(CONSTRUCT, 0, 1)

    def unloaded(self, source: str) -> str:
        self.orders(source)
        return self.parent.refused(LOAD)

    def described(self, source: str) -> dict[str, Any]:
        self.constructed(source)
        self.orders(source)
        found: dict[str, Any] = json.loads(self.parent.done(DESCRIBE, 0, 1))
        return found

    def undescribed(self, source: str) -> str:
        self.constructed(source)
        self.orders(source)
        return self.parent.refused(DESCRIBE, 0, 1)


class LoadTest(ProblemTest):
    def test_what_is_missing_is_named(self) -> None:
        for rest, name in (
            (INPUTS + INIT, "Model"),
            (MODEL + INIT, "get_inputs"),
            (MODEL + INPUTS, "get_init_inputs"),
            (MODEL + INPUTS + "get_init_inputs = []\n", "get_init_inputs"),
        ):
            self.assertEqual(
                self.unloaded(HEAD + rest),
                f"defines no {name}; a KernelBench problem has a class Model, "
                "get_inputs() and get_init_inputs()",
            )

    def test_a_model_is_a_module_of_torchs(self) -> None:
        for model in ("class Model: ...\n", "def Model(): ...\n"):
            self.assertEqual(
                self.unloaded(HEAD + model + INPUTS + INIT),
                "Model is no class derived from torch.nn.Module",
            )

    def test_a_mistake_is_told_in_one_line_with_its_place(self) -> None:
        self.assertEqual(
            self.unloaded("import torch\nx = (\n"), "line 2: '(' was never closed"
        )
        self.assertEqual(
            self.unloaded("import torch\nraise ValueError('a\\n  b')\n"),
            "line 2: ValueError: a b",
        )
        self.assertEqual(
            self.unloaded("\n\nimport no_such_module_anywhere\n"),
            "line 3: ModuleNotFoundError: No module named "
            "'no_such_module_anywhere'; install it for the Python that --python "
            "names",
        )
        self.assertEqual(
            self.unloaded("raise SystemExit\n"), "line 1: SystemExit: "
        )

    def test_tensor_cores_round_only_by_kernelbenchs_protocol(self) -> None:
        for casts_all in (True, False):
            self.load(WHOLE, casts_all=casts_all)
            self.assertEqual(torch.backends.cudnn.allow_tf32, casts_all)


class ConstructTest(ProblemTest):
    def test_arguments_are_told_as_a_literal(self) -> None:
        self.assertEqual(self.constructed(WHOLE), "[2]")
        pair = "def get_init_inputs():\n    return (3, )\n"
        self.assertEqual(self.constructed(HEAD + MODEL + INPUTS + pair), "[3]")

    def test_what_is_no_literal_is_refused(self) -> None:
        for value in ("[torch.ones(1)]", "[float('nan')]", "[nn.ReLU]", "[{1}, x]"):
            self.load(
                HEAD + MODEL + INPUTS + "x = object()\n"
                f"def get_init_inputs():\n    return {value}\n"
            )
            self.assertEqual(
                self.parent.refused(CONSTRUCT, 0, 1),
                "get_init_inputs() returns something that is no plain number, "
                "text, list, tuple or dict",
            )

    def test_what_is_no_list_is_refused(self) -> None:
        self.load(HEAD + MODEL + INPUTS + "def get_init_inputs():\n    return 2\n")
        self.assertEqual(
            self.parent.refused(CONSTRUCT, 0, 1),
            "get_init_inputs() returns a int; expected a list of arguments",
        )

    def test_parameters_are_those_of_the_seed_and_of_the_precision(self) -> None:
        source = WHOLE.replace("torch.tensor(float(factor))", "torch.rand(3)")
        found = []
        for seed in (1, 2, 1):
            self.load(source, precision=1)
            self.parent.done(CONSTRUCT, 0, seed)
            found.append(self.worker.model.factor.tolist())
            self.assertEqual(self.worker.model.factor.dtype, torch.float16)
        self.assertEqual(found[0], found[2])
        self.assertNotEqual(found[0], found[1])

    def test_what_arguments_draw_does_not_change_parameters(self) -> None:
        source = WHOLE.replace("torch.tensor(float(factor))", "torch.rand(3)")
        found = []
        for draws in ("", "torch.rand(1); "):
            self.load(source.replace("return [2]", f"{draws}return [2]"))
            self.parent.done(CONSTRUCT, 0, 1)
            found.append(self.worker.model.factor.tolist())
        self.assertEqual(found[0], found[1])

    def test_another_case_has_nothing_of_the_one_before(self) -> None:
        self.constructed(
            WHOLE + "def SELECT_CASE(number):\n    global chosen\n"
            "    chosen = number\n"
        )
        trusted_tensors = self.worker.trusted_tensors = mock.Mock()
        self.worker.scalars = [1]
        self.worker.returned = [torch.ones(1)]
        self.parent.done(CONSTRUCT, 0, 1, 5)
        trusted_tensors.release.assert_called_once_with()
        self.assertIsNone(self.worker.trusted_tensors)
        self.assertEqual(self.worker.scalars, [])
        self.assertEqual(self.worker.returned, [])
        self.assertEqual(self.worker.module.chosen, 5)

    def test_the_state_is_told_by_names(self) -> None:
        self.constructed(WHOLE)
        self.assertEqual(json.loads(self.parent.done(STATE)), ["factor"])
        self.assertEqual([float(x) for x in self.worker.returned], [2.0])


class DrawTest(ProblemTest):
    def drawn(self, seed: int, variant: int = 0) -> list[Any]:
        self.parent.done(DRAW, 0, seed, variant)
        return list(self.worker.returned)

    def test_inputs_are_those_of_the_seed(self) -> None:
        self.constructed(WHOLE)
        one, other, again = (self.drawn(seed)[0] for seed in (1, 2, 1))
        self.assertTrue(torch.equal(one, again))
        self.assertFalse(torch.equal(one, other))
        # As the parent has them: 24 bytes of float32, and a number.
        tensor, number = self.parent.entries()
        self.assertEqual(tensor[1:6], (24, 0, 2, 2, 3))
        self.assertEqual(number[:4], (7, 8, 6, worker.SCALAR))

    def test_a_variant_is_made_of_them(self) -> None:
        self.constructed(WHOLE)
        plain, negated = self.drawn(1)[0], self.drawn(1, 1)[0]
        self.assertTrue(torch.equal(negated, -plain))

    def test_what_is_to_stay_as_it_is_does(self) -> None:
        self.constructed(
            WHOLE.replace("[torch.rand(2, 3), 7]", "[torch.rand(3), torch.rand(3)]")
            + "AS_THEY_ARE = (1,)\n"
        )
        plain, negated = self.drawn(1), self.drawn(1, 1)
        self.assertTrue(torch.equal(negated[0], -plain[0]))
        self.assertTrue(torch.equal(negated[1], plain[1]))

    def typed(self, **others: Any) -> list[torch.dtype]:
        self.constructed(
            WHOLE.replace("7]", "torch.ones(2).double(), torch.arange(3)]")
            + others.pop("tail", ""),
            precision=2,
            **others,
        )
        return [one.dtype for one in self.drawn(1)]

    def test_numbers_have_the_precision_and_indices_their_own(self) -> None:
        self.assertEqual(
            self.typed(), [torch.bfloat16, torch.bfloat16, torch.int64]
        )

    def test_kernelbenchs_protocol_casts_all(self) -> None:
        self.assertEqual(self.typed(casts_all=True), [torch.bfloat16] * 3)

    def test_a_definition_has_its_own_types(self) -> None:
        self.constructed(
            WHOLE.replace("torch.rand(2, 3)", "torch.ones(2).half()")
            + "KEEPS_TYPES = True\n"
        )
        self.assertEqual(self.drawn(1)[0].dtype, torch.float16)

    def test_inputs_are_dense_and_ask_for_no_gradients(self) -> None:
        self.constructed(
            WHOLE.replace("rand(2, 3)", "rand(2, 3).t().requires_grad_()")
        )
        one = self.drawn(1)[0]
        self.assertTrue(one.is_contiguous())
        self.assertFalse(one.requires_grad)

    def refused_for(self, argument: str) -> str:
        self.constructed(WHOLE.replace("7]", f"{argument}]"))
        return self.parent.refused(DRAW, 0, 1)

    def test_what_is_no_input_is_refused_by_its_place(self) -> None:
        self.assertEqual(
            self.refused_for("'text'"),
            "argument 2 of get_inputs() is a str; expected a tensor or a number",
        )
        self.assertEqual(
            self.refused_for("torch.eye(3).to_sparse()"),
            "argument 2 of get_inputs() is a sparse tensor; expected a dense one",
        )
        self.assertEqual(
            self.refused_for("torch.ones(1, dtype=torch.uint8)"),
            "argument 2 of get_inputs() is a tensor of torch.uint8, which is not "
            "supported",
        )

    def test_by_kernelbenchs_protocol_a_draw_is_kept_and_never_lent(self) -> None:
        self.constructed(
            WHOLE + "count = 0\ndef get_inputs():\n    global count\n"
            "    count += 1\n    return [torch.rand(2), 7]\n",
            casts_all=True,
        )
        first = self.worker.inputs(1)
        right = first[0].clone()
        first[0].zero_()  # As a model may do.
        self.assertTrue(torch.equal(self.worker.inputs(1)[0], right))
        self.assertEqual(self.worker.module.count, 1)
        self.assertFalse(torch.equal(self.worker.inputs(2)[0], right))
        self.assertEqual(self.worker.module.count, 2)

    def test_seeds_of_trials_are_kernelbenchs(self) -> None:
        torch.manual_seed(42)
        expected = [torch.randint(0, 2**32 - 1, (1,)).item() for _ in range(3)]
        found = json.loads(self.parent.done(TRIAL_SEEDS, 0, 42, 3))
        self.assertEqual(found, expected)


class KeptTest(ProblemTest):
    """Inputs that go by a trusted side, as on a device."""

    def setUp(self) -> None:
        super().setUp()
        self.constructed(WHOLE)
        self.parent.orders(memory_bytes=1 << 20, most_sets=3)
        self.found = json.loads(self.parent.done(KEEP, 0, 1, 2))

    def test_kernel_workers_are_told_where_they_are(self) -> None:
        # Inputs of two sides, and outputs of two.
        self.assertEqual(len(self.found), 4)
        self.assertEqual([one["sets"] for one in self.found], [3] * 4)
        tensor, number = self.found[0]["tensors"]
        self.assertEqual(tensor["shape"], [2, 3])
        self.assertEqual(number, {"value": 7})

    def test_they_are_drawn_there(self) -> None:
        self.parent.done(DRAW, 1, 5)
        self.assertEqual(self.parent.entries(), [])  # None for the parent.
        self.assertTrue(
            torch.equal(
                self.worker.trusted_tensors.drawn[1][0], self.worker.inputs(5)[0]
            )
        )

    def again(self, returned: str) -> str:
        source = HEAD + f"def get_inputs():\n    return [{returned}]\n"
        exec(source, self.worker.module.__dict__)  # pylint: disable=exec-used
        return self.parent.refused(DRAW, 0, 5)

    def test_what_changes_from_call_to_call_cannot_be_there(self) -> None:
        self.assertEqual(
            self.again("torch.rand(2, 3), 8"),
            "get_inputs() returns other numbers from call to call, which cannot "
            "be on a device",
        )
        for other in (
            "torch.rand(3, 2)",
            "torch.ones(2, 3, dtype=torch.int64)",
            "torch.rand(2, 3), torch.rand(1)",
        ):
            self.assertEqual(
                self.again(other + ", 7"),
                "get_inputs() returns other shapes or types from call to call",
            )

    def test_both_sides_are_judged_by_what_was_taken(self) -> None:
        for seed in (0, 1):
            self.parent.done(DRAW, seed, seed)
        for side in (0, 1):
            self.parent.done(STAGE, side, 0, 2)
        trusted_tensors = self.worker.trusted_tensors
        for taken in trusted_tensors.taken[0] + trusted_tensors.taken[1]:
            taken[0].fill_(3.0)
        trusted_tensors.taken[1][1][0][0, 2] = 4.0
        self.parent.orders(**RULE | {"scale": 1.0})
        found = json.loads(self.parent.done(JUDGE, 0, 0, 2))
        self.assertFalse(found["changed_input"])
        self.assertEqual([one["wrong"] for one in found["findings"]], [0, 1])
        trusted_tensors.shown[1][0][0][0, 0] += 1
        found = json.loads(self.parent.done(JUDGE, 0, 0, 2))
        self.assertEqual(found, {"changed_input": True, "findings": []})

    def test_it_takes_as_soon_as_it_is_told_and_leaves_its_processors(self) -> None:
        trusted_tensors = self.worker.trusted_tensors = mock.Mock()
        trusted_tensors.take.return_value = {"was_there": True}
        trusted_tensors.device_contention = None
        self.worker.aside = [4, 5]
        control = mock.MagicMock()
        control.__getitem__.side_effect = [0, 0, 1]
        with (
            mock.patch.object(self.worker, "control", control),
            mock.patch("os.sched_yield") as wait,
            mock.patch("os.sched_getaffinity", return_value={0, 1}),
            mock.patch("os.sched_setaffinity") as affinity,
        ):
            found = self.parent.done(TAKE, 1, 0, 2)
        self.assertEqual(json.loads(found), {"was_there": True})
        self.assertEqual(wait.call_count, 2)
        control.__getitem__.assert_called_with(-1)
        # The second of those that are left, the first is the parent's.
        self.assertEqual(
            [list(call.args[1]) for call in affinity.call_args_list],
            [[5], [0, 1]],
        )
        trusted_tensors.choose.assert_called_once_with(1, 2)
        trusted_tensors.take.assert_called_once_with(1, 2, self.worker.fetch)
        self.assertEqual(
            json.loads(self.parent.done(CROWDING, 0, 0, 9)), {"times": 0.0}
        )
        trusted_tensors.device_contention = mock.Mock()
        trusted_tensors.device_contention.times.return_value = 1.5
        self.assertEqual(
            json.loads(self.parent.done(CROWDING, 0, 0, 9)), {"times": 1.5}
        )
        seconds = trusted_tensors.device_contention.times.call_args.args[0]
        self.assertAlmostEqual(seconds, 9e-6)

    def test_where_none_are_left_it_stays_where_it_is(self) -> None:
        self.worker.trusted_tensors = mock.Mock(device_contention=None)
        self.worker.trusted_tensors.take.side_effect = RuntimeError
        with (
            mock.patch.object(self.worker, "control", [1]),
            mock.patch("os.sched_getaffinity", return_value={0, 1}),
            mock.patch("os.sched_setaffinity") as affinity,
        ):
            self.parent.refused(TAKE, 1, 0, 2)
        # And it is there again whatever happens.
        self.assertEqual(
            [call.args[1] for call in affinity.call_args_list],
            [{0, 1}, {0, 1}],
        )

    def test_a_kernel_worker_is_watched_by_its_notes(self) -> None:
        trusted_tensors = self.worker.trusted_tensors = mock.Mock()
        self.worker.descriptors = [5]
        self.parent.done(WATCH, 1)
        trusted_tensors.watch.assert_called_once_with(1, 5)

    def test_what_a_kernel_worker_has_is_fetched_by_its_number(self) -> None:
        for given, found in (([], None), ([8], 8)):
            with mock.patch.object(
                self.worker, "ask", return_value=({}, given)
            ) as ask:
                self.assertEqual(self.worker.fetch(12), found)
            ask.assert_called_once_with("12")


class DescribeTest(ProblemTest):
    def test_a_problem_is_what_it_takes_and_gives(self) -> None:
        self.assertEqual(
            self.described(WHOLE),
            {
                "inputs": [
                    {"name": "x", "dtype": 0, "shape": [2, 3]},
                    {"name": "n", "dtype": 6, "shape": None},
                ],
                "outputs": [{"dtype": 0, "shape": [2, 3]}],
                "description": "Doubles.",
                "root": WHOLE.replace("Model(", "ModelNew("),
            },
        )

    def test_arguments_without_names_are_numbered(self) -> None:
        source = WHOLE.replace("x, n)", "x, *n)").replace("7]", "7, 8]")
        found = self.described(source)
        self.assertEqual(
            [one["name"] for one in found["inputs"]], ["x", "input2", "input3"]
        )

    def test_closeness_of_its_own_is_told(self) -> None:
        closeness = {"relative": 0.1, "absolute": 0.2}
        found = self.described(WHOLE + f"CLOSENESS = {closeness}\n")
        self.assertEqual(found["closeness"], closeness)

    def test_more_bytes_than_there_may_be_are_told_before_they_are_drawn(
        self,
    ) -> None:
        # 2^40 numbers of four bytes.
        source = WHOLE.replace("2, 3", "1 << 20, 1 << 20")
        self.assertEqual(self.described(source), {"input_bytes": 1 << 42})

    def test_just_as_many_may_be(self) -> None:
        self.constructed(WHOLE)
        for most, is_described in ((24, True), (23, False)):
            self.parent.orders(source=WHOLE, most_input_bytes=most)
            found = json.loads(self.parent.done(DESCRIBE, 0, 1))
            self.assertEqual("root" in found, is_described)

    def test_bytes_that_depend_on_values_are_not_known(self) -> None:
        self.constructed(
            WHOLE.replace("7]", "int(torch.rand(1).item() > 2)]")
        )
        self.assertEqual(self.worker.input_bytes(), 0)

    def test_shapes_that_change_are_refused(self) -> None:
        changing = (
            "size = 0\ndef get_inputs():\n    global size\n    size += 1\n"
            "    return [torch.rand(size), 7]\n"
        )
        self.assertEqual(
            self.undescribed(HEAD + MODEL + changing + INIT),
            "get_inputs() returns other shapes or types from call to call",
        )

    def test_a_model_that_gives_nothing_is_refused(self) -> None:
        for result, told in (
            ("[]", "Model.forward returns nothing"),
            (
                "None",
                "Model.forward: it returned a NoneType; expected a torch.Tensor, "
                "or a tuple of them",
            ),
            (
                "(x[:0], x[:0])",
                "its outputs have no element by which a kernel could be judged",
            ),
            (
                "x.to(torch.uint8)",
                "what Model.forward returned is a tensor of torch.uint8, which "
                "is not supported",
            ),
            ("x @ x", None),
        ):
            source = WHOLE.replace("self.factor * x", result)
            found = self.undescribed(source)
            if told is None:  # Shapes that do not match: the line is told.
                line = source.split("x @ x")[0].count("\n") + 1
                self.assertTrue(
                    found.startswith(f"line {line}: RuntimeError: "), found
                )
            else:
                self.assertEqual(found, told)

    def test_one_output_with_elements_is_enough(self) -> None:
        found = self.described(WHOLE.replace("self.factor * x", "(x[:0], x)"))
        self.assertEqual(
            [one["shape"] for one in found["outputs"]], [[0, 3], [2, 3]]
        )

    def test_a_definition_says_how_many_outputs_there_are(self) -> None:
        self.assertEqual(
            self.undescribed(WHOLE + "OUTPUTS_OF_RUN = 2\n"),
            "its reference returns 1 tensors, not 2",
        )

    def test_of_several_cases_it_is_told_which(self) -> None:
        tail = "def WHERE():\n    return 'test 3: '\nOUTPUTS_OF_RUN = 2\n"
        self.assertEqual(
            self.undescribed(WHOLE + tail),
            "test 3: its reference returns 1 tensors, not 2",
        )
        failing = WHOLE.replace("self.factor * x", "1 / 0") + tail
        self.assertTrue(
            self.undescribed(failing).startswith("test 3: line "),
        )


class RepeatTest(ProblemTest):
    def repeated(self, forward: str) -> tuple[int, str]:
        self.constructed(WHOLE.replace("self.factor * x", forward))
        self.parent.orders(**RULE)
        return self.parent.ask(REPEAT, 0, 1)

    def test_equal_inputs_and_seeds_give_equal_outputs(self) -> None:
        for forward in ("self.factor * x", "x + torch.rand_like(x)"):
            kind, text = self.repeated(forward)
            self.assertEqual(kind, worker.DONE, text)
            self.assertGreaterEqual(json.loads(text)["call_s"], 0.0)

    def test_what_remembers_is_no_problem(self) -> None:
        kind, text = self.repeated("self.factor.add_(1) * x")
        self.assertEqual(kind, worker.REFUSED)
        self.assertRegex(
            text,
            "its Model gives other outputs for equal inputs and an equal random "
            "generator: element 0 is .*, then .*; 6 elements differ",
        )
        first, second = map(float, re.findall(r"(\d\.\d+)", text))
        # 2 + 1, then 2 + 2, times the same number.
        self.assertAlmostEqual(second / first, 4 / 3, places=5)


class ExaminedTest(ProblemTest):
    def setUp(self) -> None:
        super().setUp()
        self.constructed(WHOLE)
        self.examined = Examined(self.worker, 10)

    def test_draws_are_by_number_after_the_seed(self) -> None:
        self.assertTrue(
            torch.equal(self.examined.draws(3)[0], self.worker.inputs(13)[0])
        )
        self.assertTrue(
            torch.equal(self.examined.draws(3, 1)[0], -self.worker.inputs(13)[0])
        )

    def test_another_precision_is_a_copys(self) -> None:
        wide = torch.ones(2, 3, dtype=torch.float64)
        (found,) = self.examined.outputs([wide, 7], torch.float64)
        self.assertEqual(found.dtype, torch.float64)
        self.assertEqual(self.worker.model.factor.dtype, torch.float32)

    def test_numbers_that_a_model_draws_are_the_same_for_all(self) -> None:
        self.constructed(WHOLE.replace("self.factor * x", "torch.rand(3)"))
        examined = Examined(self.worker, 10)
        inputs = examined.draws(0)
        first, second = (examined.outputs(inputs)[0] for _ in range(2))
        self.assertTrue(torch.equal(first, second))
        self.assertTrue(examined.is_random)
        self.constructed(WHOLE)
        examined.outputs(inputs)
        self.assertFalse(examined.is_random)

    def test_the_model_is_itself_again_when_a_call_fails(self) -> None:
        model = self.worker.model
        with self.assertRaises(TypeError):
            self.examined.outputs([], torch.float64)
        self.assertIs(self.worker.model, model)

    def test_mixed_precision_is_torchs(self) -> None:
        self.constructed(WHOLE.replace("self.factor * x", "x @ x.t()"))
        examined = Examined(self.worker, 10)
        inputs = examined.draws(0)
        (found,) = examined.mixed_outputs(inputs, torch.bfloat16)
        self.assertEqual(found.dtype, torch.bfloat16)

    def test_requests_are_passed_on(self) -> None:
        self.parent.orders(rule=RULE, has_variants=False)
        found = json.loads(self.parent.done(SPOIL, 0, 1))
        self.assertEqual(found[0]["name"], "zeros")
        self.assertTrue(all(one["verdict"] == one["expected"] for one in found))
        found = json.loads(self.parent.done(VARIANTS, 0, 1))
        self.assertIn([1, "negated"], found)
        # The 6 numbers, of 4 bytes each, differ from draw to draw.
        found = json.loads(self.parent.done(GROUND, 0, 1))
        self.assertEqual(found, {"bytes": 24})

    def test_sources_are_read_by_the_rule_that_is_asked_for(self) -> None:
        for order, verdict in (
            ({"source": "x = 1", "entry": "x", "delegation": "any"}, "passed"),
            ({"source": "x = 1", "entry": "y"}, "compile_failed"),
            ({"operations": ["aten::mm"], "delegation": "no_vendor_op"}, "rejected"),
        ):
            self.parent.orders(**order)
            found = json.loads(self.parent.done(CHECK))
            self.assertEqual(found["verdict"], verdict)

    def test_inputs_are_handed_over_on_the_host(self) -> None:
        self.parent.done(HAND, 0, 3)
        self.assertTrue(
            torch.equal(self.worker.returned[0], self.worker.inputs(3)[0])
        )
        self.assertEqual(len(self.parent.entries()), 2)


class FreeTest(ProblemTest):
    def test_memory_is_left_after_what_calls_the_model_alone(self) -> None:
        self.constructed(WHOLE)
        with mock.patch.object(self.worker, "free") as free:
            self.parent.done(DRAW, 0, 1)
            self.parent.done(STATE)
            free.assert_not_called()
            self.orders(WHOLE)
            self.parent.done(DESCRIBE, 0, 1)
            free.assert_called_once_with()

    def test_it_is_left_where_there_is_a_device_in_use(self) -> None:
        for is_used in (True, False):
            with (
                mock.patch("torch.cuda.is_initialized", return_value=is_used),
                mock.patch("torch.cuda.empty_cache") as empty,
            ):
                ProblemWorker.free()
            self.assertEqual(empty.called, is_used)


class DrawingPlaceTest(ProblemTest):
    """The device "meta" stands for one."""

    def place_on(self, device: str, **others: Any) -> str:
        self.constructed(WHOLE, **others)
        self.worker.runs_on = device
        return str(self.worker.drawing_place(1))

    def test_inputs_are_drawn_where_the_model_runs(self) -> None:
        self.assertEqual(self.place_on("meta"), "meta")
        self.assertEqual(self.place_on("cpu"), "cpu")

    def test_kernelbench_draws_on_the_host(self) -> None:
        self.assertEqual(self.place_on("meta", casts_all=True), "cpu")

    def test_a_problem_that_wants_values_draws_on_the_host(self) -> None:
        self.constructed(WHOLE)
        self.worker.runs_on = "meta"
        for error in (RuntimeError, TypeError, ValueError):
            with mock.patch.object(self.worker, "inputs", side_effect=error):
                self.assertEqual(self.worker.drawing_place(1), "cpu")


class TextTest(unittest.TestCase):
    def test_the_reference_is_renamed_and_nothing_else(self) -> None:
        self.assertEqual(
            renamed("# Model\nclass Model(M):\n  s = 'Model'; Models, Model = 1, 2"),
            "# Model\nclass ModelNew(M):\n  s = 'Model'; Models, ModelNew = 1, 2",
        )
        self.assertEqual(
            renamed("super(Model, self); Model()\n"),
            "super(ModelNew, self); ModelNew()\n",
        )

    def test_a_place_is_in_a_file_of_the_users(self) -> None:
        self.assertEqual(place("/tmp/problem.py", 3, ""), "line 3: ")
        self.assertEqual(
            place("/tmp/problem.py", 3, "reference.py "), "reference.py line 3: "
        )
        self.assertEqual(
            place("/solution/a/utils.py", 4, ""), "a/utils.py line 4: "
        )
        self.assertEqual(
            place("/tmp/problem.py", None, "reference.py "), "reference.py "
        )
        self.assertIsNone(place("/usr/lib/python3/json.py", 3, ""))

    def test_errors_of_a_kind_are_told_in_their_words(self) -> None:
        self.assertEqual(
            one_line(ValueError("x" * 300)), "ValueError: " + "x" * 300
        )
        self.assertEqual(
            one_line(ValueError("x" * 301)), "ValueError: " + "x" * 300 + "..."
        )
        self.assertEqual(one_line(MemoryError()), "out of memory")
        self.assertEqual(
            one_line(RuntimeError("DefaultCPUAllocator: can't allocate memory")),
            "out of memory",
        )
        with mock.patch("torch.cuda.is_available", return_value=False):
            self.assertEqual(
                one_line(RuntimeError("Found no NVIDIA driver for CUDA")),
                "it asks for a GPU, and torch finds none",
            )
        with mock.patch("torch.cuda.is_available", return_value=True):
            self.assertEqual(
                one_line(RuntimeError("CUDA error: 700")),
                "RuntimeError: CUDA error: 700",
            )

    def test_numbers_have_types_and_no_shape(self) -> None:
        self.assertEqual(shape_of(True), {"dtype": 10, "shape": None})
        self.assertEqual(shape_of(3), {"dtype": 6, "shape": None})
        self.assertEqual(shape_of(3.0), {"dtype": 0, "shape": None})
        self.assertEqual(
            shape_of(torch.ones(2, 1).half()), {"dtype": 1, "shape": [2, 1]}
        )


class UndrawnTest(unittest.TestCase):
    def test_nothing_is_drawn_and_shapes_are_there(self) -> None:
        torch.manual_seed(1)
        generator = torch.Generator()
        with torch.device("meta"), Undrawn():
            made = [
                torch.rand(2, 3),
                torch.randn((4,), dtype=torch.float16, generator=generator),
                torch.ones(5),
            ]
        self.assertTrue(all(one.is_meta for one in made))
        self.assertEqual([list(one.shape) for one in made], [[2, 3], [4], [5]])
        self.assertEqual(made[1].dtype, torch.float16)

    def test_no_generator_is_asked(self) -> None:
        state = torch.get_rng_state()
        with Undrawn():
            made = [torch.rand(3), torch.randn(3)]
        self.assertEqual([len(one) for one in made], [3, 3])
        self.assertTrue(torch.equal(torch.get_rng_state(), state))

    def test_into_a_tensor_it_is_drawn(self) -> None:
        place = torch.full((3,), 7.0)
        with Undrawn():
            torch.rand(3, out=place)
        self.assertTrue(bool((place < 1.0).all()))


class ProvidedTest(ProblemTest):
    def test_of_several_files_it_is_said_which(self) -> None:
        with mock.patch.object(problem, "provide", return_value=True):
            self.assertEqual(
                self.unloaded("import torch\nx = (\n"),
                "reference.py line 2: '(' was never closed",
            )


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    unittest.main()
