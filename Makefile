# Parlour's make targets. A fresh machine needs Python 3.11 or later, git and make.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python
READY := .venv/.ready
# The lock decides every version, so pip resolves nothing.
INSTALL = $(PY) -m pip install --quiet --disable-pip-version-check --no-deps

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(READY) ## Create .venv with Parlour (editable) and the tools to develop it

$(READY): pyproject.toml requirements/dev.txt
	@test -n "$(PYTHON)" || { echo "Parlour needs Python 3.11 or later; none was found."; exit 1; }
	@test -x $(PY) || { echo "Creating .venv with $$($(PYTHON) --version)..."; $(PYTHON) -m venv .venv; }
	@echo "Installing the packages of requirements/dev.txt (half a minute the first time)..."
	@$(INSTALL) -r requirements/dev.txt
	@$(INSTALL) --no-build-isolation --editable .
	@touch $@
