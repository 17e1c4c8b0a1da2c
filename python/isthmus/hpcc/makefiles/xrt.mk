# {work.benchmark} for {work.configuration.board} ({work.configuration.source}).
# make: the binary of the board. make TARGET=sw_emu or hw_emu: for emulation. make report: estimates alone.
# make run: runs it, with ARGUMENTS. Each TARGET, PLATFORM and FLAGS have a folder of their own.
VPP ?= v++
EMCONFIGUTIL ?= emconfigutil
{variables}
DEVICE ?= {work.configuration.device}
COMMON := -t $(TARGET) --platform $(PLATFORM) --save-temps --temp_dir $(OUT)/temp $(FLAGS)
ifeq ($(TARGET),hw)
ENVIRONMENT := env -u XCL_EMULATION_MODE
EMULATED :=
else
ENVIRONMENT := env XCL_EMULATION_MODE=$(TARGET) EMCONFIG_PATH=$(abspath $(OUT))
EMULATED := $(OUT)/emconfig.json
endif

.PHONY: all report side run clean
.DELETE_ON_ERROR:
all: side $(EMULATED)

report: {objects}

$(OUT)/%.xo: {work.benchmark}.cl hls.h types.h compile.cfg
	@mkdir -p $(OUT)
	$(VPP) -c $(COMMON) --config compile.cfg -k $* -I. $(DEFINES) -o $@ $<

$(BINARY): {objects} link.cfg
	$(VPP) -l $(COMMON) --config link.cfg -o $@ {objects}

$(OUT)/emconfig.json:
	@mkdir -p $(OUT)
	$(EMCONFIGUTIL) --platform $(PLATFORM) --od $(OUT)
