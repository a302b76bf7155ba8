from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.knowledge.reading.ledger import Ledger

NAMES = st.integers(0, 30).map(str)
SEEN = st.tuples(NAMES, st.sampled_from("ab"), st.sampled_from(["x.csv", "y.csv"]), st.integers(1, 2**39))


@settings(max_examples=100, deadline=None)
@given(st.lists(SEEN, max_size=60))
def test_it_answers_as_a_dictionary_would(seen: list[tuple[str, str, str, int]]) -> None:
    ledger, plain = Ledger(), dict[str, tuple[str, str]]()
    for name, digest, file, row in seen:
        before = plain.get(name)
        plain.setdefault(name, (digest, f"{file}:{row}"))
        wanted = None if before is None else "" if before[0] == digest else before[1]
        assert ledger.seen(name, digest, file, row) == wanted


def test_nothing_is_lost_when_it_grows() -> None:
    ledger = Ledger()
    for number in range(20_000):
        assert ledger.seen(f"id{number}", f"said{number}", f"file{number % 3}", number + 1) is None
    for number in range(20_000):
        assert ledger.seen(f"id{number}", f"said{number}", "z", 1) == ""
        assert ledger.seen(f"id{number}", "otherwise", "z", 1) == f"file{number % 3}:{number + 1}"
