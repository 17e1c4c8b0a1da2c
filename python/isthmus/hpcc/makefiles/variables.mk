{platform} ?= {work.configuration.platform}
TARGET ?= hw
FLAGS ?= {work.flags}
DEFINES := {work.defines}
ifneq ($(origin DEFINES),file)
$(error DEFINES: expected none; 'isthmus hpcc build {work.benchmark} --set NAME=VALUE' changes what is compiled in)
endif
ifeq ($(filter $(TARGET),{targets}),)
$(error TARGET=$(TARGET): expected one of {targets})
endif
KEY := $(shell printf '%s' '$(DEFINES) {work.placing} $(FLAGS)' | sha256sum | cut -c1-8)
OUT := $(TARGET)-$(subst /,-,$({platform}))-$(KEY)
BINARY := $(OUT)/{work.binary}
ISTHMUS ?= isthmus
