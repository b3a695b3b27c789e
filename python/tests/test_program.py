"""The package and the real program together."""

import pathlib
import unittest

import coppice_kernels as ck

from . import program

ROOT = pathlib.Path(__file__).parents[2]


@program.needed
class ServiceTest(unittest.TestCase):
    def test_it_judges_what_it_is_given(self) -> None:
        with ck.open(ROOT / "docs" / "data" / "level1.db") as h:
            root = h.campaign("row_sum").root.source
        assert root is not None
        wrong = root.replace("+=", "-=")
        self.assertNotEqual(root, wrong)
        stages: list[str] = []
        with ck.Evaluator() as e:
            verdicts = [
                r.verdict
                for r in e.map("row_sum", [root, wrong, "no C++"], tier="check")
            ]
            self.assertEqual(verdicts, ["passed", "wrong_output", "compile_failed"])
            again = e.evaluate(
                "row_sum",
                wrong,
                tier="check",
                progress=lambda p: stages.append(p.stage),
            )
            self.assertTrue(again.cached)
            self.assertIsNone(again.speedup)
            self.assertTrue(again.workloads[0].name.startswith("row_sum"))
            self.assertIn("wrong_output", again._repr_html_())
            with self.assertRaisesRegex(ck.Error, "row_summ"):
                e.evaluate("row_summ", root)
            with self.assertRaisesRegex(ck.UsageError, "tier"):
                e.evaluate("row_sum", root, tier="slow")  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
