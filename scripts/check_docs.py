#!/usr/bin/env python3
"""Checks that every link in the project's Markdown leads somewhere.

    scripts/check_docs.py [--self-test]

A link to a file must name a file or folder of the project, and `#anchor` a heading of that page
(by the rules of the usual Git hosts: lower case, blanks to dashes, punctuation dropped). Links to
other sites are not followed. Text in code fences and code spans is not a link.
"""

import re
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

from project_files import ROOT, project_files

FENCE = re.compile(r"^\s*(```|~~~)")
CODE_SPAN = re.compile(r"(`+)(?:(?!\1).)+\1")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s*\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
HTML_LINK = re.compile(r"""<(?:img|a)\b[^>]*?\b(?:src|href)=["']([^"']+)""", re.IGNORECASE)
HTML_ANCHOR = re.compile(r"""\b(?:id|name)=["']([^"']+)""", re.IGNORECASE)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
OTHER_SITE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def prose(text):
    """(line number, line) of everything outside code fences."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(text):
    found, seen = set(), {}
    for _, line in prose(text):
        found.update(HTML_ANCHOR.findall(line))
        heading = HEADING.match(line)
        if not heading:
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def links(text):
    for number, line in prose(text):
        line = CODE_SPAN.sub(" ", line)
        for pattern in (LINK, REFERENCE, HTML_LINK):
            for target in pattern.findall(line):
                yield number, target


def check(root, pages):
    errors, count = [], 0
    for page in pages:
        for number, target in links((root / page).read_text()):
            if OTHER_SITE.match(target):
                continue
            count += 1
            path, _, anchor = unquote(target).partition("#")
            file = (root / path.lstrip("/") if path.startswith("/") else
                    root / page.parent / path if path else root / page).resolve()
            where = f"{page}:{number}: {target}"
            if not file.is_relative_to(root.resolve()):
                errors.append(f"{where} leads out of the project")
            elif not file.exists():
                errors.append(f"{where}: no such file")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
                errors.append(f"{where}: {file.name} has no heading with the anchor #{anchor}")
    return count, errors


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "b.md").write_text("# One: `two`, three\n")
        (root / "a.md").write_text(
            "[ok](b.md) [ok](b.md#one-two-three) [ok](#top) [ok](https://example.org/x) `[no](x)`\n"
            "```\n[no](missing)\n```\n# Top\n[gone](c.md) [gone](b.md#four) [gone](#bottom) "
            "[out](../x.md)\n")
        _, errors = check(root, [Path("a.md")])
        assert len(errors) == 4 and all(e.startswith("a.md:6: ") for e in errors), errors
    print("docs_links: the check finds missing files, missing anchors and links out of the project")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    pages = project_files("*.md")
    count, errors = check(ROOT, pages)
    print("\n".join(errors + [f"docs_links: {count} links in {len(pages)} pages, {len(errors)} wrong"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
