"""Constants that rooms and files share: kinds, statuses, outcomes, metadata keys, exit codes, file names.

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
STYLES = ("typing", "voice", "nonnative", "register", "verbosity", "dialect")
"""The kinds of variants that say it as other people do: one style each."""
HUMAN = "human"
"""The kind of variants that people wrote, which come with the dataset."""
VOICES = ("terse", "chatty", "formal", "non_native", "out_of_order")
"""The kinds of the hand-written wordings that ship with otherwords: one voice each."""
SHIPPED = "shipped"
"""In place of a variants file: those wordings."""
KINDS = (PARAPHRASE, FORMAT, OPTIONS, NATURALISTIC, *STYLES, POSITION, CONTROL, HUMAN, LLM)
"""The kinds of variants that our own families make, in the order in which they are listed."""

CheckStatus: TypeAlias = Literal["pass", "fail", "flag", "not_applicable"]
"""What one check says of one variant."""
PASS: CheckStatus = "pass"
FAIL: CheckStatus = "fail"
FLAG_STATUS: CheckStatus = "flag"
NOT_APPLICABLE: CheckStatus = "not_applicable"
Layer: TypeAlias = Literal["invariant", "flag", "judge", "person"]
"""Who speaks of a variant: checks that refuse, checks that ask for a look, a model, or a person."""
INVARIANT: Layer = "invariant"
FLAG: Layer = "flag"
JUDGE: Layer = "judge"
PERSON: Layer = "person"
JUDGING = (JUDGE, "entailment", "embedding")
"""The checks of the third layer, by name: models that speak of the meaning of both wordings."""
VettedStatus: TypeAlias = Literal["accepted", "rejected", "undecided"]
"""What became of a variant: it is asked, it is not, or nobody decided and it is not asked until then."""

Status: TypeAlias = Literal["scored", "unscored", "error", "limit", "missing"]
"""What became of one run of one wording."""
SCORED: Status = "scored"
UNSCORED: Status = "unscored"
ERROR: Status = "error"
LIMIT: Status = "limit"
MISSING: Status = "missing"
STATUSES: tuple[Status, ...] = (SCORED, UNSCORED, ERROR, LIMIT, MISSING)
Outcome: TypeAlias = Literal[
    "answered",
    "unreadable",
    "refused",
    "filtered",
    "truncated",
    "limit",
    "agent_error",
    "provider_error",
    "missing",
]
"""What happened in one run of one wording, told apart from its score."""
ANSWERED: Outcome = "answered"
UNREADABLE: Outcome = "unreadable"
"""There is an answer, and the scorer could not read it."""
REFUSED: Outcome = "refused"
"""The model said that it will not answer."""
FILTERED: Outcome = "filtered"
"""The provider's content filter ended the answer."""
TRUNCATED: Outcome = "truncated"
"""The answer ended at the limit of its tokens, or of the model's context."""
LIMITED: Outcome = "limit"
"""A limit of the sample (messages, tokens, time, cost) ended it."""
AGENT_ERROR: Outcome = "agent_error"
"""The agent's own code failed, hung or returned something else than an answer; its score is 0."""
PROVIDER_ERROR: Outcome = "provider_error"
"""The model's provider or the machine failed; there is no score."""
NOT_RUN: Outcome = "missing"
"""It never ran, or its wording was not shown to the model; there is no score."""
OUTCOMES: tuple[Outcome, ...] = (
    ANSWERED,
    UNREADABLE,
    REFUSED,
    FILTERED,
    TRUNCATED,
    LIMITED,
    AGENT_ERROR,
    PROVIDER_ERROR,
    NOT_RUN,
)
AGENT_FAILED, PROVIDER_FAILED = "agent: ", "provider or machine: "
"""How an error, or the reason of a row without a score, begins where it is told whose failure it was."""
FORMAT_FAILURE = "format"
"""The reason of an unscored row whose answer could not be read."""
INVALID_FORMAT, NO_RESPONSE = "invalid_response_format", "no_response"
"""Inspect's own reasons of a score for an answer that could not be read, or was none."""
NO_MODEL_CALL, SWALLOWED_ERRORS = "no model call", "swallowed errors"
WORDING_NOT_SEEN = "wording not seen"
"""Our reasons of a score that was taken away: no model was asked, its errors were hidden by the solver, or it
was shown the original prompt."""

INTERRUPTIONS = ("CancelledError(", "Cancelled(")
"""How the error of a sample begins that was under way when its run was interrupted: it was never run."""

AuditLabel: TypeAlias = Literal["clean", "ambiguous", "unanswerable"]
"""What an audit says of one item and its options."""
CLEAN: AuditLabel = "clean"
AMBIGUOUS: AuditLabel = "ambiguous"
UNANSWERABLE: AuditLabel = "unanswerable"
AUDIT_LABELS: tuple[AuditLabel, ...] = (CLEAN, AMBIGUOUS, UNANSWERABLE)

MILD, MEDIUM, STRONG = "mild", "medium", "strong"
STRENGTHS = (MILD, MEDIUM, STRONG, NATURALISTIC)
"""How far a rewording by a model may go from the original."""
USER_TRAITS = ("impatient", "confused", "sceptical", "verbose")
"""What a simulated user may be like."""
SPREAD = "spread"
"""In place of a strength: one rewording of each, in turn."""
DEFAULT_STRENGTH = SPREAD

