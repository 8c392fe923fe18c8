# Parlour's make targets. A fresh machine needs Python 3.11 or later, git and make.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python
# Stamps: the packages for running the server are installed; the tools for developing, too.
INSTALLED := .venv/.installed
READY := .venv/.ready
# Versions and files come from the lock; pip resolves nothing.
INSTALL = $(PY) -m pip install -qq --disable-pip-version-check --no-deps
LOCKED = $(INSTALL) --require-hashes -r

# The browser for the tests; it is installed if there is none.
BROWSER = PARLOUR_CHROMIUM="$$($(PY) scripts/browser.py)" && export PARLOUR_CHROMIUM

# $(call step,NAME,COMMAND) shows the output of a command only if it fails.
step = printf '%-18s' '$(1)'; if said=$$($(2) 2>&1); then echo ok; else echo FAILED; echo "$$said"; exit 1; fi

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# One step after the other, so that their output does not mix.
.NOTPARALLEL:

.PHONY: help
help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: page ## Start the server (ARGS="--port 8080 ..." are for `parlour serve`)
	@$(PY) scripts/compiled.py --fresh || $(PY) scripts/compiled.py --remove
	@exec .venv/bin/parlour serve $(ARGS)

.PHONY: test
test: pure page check ## Run all checks and all tests (ARGS="-k rummy ..." are for pytest)
	@$(call step,page tests,$(PY) scripts/page.py test)
	@$(BROWSER) && exec $(PY) -m pytest -n 3 --dist worksteal $(ARGS)

.PHONY: quick
quick: pure ## Run the fast checks and tests, in about a minute: no browser, no servers
	@$(call step,ruff check,.venv/bin/ruff check .)
	@$(call step,ruff format,.venv/bin/ruff format --check .)
	@$(call step,mypy,.venv/bin/mypy)
	@$(call step,import contracts,.venv/bin/lint-imports --no-logo)
	@exec $(PY) -m pytest -q -n 2 --dist worksteal -m "not slow and not browser and not soak" $(ARGS)

.PHONY: check
check: setup node ## Check style, types, import contracts, and the page's style and types
	@$(call step,ruff check,.venv/bin/ruff check .)
	@$(call step,ruff format,.venv/bin/ruff format --check .)
	@$(call step,mypy,.venv/bin/mypy)
	@$(call step,mypy examples,MYPYPATH=src:$(subst $() ,:,$(wildcard examples/*/src)) .venv/bin/mypy $(patsubst examples/%/src,-p parlour_%,$(wildcard examples/*/src)))
	@$(call step,pyright,.venv/bin/pyright)
	@$(call step,import contracts,.venv/bin/lint-imports --no-logo)
	@$(call step,page,$(PY) scripts/page.py check)

.PHONY: format
format: setup node ## Format all code as `make check` requires
	@.venv/bin/ruff check -q --fix-only .
	@.venv/bin/ruff format -q .
	@$(PY) scripts/page.py format

.PHONY: coverage
coverage: pure page ## List the lines of the package that no test reaches (ARGS are for pytest)
	@.venv/bin/coverage erase
	@$(BROWSER) && .venv/bin/coverage run -m pytest -n 3 --dist worksteal $(ARGS)
	@.venv/bin/coverage combine --quiet
	@.venv/bin/coverage report

# Fuzzing and mutations need the sources; everything before them runs compiled.
.PHONY: soak
soak: compiled page ## Run the long tests: compiled, other seeds, fuzzing, thousands of games, mutations
	@$(LOCKED) requirements/soak.txt
	@seed=$${TEST_SEED:-$$(date +%s)}; echo "TEST_SEED=$$seed deals these cards again"; \
		TEST_SEED=$$seed $(PY) -m pytest -n 2 -m "not soak and not browser" $(ARGS)
	@PARLOUR_BATTERY_EFFORT=25 $(PY) -m pytest -n 2 --timeout 0 tests/battery $(ARGS)
	@$(PY) scripts/compiled.py --remove
	@$(BROWSER) && $(PY) -m pytest -m soak --timeout 0 $(ARGS)
	@exec $(PY) scripts/mutate.py

.PHONY: compiled
compiled: setup ## Compile the modules on the path of a message, in place (needs a C compiler)
	@$(PY) scripts/compiled.py --fresh || { echo "Compiling (half a minute)..."; $(PY) scripts/compiled.py; }

.PHONY: pure
pure: setup ## Delete the compiled modules: the sources are run again
	@$(PY) scripts/compiled.py --remove

.PHONY: bench
bench: setup ## Measure how fast it is
	@exec $(PY) -m bench $(ARGS)

.PHONY: simulate
simulate: setup ## Play an evening on a virtual clock with faults (ARGS="--seed 7 --digest")
	@exec $(PY) -m simulation $(ARGS)

.PHONY: trace
trace: pure ## Count the function calls for one input (ARGS="onu --calls" lists them)
	@exec $(PY) -m scripts.trace $(ARGS)

.PHONY: page
page: node ## Build web/ into src/parlour/page/, if it has changed
	@$(PY) scripts/page.py

.PHONY: types
types: setup ## Generate schemas, documents and the page's types from the messages
	@$(PY) scripts/generate.py

.PHONY: golden
golden: setup ## Record the golden transcripts again
	@$(PY) -m tests.golden

.PHONY: screenshot
screenshot: setup page ## Draw icons and link previews, and the screenshots in docs/images/, again
	@$(BROWSER) && $(PY) scripts/pictures.py && exec env PARLOUR_SCREENSHOTS=1 $(PY) -m pytest -m browser $(ARGS)

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
	@$(LOCK) --group peers -c requirements/dev.txt -o requirements/peers.txt

.PHONY: upgrade
upgrade: ## Lock the newest versions that pyproject.toml allows
	@$(MAKE) --no-print-directory lock NEWEST=--upgrade

# For all systems and all supported Pythons, with the hashes of all files of a version.
LOCK = UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/uv pip compile --quiet $(NEWEST) \
	--universal --python-version 3.11 --generate-hashes --no-emit-index-url

# Node builds the page and runs pyright. If the machine has none, a package provides it.
.PHONY: node
node: $(INSTALLED)
	@$(PY) scripts/page.py --has-node || { \
		echo "Node 20.19 or later was not found; installing it into .venv..."; \
		$(LOCKED) requirements/page.txt; }

$(INSTALLED): pyproject.toml requirements/run.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later was not found. Install it, or name it: make PYTHON=..."; exit 1; }
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
