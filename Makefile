# `make help` lists the targets. Each target first installs missing packages (tools/setup).
# CMake (CMakePresets.json, one folder build/<preset> each) and the scripts in tools/ do the work.

SHELL := bash
MAKEFLAGS += --no-print-directory
.NOTPARALLEL:
.DEFAULT_GOAL := build

SETUP   ?= tools/setup
LABEL   ?=
N       ?= 20000
SECONDS ?= 60
ALL     ?=
CLUSTER ?= dev
NODES   ?= 1
GPUS    ?=
PRESET  ?= release
PREFIX  ?= /usr/local
# One compiler for each core, but no more than fit into the free memory at 1 GiB each.
JOBS    ?= $(shell awk -v cores="$$(nproc)" '/^MemAvailable/ { fit = int($$2 / 1048576); print fit < 1 ? 1 : fit < cores ? fit : cores }' /proc/meminfo)

# The builds that have the tests of a label; without a label, all builds of `make test`. That runs each unit test once, with sanitizers, and
# all other tests on the programs that users get. LABEL=unit runs the unit tests of the dev build.
labels        = $(subst |, ,$(LABEL))
builds_asan  := asan
builds_tsan  := tsan
builds_fuzz  := fuzz
plain_build   = $(if $(filter unit conformance,$(labels)),dev,release)
test_builds   = $(if $(LABEL),$(sort $(foreach label,$(labels),$(or $(builds_$(label)),$(plain_build)))),release asan fuzz)
# Tests on a real Kubernetes need its programs, which need Go; without Go these tests are skipped.
test_programs = $(if $(or $(if $(LABEL),,all),$(filter cluster contract,$(labels))),cluster-programs)
# The fuzz build does not build everything.
targets_fuzz := fuzzers

.PHONY: build help setup check test asan tsan demo bench fuzz soak lint format clean
.PHONY: install programs simulated setup-build flakes setup-cluster cluster cluster-down cluster-programs
.PHONY: build-dev build-asan build-tsan build-release build-fuzz

build: build-dev  ## build the programs and tests (build/dev)

test: setup check $(test_programs) $(test_builds:%=build-%)  ## check, build and run all tests; LABEL=unit runs one kind, LABEL='unit|fuzz' two (unit, conformance, cluster, contract, lint, asan, fuzz)
	@tools/run_tests --jobs $(JOBS) --label '$(LABEL)' $(test_builds)

check: setup  ## check formatting and the order of areas (quick; part of test)
	@tools/check_format
	@tools/check_layers

asan:  ## run the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer (part of test)
	@$(MAKE) test LABEL=asan

tsan:  ## run the unit tests under ThreadSanitizer
	@$(MAKE) test LABEL=tsan

flakes:  ## run the unit tests N times (N=20) in dev and in asan beside six busy loops; fails if any test failed once
	@$(MAKE) build-dev build-asan
	@tools/flakes --rounds '$(if $(filter file,$(origin N)),20,$(N))' dev asan

demo: setup-build  ## show GPU sharing on simulated GPUs: which Pods run, which wait, and why
	@[ -x build/$(PRESET)/allot ] || echo 'Building allot for the demo in build/$(PRESET): about 5 minutes on two cores, seconds the next time.'
	@$(MAKE) SETUP=true programs simulated
	@build/$(PRESET)/allot demo

bench: build-release cluster-programs  ## run benchmarks against Kubernetes' own code: a table, and build/bench.json
	@tests/bench/run

fuzz: build-dev build-fuzz  ## compare N=20000 random cases with Kubernetes' own code, then run each fuzz target for SECONDS=60
	@tests/conformance/differential '$(N)' || [ $$? -eq 77 ]
	@ALLOT_FUZZ_SECONDS='$(SECONDS)' tools/run_tests --jobs $(JOBS) --label fuzz fuzz

soak: build-dev cluster-programs  ## run the long tests: tsan, fuzz with N=200000 SECONDS=600, ten minutes of Pods that start and end, an API server under kills, faults and 10,000 watches, the image for amd64 and arm64
	@$(MAKE) tsan
	@$(MAKE) fuzz N=200000 SECONDS=600
	@tests/node/churn --seconds 600 || [ $$? -eq 77 ]
	@tests/apiserver/kills --kills 100
	@tests/apiserver/torn --trials 40
	@tests/apiserver/watchers --watchers 10000
	@tests/kube/informer_chaos --embedded || [ $$? -eq 77 ]
	@tests/contract/faults || [ $$? -eq 77 ]
	@tests/chart/multi_arch_test

