"""The same search gives the same bytes in every process: runs are compared by their content."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.terminology.concepts import index_of

_ASK = """
import sys
from pathlib import Path
from docgemma.terminology.index.opening import open_index
from docgemma.terminology.search.searching import Searcher
searcher = Searcher(open_index(Path(sys.argv[1])))
for term in ("severe renal dysfunction", "cancer of breast or lung", "pulmonry absces", "stroke", "DM"):
    print([candidate.model_dump_json() for candidate in searcher.search(term)])
"""


def test_hash_seeds_change_nothing(tmp_path: Path) -> None:
    index_of(tmp_path).close()
    answers = {
        subprocess.run(
            [sys.executable, "-c", _ASK, str(tmp_path / "terms.sqlite")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
