# castad: `make` or `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# A stamp named after the lock's content: a pull that changes the lock installs again, nothing else does.
stamp = .venv/installed-$(1)-$(shell cat $(2) pyproject.toml | cksum | cut -d' ' -f1)
RUNTIME := $(call stamp,runtime,requirements.lock)
DEV := $(call stamp,dev,requirements-dev.lock)
JUDGE := $(call stamp,judge,requirements-judge.lock)

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s'|'

.PHONY: install
install: $(RUNTIME) ## Install castad into .venv from requirements.lock

.PHONY: demo
demo: install ## Make one song video from examples/song_video.yaml; the last line is the mp4's path
	@$(BIN)/castad make examples/song_video.yaml

.PHONY: up
up: install ## Run everything: sensors, a worker, the API on :8000 and the Dagster UI on http://127.0.0.1:3000
	@$(BIN)/castad up

.PHONY: showcase
showcase: install $(JUDGE) ## Make twelve videos with the studio, with frames, spectrograms and a table of measurements
	@$(BIN)/python -m bench.showcase

.PHONY: vendors
vendors: install ## Run the fake vendors by hand and print what to export
	@$(BIN)/python -m tests.fakes

# The tests' files lie in memory where it has a gigabyte for them: SQLite waits for the disk at every commit.
IN_MEMORY := /dev/shm/castad-tests-$(shell id -u)-$(shell pwd | cksum | cut -d' ' -f1)
has_room = test "$$(df -k /dev/shm 2>/dev/null | awk 'END { print $$4 + 0 }')" -gt 1000000
SCRATCH = $(shell $(has_room) && echo $(IN_MEMORY) || echo .pytest_tmp)

SUITE := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --override-ini=tmp_path_retention_policy=failed --dist=loadfile --no-loadscope-reorder

.PHONY: test
test: $(DEV) ## Run the test suite (SQLite and Postgres; no server, account or root needed)
	@$(SUITE) --basetemp=$(SCRATCH) --numprocesses=4 && rm -rf $(IN_MEMORY) .pytest_tmp

.PHONY: acceptance
acceptance: $(DEV) ## castad's own processes: README's lines are typed at them, they are killed, and get other pipelines and vendors
	@$(SUITE) -m processes tests/acceptance tests/extension tests/integration --basetemp=$(SCRATCH) --numprocesses=4 && rm -rf $(IN_MEMORY) .pytest_tmp

.PHONY: coverage
coverage: $(DEV) ## `make test` and `make acceptance` again, slower, with the share of lines that the tests' own processes run
	@$(SUITE) -m 'not slow' --basetemp=$(SCRATCH) --numprocesses=3 --cov --cov-report= && rm -rf $(IN_MEMORY) .pytest_tmp

.PHONY: test-all
test-all: coverage thorough browser rabbitmq ## The suite with its coverage, `make thorough`, and what needs RabbitMQ or Chromium: installed by apt where root
	@$(BIN)/python -m pytest tests/faults -k rabbitmq --basetemp=.pytest_tmp && rm -rf .pytest_tmp

.PHONY: thorough
thorough: $(DEV) ## Ten times the examples for every property of the unit tests that fixes no number, and the slow tests
	@$(BIN)/python -m pytest tests/unit --hypothesis-profile=thorough --timeout=900 --basetemp=$(SCRATCH) --numprocesses=2 && rm -rf $(IN_MEMORY) .pytest_tmp
	@$(BIN)/python -m pytest -m slow --basetemp=$(SCRATCH) && rm -rf $(IN_MEMORY) .pytest_tmp

.PHONY: browser
browser: $(DEV) chromium script-types ## The pages in a real browser, their scripts' types, and a page of another origin beside a running castad
	@$(BIN)/python -m pytest tests/browser --basetemp=.pytest_tmp && rm -rf .pytest_tmp

# What checks the pages and is not shipped: locked in tests/browser/package-lock.json.
NODE_MODULES := tests/browser/node_modules/.package-lock.json

.PHONY: script-types
script-types: $(NODE_MODULES) ## Check the types of the pages' scripts
	@tests/browser/node_modules/.bin/tsc --project tests/browser/tsconfig.json

$(NODE_MODULES): tests/browser/package-lock.json | node
	@npm ci --prefix tests/browser --no-audit --no-fund --silent

.PHONY: faults
faults: $(DEV) rabbitmq ## Crash at every point of every stage, and lose worker, broker, daemon and database in turn
	@$(BIN)/python -m pytest tests/faults --basetemp=.pytest_tmp --numprocesses=4 && rm -rf .pytest_tmp

.PHONY: chaos
chaos: $(DEV) rabbitmq ## 500 orders a pair of database and broker while everything is killed, then an offline check
	@$(BIN)/python -m tests.chaos

