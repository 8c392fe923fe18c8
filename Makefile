# Parlour's make targets. A fresh machine needs Python 3.11 or later, git and make.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python
# What running needs is installed, then what developing needs besides.
INSTALLED := .venv/.installed
READY := .venv/.ready
# The lock decides every version and every file, so pip resolves nothing.
INSTALL = $(PY) -m pip install -qq --disable-pip-version-check --no-deps
LOCKED = $(INSTALL) --require-hashes -r

# Where the tests find a browser; it is installed if there is none.
BROWSER = PARLOUR_CHROMIUM="$$($(PY) scripts/browser.py)" && export PARLOUR_CHROMIUM

# $(call step,NAME,COMMAND): what a command has to say is shown only when it fails.
step = printf '%-18s' '$(1)'; if said=$$($(2) 2>&1); then echo ok; else echo FAILED; echo "$$said"; exit 1; fi

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Steps that say what they do, one after the other, read better than two at once.
.NOTPARALLEL:

.PHONY: help
help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: page ## Open the parlour (ARGS="--port 8080 ..." are for `parlour serve`)
	@exec .venv/bin/parlour serve $(ARGS)

.PHONY: test
test: setup page check ## Run all checks and all tests (ARGS="-k rummy ..." are for pytest)
	@$(call step,page tests,$(PY) scripts/page.py test)
	@$(BROWSER) && exec $(PY) -m pytest -n 3 --dist worksteal $(ARGS)

.PHONY: quick
quick: setup ## Run the checks and tests that take a minute: no browser, no houses, no servers
	@$(call step,ruff check,.venv/bin/ruff check .)
	@$(call step,ruff format,.venv/bin/ruff format --check .)
	@$(call step,mypy,.venv/bin/mypy)
	@$(call step,import contracts,.venv/bin/lint-imports --no-logo)
	@exec $(PY) -m pytest -q -n 2 --dist worksteal -m "not slow and not browser and not soak" $(ARGS)

.PHONY: check
check: setup node ## Check style, types, the rings of imports, and the page's style and types
	@$(call step,ruff check,.venv/bin/ruff check .)
	@$(call step,ruff format,.venv/bin/ruff format --check .)
	@$(call step,mypy,.venv/bin/mypy)
	@$(call step,mypy examples,MYPYPATH=src:examples/eights/src .venv/bin/mypy -p parlour_eights)
	@$(call step,pyright,.venv/bin/pyright)
	@$(call step,import contracts,.venv/bin/lint-imports --no-logo)
	@$(call step,page,$(PY) scripts/page.py check)

.PHONY: format
format: setup node ## Lay out all code as `make check` wants it
	@.venv/bin/ruff check -q --fix-only .
	@.venv/bin/ruff format -q .
	@$(PY) scripts/page.py format

.PHONY: coverage
coverage: setup page ## Say which lines of the package no test reaches (ARGS are for pytest)
	@.venv/bin/coverage erase
	@$(BROWSER) && .venv/bin/coverage run -m pytest -n 3 --dist worksteal $(ARGS)
	@.venv/bin/coverage combine --quiet
	@.venv/bin/coverage report

.PHONY: soak
soak: setup ## Run the long tests: other cards, fuzzing, thousands of games, mutations
	@$(LOCKED) requirements/soak.txt
	@seed=$${TEST_SEED:-$$(date +%s)}; echo "TEST_SEED=$$seed deals these cards again"; \
		TEST_SEED=$$seed $(PY) -m pytest -n 2 -m "not soak and not browser" $(ARGS)
	@PARLOUR_BATTERY_EFFORT=25 $(PY) -m pytest -n 2 --timeout 0 tests/battery $(ARGS)
	@$(PY) -m pytest -m soak --timeout 0 $(ARGS)
	@exec $(PY) scripts/mutate.py

.PHONY: bench
bench: setup ## Measure how fast it is
	@exec $(PY) -m bench $(ARGS)

.PHONY: trace
trace: setup ## Count the calls that one input takes (ARGS="onu --calls" shows which)
	@exec $(PY) -m scripts.trace $(ARGS)

.PHONY: page
page: node ## Build web/ into src/parlour/page/, if it has changed
	@$(PY) scripts/page.py

.PHONY: types
types: setup ## Generate schemas, documents and the page's types from the messages
	@$(PY) scripts/generate.py

.PHONY: golden
golden: setup ## Record the golden transcripts anew
	@$(PY) -m tests.golden

.PHONY: screenshot
screenshot: setup page ## Take the pictures of docs/images/ anew
	@$(BROWSER) && exec env PARLOUR_SCREENSHOTS=1 $(PY) -m pytest -m browser $(ARGS)

.PHONY: setup
setup: $(READY) ## Create .venv with Parlour (editable) and the tools to develop it
	@:

.PHONY: lock
lock: setup ## Write requirements/*.txt from pyproject.toml, changing no version that still fits
	@$(INSTALL) uv
	@echo "Locking requirements/*.txt..."
	@$(LOCK) pyproject.toml --extra battery --extra nats --extra postgres --group dev -o requirements/dev.txt
	@$(LOCK) pyproject.toml --group build -c requirements/dev.txt -o requirements/run.txt
	@$(LOCK) pyproject.toml --extra nats --extra postgres -c requirements/dev.txt -o requirements/image.txt
	@$(LOCK) pyproject.toml --extra soak -c requirements/dev.txt -o requirements/soak.txt
	@$(LOCK) --group page -c requirements/dev.txt -o requirements/page.txt

.PHONY: upgrade
upgrade: ## Lock the newest versions that pyproject.toml allows
	@$(MAKE) --no-print-directory lock NEWEST=--upgrade

# For all systems and Pythons, with the hashes of all files of a version.
LOCK = UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/uv pip compile --quiet $(NEWEST) \
	--universal --python-version 3.11 --generate-hashes --no-emit-index-url

# Node builds the page and runs pyright. A machine without one gets it from a package.
.PHONY: node
node: $(INSTALLED)
	@$(PY) scripts/page.py --has-node || { \
		echo "There is no Node 20.19 or later here; installing one into .venv..."; \
		$(LOCKED) requirements/page.txt; }

$(INSTALLED): pyproject.toml requirements/run.txt
	@test -n "$(PYTHON)" || { echo "Parlour needs Python 3.11 or later; none was found."; exit 1; }
	@test -x $(PY) || { echo "Creating .venv with $$($(PYTHON) --version)..."; \
		$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }; }
	@echo "Installing the packages of requirements/run.txt..."
	@$(LOCKED) requirements/run.txt
	@$(INSTALL) --no-build-isolation --editable .
	@touch $@

$(READY): $(INSTALLED) requirements/dev.txt
	@echo "Installing the tools of requirements/dev.txt (half a minute the first time)..."
	@$(LOCKED) requirements/dev.txt
	@touch $@