lint: check  ## run clang-tidy on files changed since the last commit; ALL=1 on all files
	@cmake --preset dev --log-level=WARNING >/dev/null
	@JOBS=$(JOBS) tools/lint $(if $(ALL),--all)

format: setup  ## format the C++ sources
	@tools/check_format --fix

cluster-programs: setup
	@! tools/setup --go-path >/dev/null || tests/cluster/build || echo 'The programs of Kubernetes could not be built: what needs them is skipped.'

setup-cluster: setup  ## build the programs of a real Kubernetes (once, about 13 minutes)
	@tests/cluster/build

cluster: setup-cluster  ## start a real Kubernetes on this machine, as root: CLUSTER=dev NODES=1 GPUS=rtx3090,rtx3060 (docs/cluster.md)
	@$(if $(GPUS),$(MAKE) setup simulated >&2)
	@ALLOT_BUILD=build/$(PRESET) tests/cluster/up '$(CLUSTER)' --nodes '$(NODES)' --gpus '$(GPUS)'
	@echo "export PATH=$$(tests/cluster/build --path):\$$PATH"

cluster-down:  ## stop it and remove everything of it
	@tests/cluster/down '$(CLUSTER)'

# Installs output of the program (manual, completions) at the path where man and the shells look for it.
says = set -o pipefail; build/$(PRESET)/allot $(1) | install -D -m 644 /dev/stdin '$(DESTDIR)$(PREFIX)/share/$(2)'

install:  ## install the programs, the fake driver of simulated GPUs, a systemd unit (docs/up.md), the manual and completions below PREFIX=/usr/local
	@echo 'What is installed is built with optimization, in build/$(PRESET), whatever `make` has built.'
	@$(MAKE) programs simulated
	install -D -t '$(DESTDIR)$(PREFIX)/bin' build/$(PRESET)/allot build/$(PRESET)/allot-cdi-hook
	ln -sfn allot '$(DESTDIR)$(PREFIX)/bin/kubectl-allot'
	ln -sfn allot '$(DESTDIR)$(PREFIX)/bin/kubectl_complete-allot'
	install -D -t '$(DESTDIR)$(PREFIX)/lib/allot' build/$(PRESET)/fake_nvml/libnvidia-ml.so.1 build/$(PRESET)/fake_smi/nvidia-smi
	@mkdir -p '$(DESTDIR)$(PREFIX)/lib/systemd/system'
	sed 's|@PREFIX@|$(PREFIX)|' deployments/systemd/allot.service >'$(DESTDIR)$(PREFIX)/lib/systemd/system/allot.service'
	$(call says,man,man/man1/allot.1)
	$(call says,completion bash,bash-completion/completions/allot)
	$(call says,completion zsh,zsh/site-functions/_allot)
	$(call says,completion fish,fish/vendor_completions.d/allot.fish)

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@echo 'allot: make TARGET'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' Makefile
	@echo 'JOBS=$(JOBS) at a time. ALLOT_REQUIRE=go,root,vectors,cluster makes a missing one fail its tests instead of skipping them.'

setup:
	@$(SETUP)

# What the programs need, and not what only tests do.
setup-build:
	@$(SETUP) $(if $(filter tools/setup,$(SETUP)),--build)

programs: setup-build build/$(PRESET)/build.ninja
	@cmake --build build/$(PRESET) -j $(JOBS) --target allot allot-cdi-hook

# The fake driver of simulated GPUs.
simulated: setup-build build/$(PRESET)/build.ninja
	@cmake --build build/$(PRESET) -j $(JOBS) --target fake_nvml fake_smi

build-dev build-asan build-tsan build-release build-fuzz: build-%: setup build/%/build.ninja
	@cmake --build build/$* -j $(JOBS) $(addprefix --target ,$(targets_$*))

# Ninja runs CMake again when a CMakeLists.txt changes. This rule runs it the first time, and when the presets change.
build/%/build.ninja: CMakePresets.json
	@cmake --fresh --preset $* --log-level=WARNING
	@touch $@
