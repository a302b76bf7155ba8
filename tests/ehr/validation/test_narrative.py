"""Narratives are shown to people: formatting stays, anything that could run is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.validation.primitives import is_narrative


@pytest.mark.parametrize(
    "inside",
    [
        "a",
        "<p>a<br/>b</p>",
        "&lt;script&gt; &eacute; &#233;",
        '<img src="#pic" alt="x"/>',
        '<a href="https://example.org/x?a=b&amp;c">x</a>',
        '<a href="Patient/1">x</a>',
        '<table><tr><td style="color: red" class="x">1</td></tr></table>',
        "<!-- a remark -->b",
        '<p style="background: url(data: image/png;base64,QQ==)">a</p>',
    ],
)
def test_basic_formatting_is_taken(inside: str) -> None:
    assert is_narrative(f'<div xmlns="http://www.w3.org/1999/xhtml">{inside}</div>')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "<p>no div</p>",
        "<div/>",
        "<div> &nbsp;\n</div>",
        "<div>a</div><div>b</div>",
        "<div>a",
        "<div><p>a</div></p>",
        "<div>a<br></div>",
        "<div>&unknown;</div>",
        "<div><script>x()</script></div>",
        "<div><SCRIPT>x()</SCRIPT></div>",
        '<div onclick="x()">a</div>',
        '<div><a href="javascript:x()">a</a></div>',
        '<div><a href=" JaVaScRiPt:x()">a</a></div>',
        '<div><img src="data:text/html,x"/></div>',
        '<div><a href="data:image/svg+xml,x">a</a></div>',
        '<div style="background: url(https://example.org/x)">a</div>',
        '<div><form action="x"><input/></form></div>',
        '<div><iframe src="https://example.org"/>a</div>',
        "<div><object/>a</div>",
        '<div><svg xmlns="http://www.w3.org/2000/svg"/>a</div>',
        '<div xmlns="http://www.w3.org/2000/svg">a</div>',
        '<?xml-stylesheet href="x"?><div>a</div>',
        '<!DOCTYPE div [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><div>&b;</div>',
        '<!DOCTYPE div SYSTEM "file:///etc/passwd"><div>a</div>',
        "<div>\ud800</div>",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    assert not is_narrative(text)


@given(st.text(alphabet='<>/="&; divscrpt\x00\ud800', max_size=60))
def test_no_text_breaks_the_reading(text: str) -> None:
    assert is_narrative(f"<div>{text}</div>") in (True, False)
