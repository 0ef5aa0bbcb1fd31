# Kernels for a GPU: each .cu file is compiled by the host's C++ compiler for the emulator, twice, and by nvcc for a device.
# SPDX-License-Identifier: MIT
#   make EMULATOR=0                without the emulator        make CXX=g++-13     another compiler for it
#   make gpu CUDA_ARCH="80 90a"    for these devices; else for the one that is here; else for a few that nvcc knows
#   make gpu-check                 what nvcc says of every kernel: warnings are errors; registers and spills as a table
#
#     gpu/gemm/01_naive.cu --translate.awk--> emulator/source/gpu/gemm/01_naive.cpp --CXX--> emulator/plain/..o --> librungs_emulator.so
#                                                                                     \----> emulator/checked/..o -> .._checked.so
#                          --nvcc--> gpu/gemm/01_naive.cu.o --> librungs_gpu.so, by `make gpu`, and by `make` where a device is

ifeq ($(origin CXX),default)
CXX := g++
endif
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(QUIET_GOALS),$(MAKECMDGOALS)),all),)
EMULATOR ?= $(shell printf '%s\n' '$(HASH)include <tuple>' 'int main() { return 0; }' | \
              $(CXX) -std=c++17 -x c++ - -o /dev/null >/dev/null 2>&1 && echo 1 || echo 0)
GPU_FOUND := $(if $(filter 1,$(CUDA)),$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . | sort -u))
endif
EMULATOR ?= 0

