# `make check` is what CI runs and what a commit should pass.
# Tools come from .venv when there is one; else from PY: make PY=path/to/python check

PY ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,$(or $(PYTHON),python3))
# Scripts live beside the interpreter, so PY decides for all of them.
BIN := $(patsubst ./,,$(dir $(PY)))

.PHONY: help check format-check lint types imports test test-full format lock screenshots ci

help:
	@echo "make check        everything CI checks: format, lint, types, import contracts, tests"
	@echo "make test         the tests; PYTEST_ARGS='-n 2 tests/core' goes to pytest"
	@echo "make test-full    the tests with many more Hypothesis examples"
	@echo "make format       format and mend what ruff can mend"
	@echo "make lock         write requirements.lock anew; LOCK_ARGS=--upgrade takes newer releases"
	@echo "make screenshots  draw screenshots/ from recorded turns"
	@echo "make ci           .ci/run: the same checks in a fresh environment"

check: format-check lint types imports test

format-check:
	$(BIN)ruff format --check .

lint:
	$(BIN)ruff check .

types:
	$(BIN)mypy

imports:
	$(BIN)lint-imports --no-logo

test:
	$(PY) -m pytest $(PYTEST_ARGS)

test-full:
	$(PY) -m pytest --hypothesis-profile=full $(PYTEST_ARGS)

format:
	$(BIN)ruff format .
	$(BIN)ruff check --fix .

# The project itself stands unpinned at the end of the lock: its extras name each other.
lock:
	CUSTOM_COMPILE_COMMAND="make lock" $(BIN)pip-compile --quiet --strip-extras --generate-hashes \
		--no-allow-unsafe --unsafe-package verbatim-tui --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--extra dev --output-file requirements.lock $(LOCK_ARGS) pyproject.toml

screenshots:
	$(PY) -m tui.cli.screenshots

ci:
	.ci/run
