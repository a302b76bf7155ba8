"""Every schema a model is ever asked for, with realistic questions. A new schema is added here and nowhere else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from docgemma.agent.schemas import (
    LONGEST_THOUGHT,
    ComplexityClassification,
    DecomposedIntent,
    IntentClassification,
    IntentDecomposition,
    PlannedCall,
    ResultAssessment,
    RetryStrategy,
    ThinkingOutput,
    ToolNeeds,
    ToolPlan,
    TriageDecision,
    narrowed,
    tool_selection,
)
from docgemma.agent.vision.schemas import ImageComparison, ImageFindings, ImageRegions
from docgemma.grounding.schemas import Extraction, evaluation
from docgemma.knowledge.consult.schemas import (
    LONGEST_EXPLANATION,
    Composed,
    Decided,
    RagDecision,
    RetrievalQuery,
    selection,
    topic_choice,
)
from docgemma.llm.asking import SelfTest
from docgemma.llm.contract import Message, Prompt
from docgemma.llm.schema import json_schema
from docgemma.tools.registry import TOOL_NAMES, TOOLS, Tool

SPACE_PER_VALUE = 30
"""Blanks and line breaks that llama.cpp's grammar allows around one value."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing the agent asks a model. `spec_tokens` is the node's budget in the specification."""

    name: str
    schema: type[BaseModel]
    instruction: str
    questions: tuple[str, ...]
    spec_tokens: int
    longest_string: int = 400
    listing: bool = False
    """Whether it lists flat objects: as many as a text has entities."""

    @property
    def sent(self) -> dict[str, Any]:
        """The JSON schema as it goes over the wire."""
        return json_schema(self.schema)

    @property
    def max_tokens(self) -> int:
        """The node's budget, or more if the longest valid answer needs it: a cut answer proves nothing."""
        return max(self.spec_tokens, longest(self.sent))

    def prompts(self) -> tuple[Prompt, ...]:
        return tuple(
            Prompt(self.name, messages=(Message("system", self.instruction), Message("user", question)))
            for question in self.questions
        )


def longest(schema: dict[str, Any]) -> int:
    """Tokens of the longest answer the schema allows, were every character (or half an escape) its own token."""
    if "enum" in schema or "const" in schema:
        choices = schema.get("enum") or [schema["const"]]
        return max(len(json.dumps(value)) for value in choices) + SPACE_PER_VALUE
    if "anyOf" in schema:
        return max(longest(option) for option in schema["anyOf"])
    match schema.get("type"):
        case "object":
            properties: dict[str, dict[str, Any]] = schema["properties"]
            return SPACE_PER_VALUE + sum(len(name) + 4 + longest(value) for name, value in properties.items())
        case "array":
            return SPACE_PER_VALUE + int(schema["maxItems"]) * (longest(schema["items"]) + 1)
        case "string":
            return 2 * int(schema["maxLength"]) + 2 + SPACE_PER_VALUE
        case _:
            return SPACE_PER_VALUE


TOOL_QUESTIONS: dict[str, tuple[str, str, str]] = {
    "check_drug_safety": (
        "Any boxed warning for dofetilide?",
        "Is metformin safe in stage 4 kidney disease?",
        "What does the label of Entresto say about pregnancy?",
    ),
    "check_drug_interactions": (
        "Can I give warfarin together with ibuprofen?",
        "Sildenafil, nitroglycerin and clarithromycin: any problem?",
        "Interaction of lithium with lisinopril and hydrochlorothiazide",
    ),
    "search_medical_literature": (
        "Evidence for SGLT2 inhibitors in heart failure with preserved ejection fraction?",
        "Find studies on ketamine for refractory status epilepticus.",
        "Recent systematic reviews of colchicine after myocardial infarction",
    ),
    "find_clinical_trials": (
        "Any recruiting trials for metastatic melanoma?",
        "Trials for Phelan-McDermid syndrome",
        "Completed studies of semaglutide in NASH",
    ),
    "search_patient": ("Find Maria Garcia.", "Look up O'Brien, Sean", "Who is the patient named Nguyễn Văn An?"),
    "get_patient_chart": (
        "Show the chart of patient abc-123.",
        "Summary for patient 402 please",
        "What is patient 4f2a99c1 taking?",
    ),
    "prescribe_medication": (
        "Prescribe metformin 500 mg twice daily for patient abc-123.",
        "Start patient 402 on amlodipine 5 mg once a day, in the morning",
        'Order "Lantus" 10 units at bedtime for 4f2a99c1',
    ),
    "add_allergy": (
        "Document that patient abc-123 gets hives from penicillin, moderate.",
        "Patient 402: anaphylaxis to peanuts",
        "Note a sulfa allergy (rash) for 4f2a99c1",
    ),
    "save_clinical_note": (
        "Save a progress note for patient abc-123: doing well, continue.",
        "Consult note for patient 402: no surgery needed",
        "Write a procedure note for 4f2a99c1: central line placed without complication",
    ),
    "analyze_medical_image": (
        "Is there a pneumothorax on this film?",
        "What does this CT show?",
        "Compare the left lower lobe with the right",
    ),
}


