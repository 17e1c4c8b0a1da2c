# {work.benchmark} for {work.configuration.board} ({work.configuration.source}).
# make: the binary of the board. make emulate: for emulation. make report: estimates alone.
# make run, make emulate-run: runs it, with ARGUMENTS. Each target, BOARD and FLAGS have a folder of their own.
AOC ?= aoc
{variables}
SOURCES := {work.benchmark}.cl hls.h types.h
ifeq ($(TARGET),hw)
DEVICE ?= {work.configuration.device}
COMMON := -board=$(BOARD) {work.placing} $(FLAGS)
else
DEVICE ?= {emulator}
COMMON := -march=emulator {work.placing} $(FLAGS)
endif

.PHONY: all report emulate emulate-run side run clean
.DELETE_ON_ERROR:
all: side

$(BINARY): $(SOURCES)
	@mkdir -p $(OUT)
	$(AOC) $(COMMON) $(DEFINES) -I. -o $@ $<

report: $(SOURCES)
	@mkdir -p report-$(OUT)
	$(AOC) -rtl -report $(COMMON) $(DEFINES) -I. -o report-$(OUT)/{work.benchmark}.aocr $<

emulate:
	$(MAKE) TARGET=emulate all

emulate-run:
	$(MAKE) TARGET=emulate run
