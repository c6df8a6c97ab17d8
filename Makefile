# `make report` and `make test` set up all they need on a bare machine, once: see the stamps.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
PYTEST := $(BIN)/python -m pytest
TIERS := browser or torch or cluster or database
# Rooms whose tests run beside each other: long ones, of which none asks for a process group of its own.
BESIDE := tests/archive tests/render tests/samples tests/verify
SAMPLE := samples/serving
OUT := out/serving

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help report test test-all lint bench samples messages reference scripts pictures clean distclean

help:
	@echo "make report     compile $(SAMPLE)/fiche.yaml into $(OUT)/ (HTML, PDF, JSON)"
	@echo "make test       lint, then every test that needs no browser, torch or cluster"
	@echo "make test-all   make test, then those"
	@echo "make bench      how long a report takes"
	@echo "make samples    write the samples again that fiche itself makes"
	@echo "make messages   bring the catalogs of other languages up to date with the source"
	@echo "make reference  write docs/reference again, from schemas, commands and codes"
	@echo "make scripts    make the scripts and styles that a page holds again, from templates/*.js and *.css"
	@echo "make pictures   draw and photograph the pictures of docs/ again"
	@echo "make clean      remove what was built; make distclean: and $(VENV)/"

report: $(STAMPS)/run $(STAMPS)/pango
	$(BIN)/fiche report $(SAMPLE)/fiche.yaml -o $(OUT) --force
	@for kind in html pdf json; do ls $(OUT)/*.$$kind || exit 1; done

test: lint $(STAMPS)/pango
	$(PYTEST) -n auto --maxprocesses 4 -m "not ($(TIERS))" $(BESIDE)
	$(PYTEST) -m "not ($(TIERS))" $(addprefix --ignore=,$(BESIDE))

# pytest answers 5 when it collects nothing, which is no failure while these tiers are empty.
test-all: test
	@$(MAKE) --no-print-directory $(STAMPS)/chromium $(STAMPS)/poppler $(STAMPS)/torch $(STAMPS)/slurm $(STAMPS)/postgres
	@$(PYTEST) -m "$(TIERS)"; code=$$?; \
	if [ $$code -eq 5 ]; then echo "No test is marked $(TIERS): these tiers are empty."; exit 0; fi; \
	exit $$code

lint: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMPS)/dev $(STAMPS)/pango $(STAMPS)/torch
	$(BIN)/python tests/bench.py

samples: $(STAMPS)/dev
	$(BIN)/python tests/samples/make_dense.py

messages: $(STAMPS)/dev
	$(BIN)/python tools/messages.py

reference: $(STAMPS)/dev
	$(BIN)/python tools/reference.py

scripts: $(STAMPS)/dev
	$(BIN)/python tools/scripts.py

pictures: $(STAMPS)/dev $(STAMPS)/pango $(STAMPS)/chromium $(STAMPS)/poppler
	$(BIN)/python tools/pictures.py --pages

clean:
	rm -rf out build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)

# --- Set-up -----------------------------------------------------------------------------------

# $(call install,what it is for,Debian packages,Homebrew packages)
# As root, or where sudo asks no password; elsewhere it prints the one command to type.
define install
	set -e; \
	if command -v apt-get >/dev/null; then \
		if [ "$$(id -u)" -eq 0 ]; then sudo=; \
		elif sudo -n true 2>/dev/null; then sudo="sudo -n"; \
		else echo "$(1) is missing. Type: sudo apt-get install -y $(strip $(2))" >&2; exit 2; fi; \
		echo "Installing $(1): $(strip $(2))"; \
		$$sudo apt-get update -qq; \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(2) >/dev/null; \
	elif command -v brew >/dev/null; then brew install --quiet $(3); \
	else echo "$(1) is missing. Install it by your system's means (Debian: $(strip $(2)))." >&2; exit 2; fi
endef

# Debian keeps venv's own pip in a package apart, so a plain python3 may fail to make one.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "fiche needs Python 3.11 or newer: make PYTHON=python3.12 …" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(call install,venv,python3-venv,python); }
	$(PYTHON) -m venv $(VENV)

$(STAMPS)/run: pyproject.toml | $(BIN)/python
	@mkdir -p $(STAMPS)
	$(PIP) install --editable .
	@touch $@

$(STAMPS)/dev: pyproject.toml | $(BIN)/python
	@mkdir -p $(STAMPS)
	$(PIP) install --editable '.[dev]'
	@touch $(STAMPS)/run $@

# WeasyPrint loads Pango when it is imported. Without HarfBuzz's subsetter it still works, but
# embeds fonts another way: the same report would have other bytes.
HAS_PANGO := import ctypes, sys, weasyprint; \
	sys.platform == "linux" and ctypes.CDLL("libharfbuzz-subset.so.0")

$(STAMPS)/pango: | $(STAMPS)/run
	@$(BIN)/python -c '$(HAS_PANGO)' >/dev/null 2>&1 || { $(call install,Pango,\
		libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0,pango); }
	@$(BIN)/python -c '$(HAS_PANGO)'
	@touch $@

$(STAMPS)/chromium: | $(BIN)/python
	@mkdir -p $(STAMPS)
	@for name in chromium chromium-browser google-chrome; do \
		command -v $$name >/dev/null && exit 0; done; \
		$(call install,Chromium,chromium,--cask chromium)
	@touch $@

$(STAMPS)/poppler: | $(BIN)/python
	@mkdir -p $(STAMPS)
	@command -v pdftoppm >/dev/null || { $(call install,poppler,poppler-utils,poppler); }
	@touch $@

$(STAMPS)/torch: | $(STAMPS)/dev
	$(PIP) install torch==2.13.0 transformers==5.24.0 peft==0.21.2 accelerate==1.15.0 lightning==2.6.6
	@touch $@

$(STAMPS)/slurm: | $(BIN)/python
	@mkdir -p $(STAMPS)
	@command -v slurmctld >/dev/null && command -v munged >/dev/null || { $(call install,Slurm,slurm-wlm munge,slurm); }
	@touch $@

# Debian keeps the server's own programs off the path.
$(STAMPS)/postgres: | $(BIN)/python
	@mkdir -p $(STAMPS)
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
		{ $(call install,PostgreSQL,postgresql,postgresql); }
	@touch $@
