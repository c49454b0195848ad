# Two commands for a fresh machine: `make quickstart` and `make test`. All set-up is theirs.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: quickstart test test-slow check format clean help

help:
	@echo "make quickstart   install, get the data, run the quickstart sweep, write the report"
	@echo "make test         install what tests need and run them"
	@echo "make test-slow    the tests that take longer"
	@echo "make check        lint, format and strict types"
	@echo "make format       mend what lint and format can mend by themselves"
	@echo "make clean        remove the virtual environment and caches (results are kept)"

quickstart: $(VENV)/.run
	$(BIN)/treebench run configs/quickstart.yaml
	$(BIN)/treebench report results/quickstart
	@echo "treebench is in $(BIN)/; to type it alone: source $(BIN)/activate"

test: $(VENV)/.test
	$(BIN)/python -m pytest -m "not slow"

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -m slow

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

# Each mark stands for an installed set of extras, and is made anew when pyproject.toml changes.
$(VENV)/.run: pyproject.toml | $(BIN)/python
	@echo "installing treebench and what it measures (a few minutes the first time)"
	$(BIN)/python -m pip install --quiet --editable '.[flights]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	@echo "installing treebench and what its tests need"
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "installing treebench and what its developers need"
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "treebench needs Python 3.11 or newer; say which: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
