# The drop-in BLAS: build/librungs_blas.so (cpu/blas/blas.h). SPDX-License-Identifier: MIT
# tools/pic.mk says how it is compiled: here without what a foreign program must not get from a BLAS: MPI, and other BLAS libraries.
# cpu/blas/ is in no program of ours: its names would take the place of those of the libraries that the benchmarks call.

BLAS_LIBRARY := $(BUILD)/librungs_blas.so
BLAS_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(wildcard cpu/blas/*.c))
-include $(BLAS_OBJECTS:.o=.d)

link_blas = $(call link_library,-lm -lpthread)

BLAS_PARTS := $(BLAS_OBJECTS) $(BUILD)/pic/librungs.a
$(BLAS_LIBRARY): $(call parts,librungs_blas,$(BLAS_PARTS))
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

tests: $(BLAS_WRONG)

blas-test: $(BLAS_LIBRARY)  ## run the reference's BLAS test programs (Debian: libblas-test) on our drop-in BLAS
	@sh tools/blas_test.sh $(BLAS_LIBRARY)

.PHONY: blas-test