OWN_PREFIX = "otherwords_"
"""Before our metadata keys where a sample has a key of the same name, and before our keys of a log."""
ITEM_ID = "item_id"
VARIANT = "variant"
KIND = "kind"
CHANGE = "change"
PARAPHRASE_ID = "paraphrase_id"
PERTURBATION_KIND = "perturbation_kind"
DISTANCE = "distance"
"""How far a wording is from the original, in words: 0 to 1."""
OPTION_ORDER = "option_order"
SEED = "seed"
PRED_INDEX = "pred_index"
TARGET_INDEX = "target_index"
CONFIDENCE = "confidence"
SAME_RUNS = "both sides are the same runs"
"""The reason of a change between two runs that has no interval: there are not two."""
TEMPLATE, WORDING, LEVELS = "template", "wording", "levels"
"""Columns of the outcome table: which wording of the template and of the item itself a variant has, and the
level of each factor of a design. In the metadata of a sample they have our prefix always."""
ITEM, SYSTEM, TOOLS = "item", "system", "tools"
PLACES = (ITEM, SYSTEM, TEMPLATE, TOOLS)
"""What `--vary` can name: the item's own text, the system message, the instruction around that text, and the
descriptions of tools."""
WORDING_KEYS = (VARIANT, KIND, CHANGE, PARAPHRASE_ID, PERTURBATION_KIND, DISTANCE)
"""Metadata keys of a sample that tell its wording; the outcome table has columns of the same names."""
PLACES_KEY = OWN_PREFIX + "places"
"""Metadata key of a sample: its own texts in place of those that the task's samples share, by place."""
DESIGN_COLUMNS = (TEMPLATE, WORDING, LEVELS)
WORDING_COLUMNS = (*WORDING_KEYS, *DESIGN_COLUMNS)
"""Columns of the outcome table that tell a wording."""
VARIANT_KEYS = (ITEM_ID, *WORDING_KEYS, OPTION_ORDER, SEED)
"""Metadata keys of a sample that a run writes."""
SAMPLE_KEYS = (*VARIANT_KEYS, PRED_INDEX, TARGET_INDEX, CONFIDENCE)
"""Metadata keys of a sample that results are read from."""
EXTERNAL_AGENT = "external_agent"
"""Metadata key of a sample: true where an agent answered whose model calls Inspect does not see."""
SETTINGS_KEY = OWN_PREFIX + "settings"
"""Metadata key of a log: a hash of what must be equal for two runs to be parts of one."""
FINGERPRINT_KEY = OWN_PREFIX + "fingerprint"
"""Metadata key of a log: for each part (task, solver, scorer, …) a hash that the parts of one run share."""
SOURCES_KEY = OWN_PREFIX + "sources"
"""Metadata key of a log: the files, packages and arguments behind its fingerprint, to name what changed."""
CONTENT_KEY = OWN_PREFIX + "content"
"""Metadata key of a sample: a hash of all that it is, told apart from the samples of an earlier run by it."""
SCORER_KEY = OWN_PREFIX + "scorer"
"""Metadata key of a log: which of several scores counts, `name` or `name.key`, where the run was told."""
UNTIL_KEY = OWN_PREFIX + "until"
"""Metadata key of a log: when its run may stop, as `metrics.sequential.StoppingRule.to_json` gives it."""
AGAIN_KEY = OWN_PREFIX + "again"
"""Metadata key of a sample that asks its wording once more than the others: 1 for the first such sample. Its
repeats come after those of the wording's first sample."""
SHARD_KEY = OWN_PREFIX + "shard"
"""Metadata key of a log: which part of its run's items it asks, such as `3/40`, where there are several."""
OUTCOME_KEY = OWN_PREFIX + "outcome"
"""Metadata key of a score: the `Outcome` of its sample, written while it ran."""
TOOL_CALLS_KEY = OWN_PREFIX + "tool_calls"
"""Metadata key of a score: which tools its sample called, as `core.tool_calls` writes it; absent if none."""
USER_ERRORS_KEY = OWN_PREFIX + "user_errors"
"""Metadata key of a score: the errors of its simulated user; empty if none, absent if not known."""
MODEL_CALLS_KEY = OWN_PREFIX + "model_calls"
"""Metadata key of the same: how often its sample asked a model before it was scored."""
AGENT_NAME_KEY = "agent_name"
"""Metadata key of a log: what the agent is called in tables, in place of its model's name."""
PUBLIC_ITEM = r"^item-[0-9a-f]{16}$"
"""How items are called in a table that was redacted for publication; answers are hashed for each of them."""
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
CANDIDATES_FILE, SCREEN, CONFIRM = "candidates.json", "screen", "confirm"
"""What a repair keeps: its candidates, beside `logs`, which has a folder for each of its two stages."""
VARIANTS_FILE = "variants.jsonl"
"""Where a run that was given no variants file keeps its own, beside its logs."""

HOW_IT_IS_SENT = frozenset(
    {
        *("max_connections", "adaptive_connections", "max_retries", "batch", "cache_prompt"),
        *("timeout", "attempt_timeout", "stream_idle_timeout"),
    }
)
"""Inspect's generation settings that change when an answer comes, or its price, and not the answer."""