.PHONY: chaos-selftest
chaos-selftest: $(DEV) ## Plant bugs and see that the chaos check reports each
	@$(BIN)/python -m tests.chaos --selftest

.PHONY: mutate
mutate: $(DEV) ## Break each guard of a write once and name the breaks that no test catches; BASE=main: only what changed since
	@$(BIN)/python -m tests.mutate $(if $(BASE),--base $(BASE))

.PHONY: bench
bench: $(DEV) ## Measure against plain Dagster, the source design and Celery; writes docs/performance.md
	@$(BIN)/python -m bench.engine

.PHONY: bench-thousand
bench-thousand: $(DEV) ## 1,000 orders at once against the fake vendors, at Suno's own pace (half an hour); docs/performance.md
	@$(BIN)/python -m bench.engine.thousand --keep

.PHONY: bench-retention
bench-retention: $(DEV) ## One cycle of retention over 300,000 finished orders, under load; writes docs/retention-figures.md
	@$(BIN)/python -m bench.retention --keep

.PHONY: bench-analysis
bench-analysis: $(DEV) ## `castad analyse` on this repository, beside pygount (where it is installed) and wc
	@$(BIN)/python -m bench.analysis

.PHONY: bench-image
bench-image: $(DEV) ## 1,000 pictures over four stand-ins of ComfyUI, of which one is killed half way (about 6 minutes)
	@$(BIN)/python -m bench.image

.PHONY: bench-scan
bench-scan: $(DEV) ## Scans beside the source design, by HTTP and with 500 streams at once (about 10 minutes)
	@$(BIN)/python -m bench.scan

.PHONY: bench-voice
bench-voice: install $(JUDGE) ## Sixteen songs by both singers, and what a speech recogniser understands of them (about 5 minutes)
	@$(BIN)/python -m bench.voice

.PHONY: bench-page
bench-page: $(DEV) chromium ## 200 open dashboards while 500 orders go through, and the first screen (about 2 minutes)
	@$(BIN)/python -m bench.web

.PHONY: bench-api
bench-api: $(DEV) ## Load one API process on Postgres: half requests, status reads, orders, 500 live clients
	@$(BIN)/python -m bench.api

.PHONY: fuzz
fuzz: $(DEV) ## 2,000 cases and more against the API by its own description, on Postgres
	@$(BIN)/python -m tests.fuzz
	@LEDGER_STORIES=10 $(BIN)/python -m pytest tests/integration/test_ledger_machine.py --timeout=1800 --basetemp=.pytest_tmp && rm -rf .pytest_tmp

.PHONY: rabbitmq
rabbitmq:
	@command -v rabbitmqctl >/dev/null || test -x /usr/sbin/rabbitmqctl \
	  || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq rabbitmq-server >/dev/null; } \
	  || { echo "RabbitMQ is missing: install rabbitmq-server (apt install rabbitmq-server)"; exit 1; }

.PHONY: node
node:
	@command -v npm >/dev/null \
	  || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq nodejs npm >/dev/null; } \
	  || { echo "npm is missing: install nodejs and npm (apt install nodejs npm)"; exit 1; }

.PHONY: chromium
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	  || { echo "Chromium is missing: install chromium (apt install chromium)"; exit 1; }

.PHONY: check
check: $(DEV) ## Lint, types, the import rule, and whether Dagster's definitions load and docs/schemas and docs/settings.md are up to date
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m castad.api.schema_files --check
	$(BIN)/dagster definitions validate -w workspace.yaml --log-level warning

.PHONY: schemas
schemas: $(DEV) ## Write docs/schemas (orders and results) and docs/settings.md from the code
	$(BIN)/python -m castad.api.schema_files

.PHONY: format
format: $(DEV) ## Format the code and mend what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: lock
lock: ## Resolve the dependencies again into the locks (needs uv)
	uv pip compile pyproject.toml --universal --generate-hashes --quiet --output-file requirements.lock
	uv pip compile pyproject.toml --extra dev --constraint requirements.lock --universal --generate-hashes --quiet --output-file requirements-dev.lock
	uv pip compile pyproject.toml --extra judge --constraint requirements.lock --universal --generate-hashes --quiet --output-file requirements-judge.lock

.PHONY: clean
clean: ## Remove the virtual environment and caches; the state folder .castad stays
	rm -rf .venv .pytest_cache .pytest_tmp $(IN_MEMORY) .mypy_cache .ruff_cache .hypothesis

$(RUNTIME): | .venv/bin/python
	@scripts/install requirements.lock "$@"

$(DEV): $(RUNTIME)
	@scripts/install requirements-dev.lock "$@"

$(JUDGE): $(RUNTIME)
	@scripts/install requirements-judge.lock "$@"

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "castad needs Python 3.11 or newer, this is %s: set PYTHON=/path/to/python3.11" % sys.version.split()[0])'
	@$(PYTHON) -m venv .venv
