# The drop-in library for MPI's collectives: build/librungs_mpi.so (mpi/dropin/dropin.h). SPDX-License-Identifier: MIT
#
# tools/pic.mk says how it is compiled. The rungs in it call the MPI library's collectives, not those of this library
# (mpi/dropin/real.h). mpi/dropin/ is in no program of ours.

MPI_LIBRARY := $(BUILD)/librungs_mpi.so
MPI_RUNG_SOURCES := $(wildcard mpi/*.c mpi/model/*.c mpi/collectives/*.c mpi/collectives/*/*.c)
MPI_RUNG_OBJECTS := $(MPI_RUNG_SOURCES:%.c=$(BUILD)/pic/%.o)
MPI_OBJECTS := $(patsubst %.c,$(BUILD)/pic/%.o,$(wildcard mpi/dropin/*.c))
-include $(patsubst %.o,%.d,$(MPI_RUNG_OBJECTS) $(MPI_OBJECTS))

$(MPI_RUNG_OBJECTS): PIC_FLAGS += -DHAVE_MPI -include mpi/dropin/real.h

$(BUILD)/pic/librungs_mpi.a: $(MPI_RUNG_OBJECTS)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

link_mpi = $(call link_library,$(MPI_LIBS) -lm -lpthread -ldl)

MPI_PARTS := $(MPI_OBJECTS) $(BUILD)/pic/librungs_mpi.a $(BUILD)/pic/librungs.a
$(MPI_LIBRARY): $(call parts,librungs_mpi,$(MPI_PARTS))
	$(call say,LINK,$@)
	$(Q)$(link_mpi)

# ---- tests -----------------------------------------------------------------------------------------
# The test programs are foreign programs, and run on the MPI library itself as well as on ours. The library with broken rungs must be
# found broken. Our own programs have collectives that count (mpi/watch/); where the MPI library stands first, the linker leaves them out.
MPI_GUESTS := $(addprefix $(BUILD)/tests/mpi/,test_dropin_mpi test_dropin_guest_mpi dropin_threads dropin_times dropin_order dropin_lives dropin_device fuzz_dropin)
$(MPI_GUESTS): %: %.o $(BUILD)/tests/libtesting.a $(BUILD)/librungs.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $< $(MPI_LIBS) $(filter %.a,$^) $(CHECK_LIBS) $(LDLIBS) -o $@

# A CUDA driver that is none, for dropin_device.
MPI_DRIVER := $(BUILD)/tests/mpi/libcuda_fake.so
$(MPI_DRIVER): $(BUILD)/pic/tests/mpi/fake_driver.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,libcuda.so.1 $^ -o $@

MPI_WRONG := $(BUILD)/tests/mpi/librungs_mpi_wrong.so
$(MPI_WRONG): $(MPI_OBJECTS) $(BUILD)/pic/tests/wrong/mpi_rungs.o $(BUILD)/pic/librungs_mpi.a $(BUILD)/pic/librungs.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(link_mpi)

ifeq ($(MPI),1)
all: $(MPI_LIBRARY)
tests: $(MPI_WRONG) $(MPI_DRIVER) $(MPI_GUESTS)
endif

mpi-test: all  ## run mpi4py's tests of collectives on our drop-in library, on 1 to 4 ranks
	@MPI=$(MPI) sh tools/mpi_test.sh $(MPI_LIBRARY)

# A third of the time on each of three algorithms of all-reduce. A failure names the SEED of its round.
MPI_FUZZ := $(BUILD)/tests/mpi/fuzz_dropin
mpi-fuzz: SECONDS ?= 60
mpi-fuzz: RANKS ?= 4
mpi-fuzz: $(MPI_LIBRARY) $(MPI_FUZZ)  ## random programs on our drop-in library: SECONDS=600 RANKS=4 SEED=17
	@for rung in window ring auto; do echo "mpi-fuzz: RUNGS_ALLREDUCE=$$rung"; \
	    timeout -k 10 $$(($(SECONDS) / 3 + 300)) sh tools/mpirun.sh $(RANKS) env LD_PRELOAD=$(abspath $(MPI_LIBRARY)) RUNGS_ALLREDUCE=$$rung \
	        RUNGS_MPI_VERBOSE=1 $(MPI_FUZZ) $$(($(SECONDS) / 3)) $(SEED) || exit 1; done

.PHONY: mpi-test mpi-fuzz
