"""Every name that crosses a room or a file, once: metadata keys, kinds, statuses, strengths, audit labels.

The columns of tables are in `core.table`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

ORIG = "orig"
"""The variant that is the original, byte for byte; also its kind."""
CONTROL = "control"
"""The kind of variants that change the problem on purpose: the answer must change."""
FAULT = "fault"
"""The kind of rows in which tools or services fail; read from results of others, never made here."""
LLM = "llm"
"""The kind of variants that a model writes."""
PARAPHRASE = "paraphrase"
"""The kind of variants that say the same in other words, by rules."""
FORMAT = "format"
"""The kind of variants that change only layout, punctuation or what is put around the prompt."""
OPTIONS = "options"
"""The kind of variants that show the options in another order or with other marks."""
POSITION = "position"
"""The kind of variants that move parts of the prompt to another place."""
NATURALISTIC = "naturalistic"
"""A kind, and a strength of a model's rewordings: as people type in a hurry."""
KINDS = (PARAPHRASE, FORMAT, OPTIONS, NATURALISTIC, POSITION, CONTROL, LLM)
"""The kinds of variants that our own families make, in the order in which they are listed."""

CheckStatus: TypeAlias = Literal["pass", "fail", "not_applicable"]
"""What one check says of one variant."""
PASS: CheckStatus = "pass"
FAIL: CheckStatus = "fail"
NOT_APPLICABLE: CheckStatus = "not_applicable"

Status: TypeAlias = Literal["scored", "unscored", "error", "limit", "missing"]
"""What became of one run of one wording."""
SCORED: Status = "scored"
UNSCORED: Status = "unscored"
ERROR: Status = "error"
LIMIT: Status = "limit"
MISSING: Status = "missing"
STATUSES: tuple[Status, ...] = (SCORED, UNSCORED, ERROR, LIMIT, MISSING)
FORMAT_FAILURE = "format"
"""The reason of an unscored row whose answer could not be read."""
INVALID_FORMAT, NO_RESPONSE = "invalid_response_format", "no_response"
"""Inspect's own reasons of a score for an answer that could not be read, or was none."""
NO_MODEL_CALL, SWALLOWED_ERRORS = "no model call", "swallowed errors"
WORDING_NOT_SEEN = "wording not seen"
"""Our reasons of a score that was taken away: no model was asked, its errors were hidden by the solver, or it
was shown the original prompt."""

AuditLabel: TypeAlias = Literal["clean", "ambiguous", "unanswerable"]
"""What an audit says of one item and its options."""
CLEAN: AuditLabel = "clean"
AMBIGUOUS: AuditLabel = "ambiguous"
UNANSWERABLE: AuditLabel = "unanswerable"
AUDIT_LABELS: tuple[AuditLabel, ...] = (CLEAN, AMBIGUOUS, UNANSWERABLE)

MILD, MEDIUM, STRONG = "mild", "medium", "strong"
STRENGTHS = (MILD, MEDIUM, STRONG, NATURALISTIC)
"""How far a rewording by a model may go from the original."""
DEFAULT_STRENGTH = MILD

OWN_PREFIX = "otherwords_"
"""Before our metadata keys where a sample has a key of the same name, and before our keys of a log."""
ITEM_ID = "item_id"
VARIANT = "variant"
KIND = "kind"
CHANGE = "change"
PARAPHRASE_ID = "paraphrase_id"
PERTURBATION_KIND = "perturbation_kind"
OPTION_ORDER = "option_order"
SEED = "seed"
PRED_INDEX = "pred_index"
TARGET_INDEX = "target_index"
CONFIDENCE = "confidence"
WORDING_KEYS = (VARIANT, KIND, CHANGE, PARAPHRASE_ID, PERTURBATION_KIND)
"""Metadata keys of a sample that tell its wording; the outcome table has columns of the same names."""
VARIANT_KEYS = (ITEM_ID, *WORDING_KEYS, OPTION_ORDER, SEED)
"""Metadata keys of a sample that a run writes."""
SAMPLE_KEYS = (*VARIANT_KEYS, PRED_INDEX, TARGET_INDEX, CONFIDENCE)
"""Metadata keys of a sample that results are read from."""
EXTERNAL_AGENT = "external_agent"
"""Metadata key of a sample: true where an agent answered whose model calls Inspect does not see."""
SETTINGS_KEY = OWN_PREFIX + "settings"
"""Metadata key of a log: a hash of what must be equal for two runs to be parts of one."""
AGENT_NAME_KEY = "agent_name"
"""Metadata key of a log: what the agent is called in tables, in place of its model's name."""
PUBLIC_KEY = OWN_PREFIX + "public"
"""Metadata key of a log that was redacted for publication."""

OK, NO, BAD_INPUT, CRASHED, INTERRUPTED = 0, 1, 2, 70, 130
"""Exit codes of every command; docs/exit-codes.md has the table."""
AUDIT_GATES = (AMBIGUOUS, UNANSWERABLE, "duplicates", "position", "length", "choices-only")
"""What `otherwords audit --fail-on` can refuse."""
AGENT_SECONDS = 600.0
"""How long an agent that is not Inspect's may take for one sample, as in HAL."""
DEFAULT_PARAPHRASER = "openai/gpt-4o-mini"
"""The model that writes variants where none is named."""

VARIANTS_FORMAT = "otherwords-variants"
"""The `format` in the first line of a variants file."""
