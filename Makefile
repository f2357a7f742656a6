# Every target sets up what it needs in $(VENV) first; a stamp file there says that this is done.

PYTHON3 ?= python3
VENV ?= .venv
WORKERS ?= 2
CONSTRAINTS ?= constraints.txt

PYTHON := $(VENV)/bin/python
STAMP := $(VENV)/.installed
EXTRAS := dev,train,sb3,onnx,openspiel

.DEFAULT_GOAL := help
.PHONY: help setup demo bench bench-peers strength seeds ladder test test-oldest test-uncompiled test-long test-libraries test-here test-sb3 test-openspiel test-onnx test-rllib test-torchrl test-tianshou test-agilerl nightly golden lint types format check docs site dist release-test clean

help:  ## say what each target does
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | column -t -s @ 2>/dev/null \
		|| sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  make \1  \2/p' $(MAKEFILE_LIST)

# venv is called each time: it is quick, and mends a folder that an interrupted set-up left.
$(STAMP): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON3) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with: make PYTHON3=python3.12 ...")'
	@echo "installing $(EXTRAS) into $(VENV); the first time that takes minutes and up to 2 GB of disk"
	@$(PYTHON3) -m venv $(VENV)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[$(EXTRAS)]'
	@touch $@

setup: $(STAMP)  ## make the virtual environment and install the project into it

demo: $(STAMP)  ## train a small policy, measure it, draw what it learnt (about three minutes)
	$(PYTHON) training/demo.py

# PEERS names the Python that has the peers, if not that of bench-peers.
bench: $(STAMP)  ## how fast the package is, beside its peers, into the README; five idle minutes
	$(PYTHON) benchmarks/run.py $(PEERS:%=--peers %)

bench-peers:  ## the environments that make bench compares with, into .venv-peers
	$(PYTHON3) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers.txt

strength: $(STAMP)  ## measure the shipped models, and write the table of README.md anew (many minutes)
	$(PYTHON) docs/strength.py

# DEALS shortens each run. A run that was stopped goes on.
seeds: DEALS ?= 700_000
seeds: SEEDS := 2 3 4
seeds: POLICIES = $(SEEDS:%=runs/seed-%/policy.safetensors)
seeds: $(STAMP)  ## train three other seeds of the main recipe, shortened, and play them across (an hour)
	set -e; for seed in $(SEEDS); do \
		$(PYTHON) training/ppo.py --config configs/pool_swisslos.yaml --name seed-$$seed --seed $$seed \
			--deals $(DEALS) $$(test ! -e runs/seed-$$seed/config.yaml || echo --resume); \
	done
	$(VENV)/bin/differenzler tournament --tables copies --deals 4000 --seed 1 $(POLICIES)
	$(VENV)/bin/differenzler evaluate models/swisslos.safetensors --deals 4000 --seed 1 \
		--field $$(echo $(POLICIES) | tr ' ' ,)

ladder: $(STAMP)  ## rank the agents, random to best, and write docs/ladder.md anew (many minutes)
	$(PYTHON) docs/ladder.py

# One thread a worker: two workers with two threads each only get in each other's way.
test test-long nightly test-here test-sb3 test-openspiel test-onnx: export OMP_NUM_THREADS := 1

test: $(STAMP)  ## the tests, under ten minutes on two cores
	$(PYTHON) -m pytest -n $(WORKERS)

test-long: $(STAMP)  ## the tests that take minutes each
	$(PYTHON) -m pytest -n $(WORKERS) -m long

test-oldest:  ## the tests with the oldest versions that pyproject.toml allows, in .venv-oldest
	$(MAKE) test VENV=.venv-oldest CONSTRAINTS=constraints-oldest.txt EXTRAS=dev,train,sb3

# The other libraries. Those here are in every environment; the rest would fight, so each has its own.
# What came of the tests is written into the README's table.
test-sb3 test-openspiel test-onnx: $(STAMP)
	$(PYTHON) docs/compatibility.py $(@:test-%=%)

APART := rllib torchrl tianshou agilerl

$(APART:%=test-%):
	$(MAKE) test-here LIBRARY=$(@:test-%=%) VENV=.venv-$(@:test-%=%) CONSTRAINTS=constraints-$(@:test-%=%).txt \
		EXTRAS=dev,train,$(@:test-%=%)

test-here: $(STAMP)
	$(PYTHON) docs/compatibility.py $(LIBRARY)

test-libraries: test-sb3 test-openspiel test-onnx $(APART:%=test-%)  ## the tests with each other library: test-sb3, -openspiel, -onnx, -rllib, -torchrl, -tianshou, -agilerl (many minutes)

# Tests whose deals are few enough for plain Python; `make test` compares compiled and uncompiled play besides.
UNCOMPILED := oracle rules rules_kernels rules_page bad_input bad_batches copies game golden replay aec_deals aec_parallel

test-uncompiled: export NUMBA_DISABLE_JIT := 1
test-uncompiled: $(STAMP)  ## tests of rules and environments without the compiler
	$(PYTHON) -m pytest -n $(WORKERS) -m "not slow and not long" $(UNCOMPILED:%=tests/test_%.py)

nightly: $(STAMP)  ## all tests, short and long
	$(PYTHON) -m pytest -n $(WORKERS) -m "long or not long"

golden: $(STAMP)  ## write the golden playthroughs and the settings table of docs/rules.md anew
	$(PYTHON) -m tests.golden.regenerate

lint: $(STAMP)  ## style, likely bugs and formatting
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types: $(STAMP)  ## the type checker
	$(PYTHON) -m mypy

format: $(STAMP)  ## format the code and mend what can be mended by machine
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

check: lint types test  ## all that a commit must pass

docs:  ## build the documentation into site/, in .venv-docs; a warning fails
	$(MAKE) site VENV=.venv-docs EXTRAS=docs

# Material says at each build that it will be followed by another program; CONTRIBUTING.md has it.
site: export NO_MKDOCS_2_WARNING := 1
site: $(STAMP)
	$(PYTHON) -m mkdocs build --strict --quiet
	@echo "site/index.html is the first page; $(PYTHON) -m mkdocs serve shows changes as they are made"

dist: $(STAMP)  ## wheel and source archive in dist/
	$(PYTHON) -m hatchling build

# Each archive goes into an environment of its own, and is tried from a folder without the sources.
release-test: $(STAMP)  ## build wheel and source archive, install each into an empty environment, try it there
	rm -rf build/release
	$(PYTHON) -m hatchling build -d build/release
	set -e; cd build/release; for archive in *.whl *.tar.gz; do \
		$(PYTHON3) -m venv --clear venv; \
		venv/bin/python -m pip install --quiet --disable-pip-version-check -c ../../$(CONSTRAINTS) $$archive; \
		venv/bin/python ../../tests/smoke.py; \
	done

clean:  ## remove builds and caches; the virtual environment stays
	rm -rf build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find differenzler_env training tests -name __pycache__ -type d -prune -exec rm -rf {} +
