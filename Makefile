# What people do with this repository. Needs Python 3.11 or newer and nothing else; everything lands in .venv.
PYTHON ?= python3
VENV := .venv
BENCH_VENV := .venv-bench
WORKERS := $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n < 3 ? 3 : n > 6 ? 6 : n)))
BIN := $(VENV)/bin
PIP := -m pip --disable-pip-version-check -qq
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
INSTALLED_BENCH := $(BENCH_VENV)/.installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: reader reader-eval help demo install install-dev test check lint types layers bench bench-full bench-docs knowledge torture weights embedder peer ray terms linking docs screenshots load packs lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: install ## Start DocGemma with embedded everything: no model, no internet needed
	@$(BIN)/docgemma demo

install: $(INSTALLED) ## Install DocGemma with the locked versions into .venv

install-dev: $(INSTALLED_DEV) ## The same, with what tests and checks need

test: $(INSTALLED_DEV) ## Run the tests; those whose PostgreSQL, Chromium or weights are absent say so and are skipped
	$(BIN)/python -m pytest -n $(WORKERS) --dist=loadscope --no-loadscope-reorder $(PYTEST_ARGS)

check: lint types layers test ## Everything a change must pass: lint, format, types, layers, tests

lint: $(INSTALLED_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED_DEV)
	$(BIN)/mypy --strict

layers: $(INSTALLED_DEV)
	$(BIN)/lint-imports

bench: $(INSTALLED_DEV) $(INSTALLED_BENCH) ## Measure everything at small sizes, beside its peers, in one table
	$(BIN)/python -m bench $(BENCH_ARGS)

bench-full: $(INSTALLED_DEV) $(INSTALLED_BENCH) ## Measure how each figure grows, at sizes tenfold apart
	$(BIN)/python -m bench --growth $(BENCH_ARGS)

bench-docs: $(INSTALLED_DEV) ## Write docs/benchmarks.md from what was measured last
	$(BIN)/python -m bench --page

knowledge: $(INSTALLED_DEV) ## Measure how well and how fast entries of the knowledge base are found
	$(BIN)/python -m bench.knowledge.retrieval $(KNOWLEDGE_ARGS)

linking: $(INSTALLED_BENCH) ## Measure how well names are linked to concepts, beside five other ways
	$(BENCH_VENV)/bin/python -m bench.linking $(LINKING_ARGS)

load: $(INSTALLED_DEV) ## Measure the web page: weight, start, 400 streams, 1,000 sessions
	$(BIN)/python -m bench.web $(LOAD_ARGS)

packs: $(INSTALLED_DEV) ## Build a pack of 200,000 invented articles and ask it, beside SQLite's plain full-text index
	$(BIN)/python -m bench.packs $(PACKS_ARGS)

torture: $(INSTALLED_DEV) ## Kill processes and break answers while orders are approved, and count what the charts hold
	$(BIN)/python -m tests.torture $(TORTURE_ARGS)

weights: $(INSTALLED_DEV) ## Fetch the small model that the engine tests drive
	$(BIN)/python -m scripts.fetch_weights

reader: $(INSTALLED_DEV) ## Train the reader anew and put it in place; needs PyTorch, a GPU makes it minutes (READER_ARGS)
	$(BIN)/python -m training.reader.base
	$(BIN)/python -m training.reader.make $(READER_ARGS)

reader-eval: $(INSTALLED_DEV) ## Score the shipped reader on messages that were kept apart, on this machine's processor
	$(BIN)/python -m training.reader.evaluate $(READER_ARGS)

embedder: $(INSTALLED_DEV) ## Build the sentence embedder that compares paraphrases
	$(BIN)/python -m scripts.build_embedder

peer: ## Install the FHIR server of another maker that the contract tests run against; needs Node 18
	mkdir -p .cache/fhir-peer
	cp tests/peer/package.json .cache/fhir-peer/
	npm install --prefix .cache/fhir-peer --no-package-lock --no-audit --no-fund --loglevel=error

ray: $(INSTALLED_DEV) ## Install Ray (600 MB), for grounding on a cluster and its tests
	$(BIN)/python $(PIP) install -r requirements/ray.txt

terms: $(INSTALLED_DEV) ## Fetch the vocabularies and compare the terminology that ships with them
	$(BIN)/python -m scripts.build_terms --check

docs: $(INSTALLED_DEV) ## Draw the pages and pictures that are made from the code
	$(BIN)/python -m scripts.walkthroughs
	$(BIN)/python -m scripts.draw_graph
	$(BIN)/python -m scripts.picture

screenshots: $(INSTALLED_DEV) ## Take a picture of each main state of the page; needs Chromium
	$(BIN)/python -m scripts.screenshots $(SCREENSHOTS_ARGS)

lock: $(INSTALLED_DEV) ## Resolve the dependencies anew and write requirements/
	$(BIN)/python scripts/lock.py

clean: ## Remove environments, caches and build outputs
	rm -rf $(VENV) $(BENCH_VENV) .cache build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} +

define new_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "DocGemma needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1 | tail -n 1). Name another one: make install PYTHON=python3.12" >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  echo "'$(PYTHON)' comes without venv. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(1)
endef

# The interpreters are made once; only a changed lock or pyproject.toml installs again.
$(BIN)/python:
	$(call new_venv,$(VENV))

$(BENCH_VENV)/bin/python:
	$(call new_venv,$(BENCH_VENV))

$(INSTALLED): requirements/lock.txt pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP) install -r requirements/lock.txt
	$(BIN)/python $(PIP) install --no-deps -e .
	@touch $@

$(INSTALLED_DEV): requirements/dev.txt $(INSTALLED)
	$(BIN)/python $(PIP) install -r requirements/dev.txt
	@touch $@

$(INSTALLED_BENCH): requirements/lock.txt requirements/bench.txt pyproject.toml | $(BENCH_VENV)/bin/python
	$(BENCH_VENV)/bin/python $(PIP) install -r requirements/bench.txt
	$(BENCH_VENV)/bin/python $(PIP) install --no-deps -e .
	@touch $@