KERNELS := $(sort $(filter-out gpu/device.cu,$(wildcard gpu/*.cu gpu/*/*.cu)))
KERNEL_HEADERS := $(sort $(wildcard gpu/*.cuh gpu/*/*.cuh tests/gpu/*.cuh))

# ---- the emulator ------------------------------------------------------------------------------------
EMULATOR_OUT := $(BUILD)/emulator
EMULATOR_LIBRARY := $(BUILD)/librungs_emulator.so
CHECKED_LIBRARY := $(BUILD)/librungs_emulator_checked.so

# Never under sanitizers: they do not understand fibers. Both libraries are opened by the same program: nothing is shared by them.
EMULATOR_FLAGS := -std=c++17 -g -fPIC $(if $(findstring clang,$(CXX)),,-fno-gnu-unique) $(if $(filter 1,$(MARCH_OK)),-march=$(MARCH)) -fno-math-errno -fno-trapping-math \
    -Wall -Wextra -Wshadow -Wno-unknown-pragmas $(if $(filter 1,$(WERROR)),-Werror) $(if $(filter 1,$(OMP)),-fopenmp) \
    -I$(EMULATOR_OUT)/source -Isrc -I. -D_GNU_SOURCE
# -gdwarf-4: addr2line (binutils 2.40) takes the first file of DWARF 5 for the one that was compiled, and #line names another.
KERNEL_FLAGS := -gdwarf-4 -Igpu/emulator/include -ffp-contract=fast
# Callbacks at every access and every branch, which gpu/emulator/instrument.cpp supplies: the sanitizers' own are not linked.
# -fno-tree-sra: else `float4 v = a[i]` becomes four reads of a float, which a device does at once. Clang has
# no such switch, so that its counts are rough; it would leave out reads before writes.
CHECKED_FLAGS := -fsanitize=thread -fsanitize-coverage=trace-pc \
    $(if $(findstring clang,$(CXX)),-mllvm -tsan-instrument-read-before-write,-fno-tree-sra)
EMULATOR_LINK = $(CXX) -shared $(if $(filter 1,$(OMP)),-fopenmp) -Wl,-Bsymbolic -Wl,-soname,$(@F) $(filter %.o,$^) -lm -lpthread -o $@

EMULATOR_SOURCES := $(addprefix gpu/emulator/,$(addsuffix .cpp,async_copy atomics barrier block device_math fiber fragments \
    launch memory narrow_float runtime shared warp))
CHECKS_SOURCES := $(filter-out $(EMULATOR_SOURCES) gpu/emulator/no_observer.cpp,$(wildcard gpu/emulator/*.cpp gpu/emulator/*.c))
emulator_objects = $(patsubst %,$(EMULATOR_OUT)/runtime/%.o,$(basename $(1)))
EMULATOR_OBJECTS := $(call emulator_objects,$(EMULATOR_SOURCES))
EMULATOR_PLAIN := $(EMULATOR_OBJECTS) $(call emulator_objects,gpu/emulator/no_observer.cpp) $(EMULATOR_OUT)/plain/gpu/device.o
EMULATOR_CHECKED := $(EMULATOR_OBJECTS) $(call emulator_objects,$(CHECKS_SOURCES)) $(EMULATOR_OUT)/watched/gpu/device.o

# Changed flags rebuild.
EMULATOR_FLAGS_FILE := $(EMULATOR_OUT)/flags
ifeq ($(EMULATOR),1)
$(call keep_text,$(EMULATOR_FLAGS_FILE),$(CXX) $(EMULATOR_FLAGS) $(KERNEL_FLAGS) $(CHECKED_FLAGS))
endif

emulator_compile = @mkdir -p $(@D); $(if $(filter 1,$(V)),set -x;,printf '  %-5s %s\n' $(1) $(patsubst $(EMULATOR_OUT)/source/%,%,$<);) \
    $(CXX) $(EMULATOR_FLAGS) $(2) -MMD -MP -c $< -o $@

# The checks' callbacks are called by what is compiled with CHECKED_FLAGS, and are themselves compiled without.
$(EMULATOR_OUT)/runtime/%.o: %.cpp $(EMULATOR_FLAGS_FILE)
	$(call emulator_compile,CXX,-O2 $(RUNTIME_EXTRA))
$(EMULATOR_OUT)/runtime/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,PIC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(filter-out $(SANITIZERS),$(CFLAGS)) -fPIC -MMD -MP -c $< -o $@
$(EMULATOR_OUT)/runtime/gpu/emulator/device_math.o: RUNTIME_EXTRA := -ffp-contract=off

EMULATOR_HEADERS := $(addprefix $(EMULATOR_OUT)/source/,$(KERNEL_HEADERS))
translate = @mkdir -p $(@D); awk -f gpu/emulator/translate.awk $< > $@.new && mv $@.new $@
$(EMULATOR_OUT)/source/%.cpp: %.cu gpu/emulator/translate.awk
	$(translate)
$(EMULATOR_OUT)/source/%.cuh: %.cuh gpu/emulator/translate.awk
	$(translate)
$(EMULATOR_OUT)/plain/%.o: $(EMULATOR_OUT)/source/%.cpp $(EMULATOR_FLAGS_FILE) | $(EMULATOR_HEADERS)
	$(call emulator_compile,EMU,-O2 $(KERNEL_FLAGS))
$(EMULATOR_OUT)/checked/%.o: $(EMULATOR_OUT)/source/%.cpp $(EMULATOR_FLAGS_FILE) | $(EMULATOR_HEADERS)
	$(call emulator_compile,CHECK,-O1 $(KERNEL_FLAGS) $(CHECKED_FLAGS) -DRUNGS_CHECKED)
$(EMULATOR_OUT)/watched/%.o: $(EMULATOR_OUT)/source/%.cpp $(EMULATOR_FLAGS_FILE)
	$(call emulator_compile,CHECK,-O1 $(KERNEL_FLAGS) -DRUNGS_CHECKED)
.PRECIOUS: $(EMULATOR_OUT)/source/%.cpp $(EMULATOR_OUT)/source/%.cuh $(EMULATOR_OUT)/plain/%.o $(EMULATOR_OUT)/checked/%.o

# A library of the kernels in these .cu files: kernels_plain FILES, kernels_checked FILES.
kernels_plain = $(patsubst %.cu,$(EMULATOR_OUT)/plain/%.o,$(1)) $(EMULATOR_PLAIN)
kernels_checked = $(patsubst %.cu,$(EMULATOR_OUT)/checked/%.o,$(1)) $(EMULATOR_CHECKED)

$(EMULATOR_LIBRARY): $(call kernels_plain,$(KERNELS))
	$(call say,LINK,$@)
	$(Q)$(EMULATOR_LINK)
$(CHECKED_LIBRARY): $(call kernels_checked,$(KERNELS))
	$(call say,LINK,$@)
	$(Q)$(EMULATOR_LINK)

# Kernels that only tests run; those in tests/wrong/gpu/ each have a mistake.
TEST_KERNELS := $(BUILD)/tests/gpu/libkernels.so
TEST_KERNELS_CHECKED := $(BUILD)/tests/gpu/libkernels_checked.so
WRONG_KERNELS := $(BUILD)/tests/gpu/libwrong_checked.so
$(TEST_KERNELS): $(call kernels_plain,$(sort $(wildcard tests/gpu/*.cu)))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(EMULATOR_LINK)
$(TEST_KERNELS_CHECKED): $(call kernels_checked,$(sort $(wildcard tests/gpu/*.cu)))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(EMULATOR_LINK)
$(WRONG_KERNELS): $(call kernels_checked,$(sort $(wildcard tests/wrong/gpu/*.cu)))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(EMULATOR_LINK)

# The emulator in the place of a device, which it claims to be: what the program does with one is tested on it.
STAND_IN := $(BUILD)/tests/gpu/stand_in/librungs_gpu.so
$(EMULATOR_OUT)/stand_in/%.o: $(EMULATOR_OUT)/source/%.cpp $(EMULATOR_FLAGS_FILE)
	$(call emulator_compile,EMU,-O2 $(KERNEL_FLAGS) -DRUNGS_STAND_IN)
$(STAND_IN): $(filter-out %/plain/gpu/device.o,$(call kernels_plain,$(KERNELS))) $(EMULATOR_OUT)/stand_in/gpu/device.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(EMULATOR_LINK)

ifeq ($(EMULATOR),1)
all: $(EMULATOR_LIBRARY) $(if $(wildcard gpu/emulator/instrument.cpp),$(CHECKED_LIBRARY))
$(filter $(BUILD)/tests/gpu/%,$(TESTS)): | $(EMULATOR_LIBRARY) $(CHECKED_LIBRARY) $(TEST_KERNELS) $(TEST_KERNELS_CHECKED) $(WRONG_KERNELS) $(STAND_IN)
else
all: no-emulator
no-emulator:
	@echo "  emulator   not built: $(CXX) was not found or cannot compile C++17, or EMULATOR=0 was given: no kernels without a GPU"
endif

-include $(wildcard $(EMULATOR_OUT)/*/gpu/*.d $(EMULATOR_OUT)/*/gpu/*/*.d $(EMULATOR_OUT)/*/tests/*/*.d $(EMULATOR_OUT)/*/tests/*/*/*.d)

# ---- a device ----------------------------------------------------------------------------------------
GPU_LIBRARY := $(BUILD)/librungs_gpu.so
GPU_OUT := $(BUILD)/cuda
# 9.0 has instructions (wgmma) that only code for 90a may use; so have 10.0 and 12.0.
with_a = $(patsubst 90,90a,$(patsubst 100,100a,$(patsubst 120,120a,$(1))))
GPU_KNOWN = $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch 2>/dev/null))
CUDA_ARCH ?= $(call with_a,$(or $(GPU_FOUND),$(filter 80 90 100,$(GPU_KNOWN))))
GPU_CODE = $(foreach arch,$(CUDA_ARCH),-gencode arch=compute_$(arch),code=sm_$(arch))
NVCC_FLAGS := -std=c++17 -O3 -Isrc -I. -lineinfo -Xcompiler -fPIC -Xcompiler -Wall $(if $(filter 1,$(WERROR)),-Werror all-warnings)
GPU_OBJECTS := $(patsubst %.cu,$(GPU_OUT)/%.cu.o,gpu/device.cu $(KERNELS))

