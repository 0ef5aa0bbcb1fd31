# The drop-in BLAS: build/librungs_blas.so (cpu/blas/blas.h). SPDX-License-Identifier: MIT
#
# Everything in it is compiled once more: at any address (-fPIC), with all names hidden but the eight of the BLAS, and without what
# a foreign program must not get from us: MPI, and other BLAS libraries. What is not needed is thrown out, threads' pinning too.
# cpu/blas/ is in no program of ours: its names would take the place of those of the libraries that the benchmarks call.

BLAS_LIBRARY := $(BUILD)/librungs_blas.so
PIC_FLAGS := -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -UHAVE_MPI -UHAVE_DLOPEN
PIC_SOURCES := $(wildcard src/core/*.c cpu/*.c cpu/gemm/[0-9]*.c cpu/gemv/[0-9]*.c) cpu/gemm/choose.c
PIC_OBJECTS := $(PIC_SOURCES:%.c=$(BUILD)/pic/%.o)
BLAS_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(wildcard cpu/blas/*.c))

$(BUILD)/pic/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,PIC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) -MMD -MP -c $< -o $@

-include $(patsubst %.o,%.d,$(PIC_OBJECTS) $(BLAS_OBJECTS)) $(wildcard $(BUILD)/pic/tests/*/*.d)

$(BUILD)/pic/librungs.a: $(PIC_OBJECTS)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

link_blas = $(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F) -Wl,--gc-sections $^ -lm -lpthread -o $@

$(BLAS_LIBRARY): $(BLAS_OBJECTS) $(BUILD)/pic/librungs.a
	$(call say,LINK,$@)
	$(Q)$(link_blas)

all: $(BLAS_LIBRARY)

# ---- tests -----------------------------------------------------------------------------------------
# They call the library as a foreign program does.
$(BUILD)/tests/blas/%: $(BUILD)/tests/blas/%.o $(BUILD)/tests/libtesting.a $(BUILD)/librungs.a $(BLAS_LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(CHECK_LIBS) $(LDLIBS) -Wl,-rpath,'$$ORIGIN/../..' -o $@

# The library with broken kernels: the reference's test programs must find them broken. The linker takes from an archive only what
# it still misses, so those of tests/wrong/ stand in the place of ours.
BLAS_WRONG := $(BUILD)/tests/blas/librungs_blas_wrong.so
$(BLAS_WRONG): $(BLAS_OBJECTS) $(BUILD)/pic/tests/wrong/blas_kernels.o $(BUILD)/pic/librungs.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(link_blas)

test: $(BLAS_WRONG)

blas-test: $(BLAS_LIBRARY)  ## run the reference's BLAS test programs (Debian: libblas-test) on our drop-in BLAS
	@sh tools/blas_test.sh $(BLAS_LIBRARY)

.PHONY: blas-test
