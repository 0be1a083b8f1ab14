# Every target does its own set-up, says what it does, and is quick when nothing is left to do.
# `make` alone lists the targets. Logs of long runs are below out/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# A test run starts Python some hundred times: what it compiles is kept, even where the shell says otherwise.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
READY := .venv/ready
PEERS := .venv-bench/ready
# Labs mostly wait for nodes and controllers, so more workers than cores keep the cores busy.
WORKERS ?= $(shell echo $$(($$(nproc) + 3)))
PYTEST = PATH="$(CURDIR)/$(BIN):$$PATH" RACEWAY_TEST_LOG=out/$(LOG) $(BIN)/python -m pytest
LOG = $(subst test-,,$@).log

.PHONY: help setup host tools demo test test-unit test-molecule test-cluster test-slow test-vm test-kube test-train bench lint format docs golden lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

setup: $(READY) ## make .venv with the locked packages and the raceway command

# The stamps are written last: an interrupted set-up is simply done again.
$(READY): requirements.lock pyproject.toml tools/find-python tools/venv
	@tools/venv .venv requirements.lock .
	@echo "setup: done, $(BIN)/raceway is there"

$(PEERS): requirements-bench.lock tools/find-python tools/venv
	@tools/venv .venv-bench requirements-bench.lock

host: $(READY) ## install what the lab needs from the distribution (podman, mmdebstrap, …)
	@$(BIN)/raceway lab prepare

tools: $(READY) ## find or build the pinned programs (Pulumi, the control plane, Volcano, kwok)
	@$(BIN)/raceway tools build

demo: host tools ## provision lab nodes, lay out a cluster, run a gang job
	@$(BIN)/python -m raceway.demo

test: host tools ## style, unit, molecule, cluster: all but what is slow
	@mkdir -p out; $(PYTEST) -n $(WORKERS) -m "not slow" tests/style tests/unit tests/molecule tests/cluster 2>&1 | tee out/$(LOG)

test-unit: $(READY) ## style and unit tests: no program, no network, no file outside a temporary folder
	@mkdir -p out; $(PYTEST) -n $(WORKERS) tests/style tests/unit 2>&1 | tee out/$(LOG)

test-molecule: host ## the role on container nodes over ssh
	@mkdir -p out; $(PYTEST) -m molecule tests/molecule 2>&1 | tee out/$(LOG)

test-cluster: host tools ## the layout on a real control plane with real Volcano
	@mkdir -p out; $(PYTEST) -m cluster tests/cluster 2>&1 | tee out/$(LOG)

test-slow: host ## scenarios that take a minute or more each: role kubernetes
	@mkdir -p out; $(PYTEST) -n 2 -m slow tests/molecule 2>&1 | tee out/$(LOG)

test-vm: $(READY) ## machines with a kernel of their own in QEMU: RDMA, DCB, NVMe, reboot, power cut
	@$(BIN)/raceway lab prepare --vm
	@mkdir -p out; $(PYTEST) -m vm tests/vm 2>&1 | tee out/$(LOG)

test-kube: host ## a real cluster on lab nodes: kubelets, images, pods, a gang that trains
	@$(BIN)/raceway tools build --kubernetes
	@mkdir -p out; $(PYTEST) -m kube tests/kube 2>&1 | tee out/$(LOG)

test-train:
	@echo "make $@: this rung comes with a later issue; there is nothing to run yet" >&2; exit 2

bench: host tools $(PEERS) ## measure against peers, side by side; the table goes to docs/benchmarks.md
	@$(BIN)/raceway lab prepare --vm
	@mkdir -p out; $(BIN)/python -m tests.bench 2>&1 | tee out/bench.log

lint: $(READY) ## the linters alone
	@$(PYTEST) tests/style/test_linters.py

format: $(READY) ## let ruff format and sort
	@$(BIN)/ruff check --fix --quiet . || true; $(BIN)/ruff format .

docs: $(READY) ## write the generated tables of the roles' READMEs
	@$(BIN)/python -m raceway.docs

golden: $(READY) ## write tests/golden anew from the example inventories; read the difference before you commit it
	@$(BIN)/python -m tests.unit.inventory.golden

lock: $(READY) ## resolve pyproject.toml anew into requirements.lock (needs uv)
	@tools/lock

clean: ## remove .venv, logs and caches of linters; labs (raceway lab down) and built tools stay
	@rm -rf .venv .venv-bench out .mypy_cache .ruff_cache .pytest_cache src/*.egg-info; \
	find . -name __pycache__ -prune -exec rm -rf {} +
