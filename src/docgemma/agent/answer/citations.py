"""Identifiers of articles and trials in text, in one form: was the cited one among the retrieved?"""

from __future__ import annotations

import re

_PMID = re.compile(
    r"\b(?:PMIDs?|PubMed\s*(?:IDs?|identifiers?|numbers?)?)\b[\s:#№=()\[\]*_-]*(?:is\s+|are\s+|no\.?\s*)?"
    r"(\d{1,9}(?:\s*(?:,|;|/|&|and)+\s*(?:PMID:?\s*)?\d{6,9})*)",
    re.IGNORECASE,
)
_PUBMED_URL = re.compile(r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d+)", re.IGNORECASE)
_NCT = re.compile(r"\bNCT[\s:#-]*(\d{4,10})\b", re.IGNORECASE)
_PMC = re.compile(r"\bPMC[\s:#-]*(?:ID[\s:#-]*)?(\d{4,9})\b", re.IGNORECASE)
_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"'<>\])},;]+)", re.IGNORECASE)
_REGISTRY = re.compile(
    r"\b(?:ISRCTN[\s:-]*(\d{8})|EudraCT[\s:]*(?:number|no\.?)?[\s:]*(\d{4}-\d{6}-\d{2}))\b", re.IGNORECASE
)


def citations(text: str) -> frozenset[str]:
    """Every identifier in the text: "PMID:123", "NCT01234567", "PMC123", "DOI:10.1/x", "ISRCTN12345678"."""
    found = {f"PMID:{int(number)}" for group in _PMID.findall(text) for number in re.findall(r"\d+", group)}
    found |= {f"PMID:{int(number)}" for number in _PUBMED_URL.findall(text)}
    found |= {f"NCT{number}" for number in _NCT.findall(text)}
    found |= {f"PMC{int(number)}" for number in _PMC.findall(text)}
    found |= {f"DOI:{doi.rstrip('.*_`').lower()}" for doi in _DOI.findall(text)}
    found |= {f"ISRCTN{isrctn}" if isrctn else f"EudraCT:{eudract}" for isrctn, eudract in _REGISTRY.findall(text)}
    return frozenset(found)