def _arguments(tool: Tool) -> Asked:
    instruction = f"Extract the arguments for the {tool.name} tool from the user's request.\n{tool.line()}"
    return Asked(f"arguments-{tool.name}", tool.args, instruction, TOOL_QUESTIONS[tool.name], 128)


def _selection(name: str, candidates: tuple[str, ...], questions: tuple[str, str, str]) -> Asked:
    tools = "\n".join(f"- {name}" for name in TOOL_NAMES)
    instruction = f"You are a clinical tool router. Select the single most appropriate tool.\n{tools}"
    return Asked(name, tool_selection(candidates), instruction, questions, 64)


CONSULTED: tuple[Asked, ...] = (
    Asked(
        "consult-decide",
        Decided,
        "You sort a message that was sent to a medical knowledge base.",
        ("Why do my gums bleed?", "Xin chào!", "And in children?"),
        256,
    ),
    Asked(
        "consult-rag-agent",
        RagDecision,
        "You plan the next step of answering a question from a medical knowledge base.",
        ("Question: why do gums bleed?\nSearches made: 0\nEntries found: none",),
        128,
    ),
    Asked(
        "consult-create-query",
        RetrievalQuery,
        "You write one search query for a medical knowledge base of questions and answers.",
        ("Conversation so far:\nUser: Why do gums bleed?\nUser's question: And in children?",),
        256,
    ),
    Asked(
        "consult-topic",
        topic_choice(("Răng trẻ em", "Bệnh răng và nướu", 'Pain "and" emergencies')),
        "You sort a question into one topic of a medical knowledge base.",
        ("Question: Vì sao nướu chảy máu?",),
        128,
    ),
    Asked(
        "consult-filter",
        selection(5),
        "You choose which entries of a medical knowledge base help to answer a question.",
        ("Question: why do gums bleed?\n[Candidate 1] Why do gums bleed?\n[Candidate 2] Why do gums shrink?",),
        64,
    ),
    Asked(
        "consult-compose",
        Composed,
        "Explain the answer to the question in one sentence, using only the entry.",
        ("Question: why do gums bleed?\n[Entry 1]\nGums bleed mostly because plaque inflames them.",),
        700,
        longest_string=LONGEST_EXPLANATION,
    ),
)

CRITERION = "<criterion_text>No gout flare within 30 days; serum urate above 6 mg/dL</criterion_text>"

GROUNDED: tuple[Asked, ...] = (
    Asked(
        "image-findings",
        ImageFindings,
        "Say what an X-ray shows, as it was told to you.",
        ("The X-ray shows a small left pleural effusion and a heart of normal size.",),
        512,
    ),
    Asked(
        "image-comparison",
        ImageComparison,
        "Say how the second X-ray differs from the first, as it was told to you.",
        ("The effusion of last week has become smaller; the heart is as it was.",),
        600,
    ),
    Asked(
        "image-regions",
        ImageRegions,
        "Give the boxes that were told to you.",
        ("An effusion at y 500 to 750 and x 250 to 500.",),
        512,
        listing=True,
    ),
    Asked(
        "ground-extract",
        Extraction,
        "List the medical entities of this eligibility criterion.",
        (CRITERION,),
        1024,
        listing=True,
    ),
    Asked(
        "ground-evaluate",
        evaluation(2, 3, refine=True),
        "Choose the best candidate for each entity, or give other search terms.",
        (f"{CRITERION}\n[Entity 1] gout flare\n  1. gout\n[Entity 2] serum urate\n  no candidates",),
        512,
        listing=True,
    ),
    Asked(
        "ground-evaluate-last",
        evaluation(1, 3, refine=False),
        "Choose the best candidate for the entity.",
        (f"{CRITERION}\n[Entity 1] gout flare\n  1. gout\n  2. gouty arthritis\n  3. pseudogout",),
        512,
        listing=True,
    ),
)

