# Everything runs in .venv, which `make` sets up by itself from constraints.txt.
#
#   make demo    train a network from scratch and see it play
#   make test    the tests
#   make test-clients   train with each framework that the README lists, in environments of their own
#   make test-oldest    the tests of the game with the oldest releases that pyproject.toml admits
#   make check   the tests and the formal checks: ruff, mypy
#   make film    the moving picture of the README (needs Chromium)
#   make clean   remove .venv, .clients and all caches (not runs/)
#
# Another Python: make test PYTHON=python3.12
# Torch without GPU support, far smaller:
#   make test PIP_FLAGS="--extra-index-url https://download.pytorch.org/whl/cpu"

PYTHON ?= python3
PIP_FLAGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_FLAGS) -c constraints.txt
# On all processors; who is done takes tests from who is not.
PYTEST := $(BIN)/python -m pytest -q -n auto --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-clients test-oldest check film clean

help:
	@sed '/^[^#]/,$$d; s/^# \{0,1\}//' Makefile

demo: $(VENV)/ready
	@$(BIN)/hpenv demo

test: $(VENV)/ready
	@$(PYTEST)

# One after the other, each in .clients/NAME (seven gigabytes; half an hour on a busy machine).
CLIENTS := frameworks rllib agilerl pufferlib

test-clients: $(CLIENTS:%=.clients/%/ready)
	@for name in $(CLIENTS); do echo "test_$$name" && PYTHONPATH=. \
	  .clients/$$name/bin/python -m pytest -q tests/clients/test_$$name*.py || exit 1; done

.clients/%/ready: training/clients/requirements/%.txt
	@echo "setting up .clients/$* ..."
	@$(PYTHON) -m venv .clients/$*
	@.clients/$*/bin/python -m pip install --quiet $(PIP_FLAGS) -r $<
	@test $* != pufferlib || .clients/$*/bin/python -m pip install --quiet --no-deps pufferlib==2.0.2
	@touch $@

# What needs no torch: its oldest release comes with gigabytes for GPUs.
OLDEST := tests/test_batch.py tests/test_compiled.py tests/test_decoder.py tests/test_gym*.py \
  tests/test_observation.py tests/test_pettingzoo*.py tests/test_rules*.py tests/test_view.py \
  tests/benchmark/test_records.py

test-oldest: .clients/oldest/ready
	@PYTHONPATH=. .clients/oldest/bin/python -m pytest -q $(OLDEST)

.clients/oldest/ready: pyproject.toml tests/support/oldest.py
	@echo "setting up .clients/oldest ..."
	@$(PYTHON) -m venv .clients/oldest
	@.clients/oldest/bin/python tests/support/oldest.py > .clients/oldest/requirements.txt
	@.clients/oldest/bin/python -m pip install --quiet $(PIP_FLAGS) -r .clients/oldest/requirements.txt
	@touch $@

check: $(VENV)/ready
	@echo "ruff check" && $(BIN)/ruff check .
	@echo "ruff format --check" && $(BIN)/ruff format --check .
	@echo "mypy" && $(BIN)/mypy
	@echo "pytest" && $(PYTEST)

film: $(VENV)/ready
	@PYTHONPATH=.:tests/support $(BIN)/python tests/support/film.py notebooks/images/deal.gif

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "hpenv needs Python 3.11 or newer, and $(PYTHON) is not: try make PYTHON=python3.11" >&2; \
	  exit 1; }
	@echo "setting up $(VENV) (a few minutes, mostly torch) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) torch
	@$(PIP) -e ".[dev]"
	@touch $@
	@echo "$(VENV) is ready"

clean:
	@echo "removing $(VENV) and caches"
	@rm -rf $(VENV) .clients .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