$(GPU_OUT)/%.cu.o: %.cu $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(Q)$(NVCC) $(NVCC_FLAGS) $(GPU_CODE) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
.PRECIOUS: $(GPU_OUT)/%.cu.o

$(GPU_LIBRARY): $(GPU_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(NVCC) -shared -cudart static -Xlinker -Bsymbolic $(GPU_CODE) $^ -o $@

-include $(wildcard $(GPU_OUT)/gpu/*.d $(GPU_OUT)/gpu/*/*.d)

gpu: $(GPU_LIBRARY)  ## compile the kernels by nvcc (CUDA_ARCH="80 90a"), also where no device is: build/librungs_gpu.so

# `make` does it only where it can run: nvcc takes long.
all: $(if $(GPU_FOUND),$(GPU_LIBRARY))

# ---- what nvcc says ----------------------------------------------------------------------------------
GPU_CHECK_ARCH ?= 80 90a
GPU_CHECKED := $(foreach arch,$(GPU_CHECK_ARCH),$(patsubst %.cu,$(GPU_OUT)/check/sm_$(arch)/%.txt,gpu/device.cu $(KERNELS)))
# $(1): the architecture. -cubin: the device's code alone, which is what takes registers.
define gpu_check_rule
$(GPU_OUT)/check/sm_$(1)/%.txt: %.cu
	@mkdir -p $$(@D)
	$$(call say,NVCC,$$<)
	$$(Q)$$(NVCC) -std=c++17 -O3 -Isrc -I. -arch=sm_$(1) -cubin -Werror all-warnings -Xptxas -v,-warn-spills -MMD -MP -MF $$(@:.txt=.d) \
	  -MT $$@ $$< -o $$(@:.txt=.cubin) >$$@.new 2>&1 && mv $$@.new $$@ || { cat $$@.new; exit 1; }
endef
$(foreach arch,$(GPU_CHECK_ARCH),$(eval $(call gpu_check_rule,$(arch))))
-include $(wildcard $(GPU_OUT)/check/*/gpu/*.d $(GPU_OUT)/check/*/gpu/*/*.d)

gpu-check: $(GPU_CHECKED)  ## compile every kernel by nvcc for sm_80 and sm_90a, warnings are errors; registers and spills as a table
	@cat $(GPU_CHECKED) | awk -f tools/gpu_registers.awk | c++filt -p

.PHONY: gpu gpu-check no-emulator
