# Every target does its own set-up; `make help` lists them.
#
#   VENV=dir        where the virtual environment goes (default .venv)
#   PYTHON=python   the Python that makes it (default: the first of at least 3.11)
#   JOBS=n          test processes (default 2)
#   TEST_TOOLS=     compilers and interpreters to look for; empty: leave the system alone
#   BRIDGE_TOOLS=   the same for make bridges
#   PYTHONS=list    interpreters with which make release also tries the wheel
#   GUI=options     what make gui hands to symoro gui, such as --no-browser

VENV ?= .venv
JOBS ?= 2
TEST_TOOLS ?= cc c++ clang gfortran octave node chromium
DEMO_TOOLS ?= cc
BRIDGE_TOOLS ?= cc c++ octave mkoctfile cmake cargo eigen \
	arm-none-eabi-gcc qemu-system-arm aarch64-linux-gnu-gcc qemu-aarch64

override VENV := $(abspath $(VENV))
BIN := $(VENV)/bin
BRIDGES := $(VENV)-bridges
BENCHMARKS = $(sort $(wildcard benchmarks/[a-z]*.py))
export PYTHON
test bridges slow coverage: export OPENBLAS_NUM_THREADS = 1 # each test process has a core of its own
export PYTHONDONTWRITEBYTECODE = # hundreds of processes would compile every module again

ifndef CHECKING
.NOTPARALLEL: # two pip runs at once would spoil the environment
endif
.DEFAULT_GOAL := help
.PHONY: help demo gui site test bridges lint format slow bench docs docs-browser docs-check coverage release clean distclean test-tools demo-tools bridge-tools
.PHONY: style types imports model-pages page-tests

help: ## this list
	@echo "make demo, make gui and make test set up all they need. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r name text; do printf '%-14s %s\n' "$$name" "$$text"; done

demo: $(VENV)/.base demo-tools ## the RX-90 as equations, and as C that compiles and runs
	@PATH="$(BIN):$$PATH" tools/demo

gui: $(VENV)/.base ## build the page of the workbench and open it in the browser
	$(BIN)/python tools/page.py
	$(BIN)/symoro gui $(GUI)

site: $(VENV)/.base ## the workbench as a folder for any web server, build/site
	$(BIN)/python tools/page.py site

# The checks need nothing of each other but the page, which the documentation's wheel contains.
CHECKS = types page-tests style imports model-pages # the longest first
test: $(VENV)/.test test-tools ## style, types, import rules, documentation and tests
	@$(MAKE) --no-print-directory --jobs $(JOBS) --output-sync CHECKING=1 $(CHECKS)
	$(BIN)/python tools/check_docs.py --clean $(VENV)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q --ignore=tests/bridges

bridges: $(BRIDGES)/.bridges bridge-tools ## CasADi, JAX, PyTorch, CUDA and the export targets: their tests and pages, in an environment of their own
	$(BRIDGES)/bin/python -m pytest -n $(JOBS) --dist worksteal -q -rs tests/bridges
	$(BRIDGES)/bin/python tools/check_docs.py --large

lint: $(VENV)/.test ## style, types and import rules alone
	@$(MAKE) --no-print-directory --jobs $(JOBS) --output-sync CHECKING=1 style types imports

types:
	$(BIN)/mypy

page-tests:
	$(BIN)/python tools/page.py test

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

imports:
	$(BIN)/lint-imports

model-pages:
	$(BIN)/python tools/model_pages.py --check
	$(BIN)/python tools/derive_functions.py --check

format: $(VENV)/.test ## rewrite the sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

slow: $(VENV)/.test test-tools ## the long sweeps
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q -m slow

bench: $(VENV)/.test demo-tools ## every benchmark
	@for file in $(BENCHMARKS); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

coverage: $(VENV)/.dev test-tools ## the share of the lines that the tests run; at least 90 %
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q --cov --cov-report=term:skip-covered --cov-report=html

release: $(VENV)/.dev demo-tools ## wheel and sdist in dist/, checked, installed into an empty environment and tried
	$(BIN)/python tools/release.py $(if $(PYTHONS),--try $(PYTHONS))

docs: $(VENV)/.docs ## the documentation as a static site, build/docs
	$(BIN)/python tools/docs_site.py

docs-browser: docs ## the documentation site checked in Chromium
	@tools/system-tools chromium
	$(BIN)/python tools/check_site.py

docs-check: $(VENV)/.base ## the links and the examples of the documentation, as its readers run them
	$(BIN)/python tools/check_docs.py --clean $(VENV)

clean: ## remove what was built, keep the virtual environment
	rm -rf build dist src/symoro/ui/web/static .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## remove the virtual environments and the packages of the page too
	rm -rf frontend/node_modules
	@for one in "$(VENV)" "$(VENV)"-*; do if [ -f "$$one/pyvenv.cfg" ]; then rm -rf "$$one"; fi; done

demo-tools:
	@tools/system-tools $(DEMO_TOOLS)

test-tools:
	@tools/system-tools $(TEST_TOOLS)

bridge-tools:
	@tools/system-tools $(BRIDGE_TOOLS)

# The stamps are renewed when pyproject.toml changes; the install is editable, so sources are not.
$(BIN)/python:
	tools/make-venv "$(VENV)"

# Without --no-compile a third of the time is for modules of SymPy and SciPy that the page does not import.
$(VENV)/.base: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e .
	@touch $@

$(BRIDGES)/.bridges: pyproject.toml tools/bridges-packages
	tools/make-venv "$(BRIDGES)"
	tools/bridges-packages "$(BRIDGES)/bin/python"
	@touch $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	@touch $(VENV)/.base $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch $(VENV)/.base $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $(VENV)/.base $(VENV)/.test $@
