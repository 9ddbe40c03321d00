# Every path is relative, so that a checkout in a directory with a space in its name works too.
PYTHON ?= python3
RUN := .venv/bin/python
ARGS ?=
# Many short processes are started; each would compile again what none of them may keep.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo up test storm cluster-test exhaustive check format style types collected unit environment test-environment lock image-test settings-page clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' Makefile

demo: environment ## play the simulated match day on real servers (ARGS=--keep stays up)
	@$(RUN) -m found_footy.cli demo $(ARGS)

up: environment ## run everything on this machine: servers, worker, page
	@$(RUN) -m found_footy.cli up $(ARGS)

test: test-environment ## the whole gate: style, types, imports, sizes, all tests in any order (ARGS=--order-seed=N)
	@$(MAKE) --no-print-directory -j 2 check collected
	$(RUN) -m pytest -n 6 --dist worksteal $(ARGS)

exhaustive: test-environment ## all tests with every case of the sampled ones and four times the examples
	$(RUN) -m pytest -n 4 --dist worksteal --exhaustive --hypothesis-profile=exhaustive $(ARGS)

storm: test-environment ## twelve goals searched for through real browsers that die, and whole days with long outages
	$(RUN) -m pytest -m storm $(ARGS)

cluster-test: test-environment ## a match day on clusters of servers whose members are killed, with figures (ARGS=--no-kills)
	$(RUN) -m found_footy_sim.cluster $(ARGS)

check: style types ## the static half of the gate

format: ## write the code as the style half of the gate wants it
	$(RUN) -m ruff format .
	$(RUN) -m ruff check --fix .

style:
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -c "from importlinter.cli import lint_imports_command as lint; lint()"

types:
	$(RUN) -m mypy

# Beside mypy, which leaves a core free: the test modules are compiled once, and not by each of pytest's processes.
# A module that cannot be collected is named by the run itself.
collected:
	@$(RUN) -m pytest --collect-only -qq $(ARGS) >/dev/null || true

# Properties are tried with two fifths of the examples that the whole gate takes.
unit: test-environment ## the tests that need no server, in under a minute
	$(RUN) -m pytest -n 3 --dist worksteal --hypothesis-profile=quick tests/unit $(ARGS)

environment: ## create or mend .venv with what running needs
	@PYTHON="$(PYTHON)" sh scripts/environment run

test-environment: ## create or mend .venv with what testing needs
	@PYTHON="$(PYTHON)" sh scripts/environment test

# A version that was published within the last week is not taken: by then a bad one has usually been noticed and withdrawn.
COMPILE := $(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --exclude-newer "7 days"

lock: test-environment ## renew the lock files from pyproject.toml, with versions that are a week old or more
	$(RUN) -m pip install --quiet --require-hashes -r requirements-uv.lock
	echo uv | $(COMPILE) --no-annotate --upgrade - -o requirements-uv.lock
	$(COMPILE) --extra embedded --extra xsearch --extra vision --extra classifier --extra notify --extra trace --extra build pyproject.toml \
		-o requirements.lock
	$(COMPILE) --all-extras -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(COMPILE) --extra vision --extra notify --extra trace --extra build -c requirements.lock pyproject.toml -o deploy/requirements.lock
	$(COMPILE) -c requirements.lock deploy/xsearch/requirements.in -o deploy/xsearch/requirements.lock

image-test: test-environment ## run the Dockerfile's steps in a clean Debian and start what they made (root, debootstrap, network)
	$(RUN) scripts/image_test.py $(ARGS)

settings-page: ## write docs/settings.md from the code
	$(RUN) -m found_footy.cli.settings_page

clean: ## remove the environment and caches (not the data)
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