TRIAGED: tuple[Asked, ...] = (
    Asked(
        "triage",
        narrowed(TriageDecision, TOOL_NAMES, "tool"),
        "Choose how to handle the clinician's message; for lookup also the tool and what to look up.",
        ("Thanks!", "Any boxed warning for dofetilide?", "Find Maria Garcia, then check her chart."),
        128,
    ),
    Asked(
        "triage-without-entries",
        narrowed(TriageDecision, ("check_drug_safety", "search_medical_literature"), "tool"),
        "Choose how to handle the clinician's message; for lookup also the tool and what to look up.",
        ("Best antihypertensive in stage 3 kidney disease?",),
        128,
    ),
    Asked(
        "tool-needs",
        narrowed(
            ToolNeeds,
            ("check_drug_safety", "check_drug_interactions", "get_patient_chart", "none"),
            "first_tool",
            "second_tool",
        ),
        "Read a chain of clinical reasoning and decide what still has to be looked up.",
        ("Question: add lisinopril?\nReasoning so far: the interaction with amlodipine should be checked.",),
        192,
    ),
    Asked(
        "decomposition",
        IntentDecomposition,
        "Take the request apart into subtasks. First say how many there are.",
        ("Find Maria Garcia, read her chart and check metformin.", "Warfarin with ibuprofen?"),
        384,
    ),
    Asked(
        "tool-plan",
        narrowed(ToolPlan, (*TOOL_NAMES, "none"), "tool_name"),
        "Select the single most appropriate tool for the subtask, and say what to look up.",
        ("Request: dofetilide and amiodarone?\nSubtask: warnings for amiodarone", "Subtask: sum up"),
        128,
    ),
)

DECOMPOSED: tuple[Asked, ...] = (
    Asked(
        "complexity",
        ComplexityClassification,
        "Classify if this clinical query needs external tools/data or can be answered directly.",
        ("Query: Define hypertension", "Query: Check FDA warnings for dofetilide", "Query: Thank you"),
        128,
    ),
    Asked(
        "thinking",
        ThinkingOutput,
        "Extensively think and reason about the following user prompt.",
        ("Query: 'Is metformin safe for patient abc-123?'",),
        512,
        longest_string=LONGEST_THOUGHT,
    ),
    Asked(
        "decomposed",
        DecomposedIntent,
        "Decompose the user's request into actionable subtasks.",
        ("User query: Check warfarin with ibuprofen, and find trials for melanoma.\nImage attached: no",),
        512,
        listing=True,
    ),
    Asked(
        "planned-call",
        PlannedCall,
        "Select the tool for one subtask of a clinician's request, and give its arguments.",
        ("User query: Any boxed warning for dofetilide?\nSubtask: look up the boxed warning",),
        256,
        listing=True,
    ),
)

ASKED: tuple[Asked, ...] = (
    *TRIAGED,
    *CONSULTED,
    *GROUNDED,
    *DECOMPOSED,
    Asked(
        "self-test",
        SelfTest,
        "Answer in one word.",
        ("Name one colour of the rainbow.", "What is two plus two?", "Which organ pumps blood?"),
        64,
    ),
    Asked(
        "intent",
        IntentClassification,
        "Classify the user's query as DIRECT or TOOL_NEEDED and give a brief clinical summary.",
        ("What is hypertension?", "Prescribe metformin 500 mg for patient abc-123.", "Thanks, that helps!"),
        256,
    ),
    _selection(
        "selection-of-all",
        TOOL_NAMES,
        ("Any boxed warning for dofetilide?", "Find Maria Garcia.", "Trials for melanoma?"),
    ),
    _selection(
        "selection-narrowed",
        ("check_drug_safety", "check_drug_interactions"),
        ("Is warfarin safe?", "Warfarin with ibuprofen?", "Nothing to do here."),
    ),
    _selection(
        "selection-on-re-entry",
        ("get_patient_chart", "none"),
        ("Show Maria Garcia's chart.", "Is anything else needed?", "Warfarin with ibuprofen?"),
    ),
    _selection("selection-of-nothing-else", ("none",), ("Done?", "Is anything else needed?", "Find Maria Garcia.")),
    *(_arguments(tool) for tool in TOOLS),
    Asked(
        "assessment",
        ResultAssessment,
        "You are evaluating a tool result. Classify the quality of the data returned.",
        (
            "Question: boxed warning for dofetilide?\nResult: Boxed warning: start in a facility with ECG monitoring.",
            "Question: trials for Phelan-McDermid syndrome?\nResult: no studies found.",
            "Question: warfarin with ibuprofen?\nResult: the service did not answer in time.",
        ),
        128,
    ),
    Asked(
        "retry",
        RetryStrategy,
        "A tool failed. Choose whether to retry it as it is or with different arguments.",
        ("Timeout after 10 s.", "No drug is called 'warfrin'.", "The server answered with an error."),
        64,
    ),
)
