# contentsvc: `make help` lists what there is.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PLUGINS := $(wildcard plugins/*/setup.py)
EDITABLE := -e . $(patsubst %/setup.py,-e %,$(PLUGINS))
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# What all distributions of this repository need together, without themselves: (extra, file).
LOCK = printf '%s\n' '-e .[$(1)]' $(patsubst %/setup.py,'-e ./%',$(PLUGINS)) | $(BIN)/uv pip compile --quiet \
	--universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url \
	--no-emit-package contentsvc $(patsubst plugins/%/setup.py,--no-emit-package %,$(PLUGINS)) - --output-file $(2)

.DEFAULT_GOAL := help
.PHONY: help install run demo test lint bench nightly lock format clean

help: ## List the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: $(VENV)/.development ## Make .venv with everything for development

run: $(VENV)/.runtime ## Start the service on embedded defaults (PORT=6543)
	@exec $(BIN)/contentsvc up development.ini $(if $(PORT),port=$(PORT))

demo: $(VENV)/.runtime ## Turn the sample photo into pictures and a film, into demo-output/
	@$(BIN)/python -m tools.demo

test: $(VENV)/.development ## Run every test
	@sh tools/redis-server.sh
	@$(BIN)/python -m pytest -n 3 --dist worksteal $(ARGS)

lint: $(VENV)/.development ## Check style, types, layers and the lock
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy $(wildcard plugins/*/contentsvc_* examples/*/contentsvc_*.py)
	@$(BIN)/lint-imports

bench: $(VENV)/.development ## Print the figures of the README, measured here
	@$(BIN)/python -m tools.bench $(ARGS)

nightly: $(VENV)/.development ## Run the long versions of the tests: kills, fuzz, load
	@sh tools/redis-server.sh
	@$(BIN)/python -m pytest -n 3 --dist worksteal -m "nightly or not nightly" --hypothesis-profile=nightly $(ARGS)

format: $(VENV)/.development ## Format the code
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

lock: $(VENV)/.development ## Write the hashed locks anew from every setup.py
	@$(call LOCK,embedded,requirements.lock)
	@$(call LOCK,dev,requirements-dev.lock)

clean: ## Remove the environment and everything the service has stored in var/
	@rm -rf $(VENV) var demo-output

# The two states of the environment: what the service needs, and what its developers need on top.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "contentsvc needs Python 3.11 or newer; say which: make PYTHON=python3.12 ...")'
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock setup.py $(PLUGINS) | $(VENV)/bin/python
	@echo "Installing what the service needs (once, about a minute) ..."
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation $(EDITABLE)
# Where Python may write no bytecode of its own, every process would compile everything anew.
	@$(BIN)/python -m compileall -q contentsvc $(wildcard plugins/*/contentsvc_*)
	@touch $@

$(VENV)/.development: requirements-dev.lock $(VENV)/.runtime
	@echo "Installing what its developers need (once, about a minute) ..."
	@$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@
