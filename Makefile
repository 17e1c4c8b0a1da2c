# make run: the first verdict. make test: every test. Each target installs what is missing first.
PYTHON ?= python3
VENV := .venv
JOBS ?= $(shell nproc)
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
MAKEFLAGS += --no-print-directory
# The compiler under one name for pip and for CMake: to ccache two names are two compilers.
ifeq ($(origin CXX), default)
  CXX := c++
endif
export CXX

PACKAGED := $(wildcard CMakeLists.txt cmake include src python kernels configurations curves platforms papers examples pyproject.toml)
SOURCES := $(shell find $(PACKAGED) -type f -not -name '*.pyc')
CTEST := ctest --output-on-failure --no-tests=error --parallel $(JOBS)
WITH_TESTS = cmake -S . -B build/release -DISTHMUS_TESTS=ON --log-level=WARNING
KNOWN = echo "$@: $$(grep -c '^known before' build/$(1)/Testing/Temporary/LastTest.log) parts of test programs were known before"
CXX_FILES = git ls-files '*.cpp' '*.hpp' '*.cl'

.PHONY: run test build wheel bench bench-gpu bench-check fuzz lint style tidy rtl-lint format docs soak sanitize tsan check-all clean

run: build
	isthmus study examples/image-filter.toml

build: build/.installed

test: $(VENV)/.dev build
	$(WITH_TESTS)
	cmake --build build/release -- --quiet
	$(CTEST) --test-dir build/release
	@$(call KNOWN,release)
	pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder

# dist/isthmus-*-manylinux_*.whl, for machines that have none of the packages.
wheel: $(VENV)/.dev build
	scripts/wheel dist

bench: $(VENV)/.dev build
	scripts/install-packages packages-bench.txt
	cmake --preset bench --log-level=WARNING
	cmake --build --preset bench -- --quiet
	build/bench/benchmarks/bench --json build/bench.json
	PYTHONPATH=benchmarks python benchmarks/command.py --json build/bench.json
	build/bench/benchmarks/apps/bench_hash --json build/bench.json
	build/bench/benchmarks/apps/bench_encryption --json build/bench.json
	build/bench/benchmarks/hpcc/bench_hpcc_compute --json build/bench.json
	build/bench/benchmarks/hpcc/bench_hpcc_memory --json build/bench.json
	PYTHONPATH=benchmarks python benchmarks/hpcc/ring.py --json build/bench.json
	PYTHONPATH=benchmarks python benchmarks/hpcc/debian.py --json build/bench.json
	PYTHONPATH=benchmarks python benchmarks/record/overhead.py --json build/bench.json

# On a machine with an NVIDIA GPU. Installs nothing: what is missing is named by CMake, which looks for it in
# CMAKE_PREFIX_PATH too; without nvcc there are no records, and without two GPUs, mpirun and the command none between two.
bench-gpu:
	cmake --preset bench-gpu --log-level=NOTICE
	cmake --build --preset bench-gpu -- --quiet
	if [ -x build/bench-gpu/benchmarks/gpu/bench_hpcc_gpu ]; then \
	  build/bench-gpu/benchmarks/gpu/bench_hpcc_gpu --json build/bench.json; fi
	PYTHONPATH=benchmarks $(PYTHON) benchmarks/hpcc/ring.py --gpus --json build/bench.json
	PYTHONPATH=benchmarks $(PYTHON) benchmarks/hpcc/linpack.py --json build/bench.json

# What the ratios must reach, by the medians of more rounds; for a machine that does nothing else.
bench-check: bench
	build/bench/benchmarks/bench --check --rounds 15

# Random cases for so many seconds in all.
SOAK_SECONDS ?= 3600
soak: $(VENV)/.dev build
	$(WITH_TESTS)
	cmake --build build/release -- --quiet
	scripts/soak build/release $(SOAK_SECONDS) $(JOBS)

# Mutated files and words, until each fuzzer has had its seconds; libFuzzer prints its seed, what it finds lies in
# build/fuzz.
FUZZ_SECONDS ?= 300
fuzz: $(VENV)/.dev build
	scripts/install-packages packages-fuzz.txt
	cmake --preset fuzz --log-level=WARNING
	cmake --build --preset fuzz -- --quiet
	scripts/fuzz $(FUZZ_SECONDS)

# Under a sanitizer a case costs several times as much, so the property tests get fewer: what is looked for is not wrong
# results but wrong accesses. For the same reason model runs of tests/long.txt, whose code shorter ones walk too, are
# left out unless LONG is ON. GCC 12's leak checker dies on the thread-local storage of libraries that are loaded late,
# such as PoCL's, where it follows each access to it. Paths are as seen from where a test program runs, build/NAME/tests/ROOM.
LONG ?= OFF
LONG_TESTS = $(shell sed 's|.*|&:&/*|' tests/long.txt | paste -s -d:)
sanitize tsan: $(VENV)/.dev
	cmake --preset $@ --log-level=WARNING
	cmake --build --preset $@ -- --quiet
	ASAN_OPTIONS=intercept_tls_get_addr=0 LSAN_OPTIONS=suppressions=../../../../tests/leaks.txt:print_suppressions=0 \
	  $(if $(filter OFF,$(LONG)),GTEST_FILTER='-$(LONG_TESTS)') \
	  RC_PARAMS="max_success=10" ISTHMUS_FUZZ_SECONDS=5 $(CTEST) --test-dir build/$@
	@$(call KNOWN,$@)

lint: style rtl-lint tidy

style: $(VENV)/.dev build
	python scripts/check_rooms.py
	python scripts/check_names.py
	PYTHONPATH=python lint-imports --no-cache --no-logo
	$(CXX_FILES) | xargs clang-format --dry-run --Werror
	ruff check .
	ruff format --check .
	mypy

tidy: $(VENV)/.dev build
	$(WITH_TESTS)
	scripts/tidy build/release $(JOBS)

rtl-lint: $(VENV)/.dev
	scripts/lint-rtl

format:
	$(CXX_FILES) | xargs clang-format -i
	ruff check --fix .
	ruff format .

docs: $(VENV)/.dev build
	python scripts/check_docs.py
	python scripts/build_docs.py

# All that CI looks at and the long tests under sanitizers, with empty caches.
check-all: clean
	LONG=ON XDG_CACHE_HOME=$(CURDIR)/build/empty CCACHE_DIR=$(CURDIR)/build/empty/ccache .ci/run

clean:
	rm -rf build out dist $(VENV)

# C++ is compiled once, in build/release: the wheel is made of what lies there, and the tests are added to it once what
# they need is there.
build/.installed: $(VENV)/.ready $(SOURCES)
	python -m pip install --quiet --no-build-isolation . -C build-dir=build/release \
	  -C cmake.define.ISTHMUS_TESTS=$(if $(wildcard $(VENV)/.dev),ON,OFF)
	touch $@

# What building and running needs.
$(VENV)/.ready: pyproject.toml scripts/packages.txt
	scripts/install-packages
	$(PYTHON) -m venv $(VENV)
	python -m pip install --quiet --upgrade 'pip>=25.1'
	python -m pip install --quiet --group build
	touch $@

# What tests, checks, documents and benchmarks need beyond that.
$(VENV)/.dev: $(VENV)/.ready scripts/packages-test.txt
	scripts/install-packages packages-test.txt
	python -m pip install --quiet --group dev --group devices --group wheel
	touch $@
