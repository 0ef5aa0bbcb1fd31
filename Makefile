# SPDX-License-Identifier: MIT
# rungs: one Makefile for the whole tree. `make help` lists the targets, `make` builds everything.
#
# What is found is used and announced; every probe can be overridden on the command line:
#   make OMP=0      without OpenMP          make MPI=0      without MPI
#   make CUDA=0     without CUDA            make BLAS=0     without other libraries as rows to measure against
#   make CC=clang   another compiler        make MARCH=haswell   code for another processor
#   make WERROR=1   warnings are errors     make SANITIZE=1 AddressSanitizer and UBSan (in build/sanitize)
#   make V=1        show the commands       make BUILD=DIR  build somewhere else
#   make FAT=1      programs that hold code for several processors, and choose when they start (in build/fat)
#   make OPTIMIZE=-O1               other optimisation; CFLAGS=.. and LDFLAGS=.. add to what is here

.DEFAULT_GOAL := all
SHELL := /bin/sh
.SUFFIXES:
.DELETE_ON_ERROR:

# A switch is 0 or 1; its default is found out below. Any other answer is refused: it would silently count as 0.
SPACE := $() $()
answered = $(or $(filter file default undefined,$(origin $(1))),$(filter :0 :1,:$(subst $(SPACE),:,$(strip $($(1))))))
$(foreach switch,OMP MPI CUDA BLAS WERROR SANITIZE FAT V,$(if $(call answered,$(switch)),,\
  $(error $(switch) is "$($(switch))" ($(origin $(switch))), expected 0 or 1: write $(switch)=0 or $(switch)=1, or unset $(switch))))

# Fedora keeps mpicc and mpirun out of PATH until `module load mpi`.
ifneq ($(wildcard /usr/lib64/openmpi/bin),)
export PATH := $(PATH):/usr/lib64/openmpi/bin
endif

# ---- what is here ----------------------------------------------------------------------------------
# A probe compiles and links a real program: a compiler may accept a flag whose library is missing.
ifeq ($(origin CC),default)
CC := gcc
endif
MARCH ?= native
PKG_CONFIG ?= pkg-config
HASH := \#
probe = $(shell printf '%s\n' '$(HASH)include $(1)' 'int main(void) { return 0; }' | \
          $(CC) -x c - -o /dev/null $(2) >/dev/null 2>&1 && echo 1 || echo 0)
pkg = $(shell $(PKG_CONFIG) $(1) $(2) 2>/dev/null)

QUIET_GOALS := help clean hint reset format format-check lint sbatch
ifeq ($(FAT),1)
include tools/variants.mk
endif
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(QUIET_GOALS),$(MAKECMDGOALS)),all),)
OMP  ?= $(call probe,<omp.h>,-fopenmp)
ifneq ($(MPI),0)
MPICC ?= $(or $(shell command -v mpicc),$(wildcard /usr/lib64/openmpi/bin/mpicc),mpicc)
MPI_CFLAGS ?= $(shell $(MPICC) --showme:compile 2>/dev/null)
MPI_LIBS   ?= $(shell $(MPICC) --showme:link 2>/dev/null)
endif
MPI  ?= $(call probe,<mpi.h>,$(MPI_CFLAGS) $(MPI_LIBS))
NVCC ?= nvcc
CUDA ?= $(shell command -v $(NVCC) >/dev/null 2>&1 && echo 1 || echo 0)
# OpenBLAS, BLIS and oneDNN are looked for by the benchmarks themselves, when they run (src/core/library.h). Not under
# sanitizers: GCC 12's leak checker crashes on threads that are older than a library that they use.
BLAS ?= $(if $(filter 1,$(SANITIZE)),0,$(call probe,<dlfcn.h>,-ldl))
CJSON_LIBS ?= $(or $(call pkg,--libs,libcjson),-lcjson)
CJSON_CFLAGS ?= $(call pkg,--cflags,libcjson)
CHECK_LIBS ?= $(or $(call pkg,--libs,check),-lcheck -lm)
ZLIB_LIBS ?= -lz
MARCH_OK := $(call probe,<stddef.h>,-march=$(MARCH))
NEEDED := $(if $(filter 0,$(call probe,<zlib.h>,$(ZLIB_LIBS))),zlib) \
          $(if $(filter 0,$(call probe,<cjson/cJSON.h>,$(CJSON_CFLAGS) $(CJSON_LIBS))),cJSON)
ifneq ($(strip $(NEEDED)),)
$(error rungs needs $(strip $(NEEDED)), not found by $(CC); run ./setup.sh, which installs it)
endif
endif

# ---- flags -----------------------------------------------------------------------------------------
BUILD ?= build$(if $(filter 1,$(SANITIZE)),/sanitize)
ifneq ($(words $(BUILD)),1)
$(error BUILD is "$(BUILD)", expected one folder without spaces in its path, as in make BUILD=/tmp/rungs)
endif
# -ffp-contract=fast is GCC's default and lets a * b + c be one FMA; it does not reorder sums.
# Never -Ofast or -ffast-math: they let the compiler assume that NaN does not exist.
# Sanitizers check the same code at -O1, which compiles in half the time.
OPTIMIZE_LEVEL ?= -O$(if $(filter 1,$(SANITIZE)),1,3)
OPTIMIZE ?= $(OPTIMIZE_LEVEL) $(if $(filter 1,$(MARCH_OK)),-march=$(MARCH)) -fno-math-errno -fno-trapping-math -ffp-contract=fast
# An initializer that names some fields leaves the others zero, as C says: option tables are written so.
WARNINGS := -Wall -Wextra -Wshadow -Wvla -Wmissing-prototypes -Wno-psabi -Wno-missing-field-initializers \
            $(if $(filter 1,$(OMP)),,-Wno-unknown-pragmas) $(if $(filter 1,$(WERROR)),-Werror)
SANITIZERS := $(if $(filter 1,$(SANITIZE)),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
override CPPFLAGS += -Isrc -I. -D_GNU_SOURCE $(CJSON_CFLAGS) \
            $(if $(filter 1,$(MPI)),-DHAVE_MPI $(MPI_CFLAGS)) $(if $(filter 1,$(BLAS)),-DHAVE_DLOPEN)
override CFLAGS += -std=c11 -g $(OPTIMIZE) $(WARNINGS) $(SANITIZERS) $(if $(filter 1,$(OMP)),-fopenmp)
override LDFLAGS += $(SANITIZERS) $(if $(filter 1,$(OMP)),-fopenmp)
override LDLIBS += $(if $(filter 1,$(MPI)),$(MPI_LIBS)) $(if $(filter 1,$(BLAS)),-ldl) \
          $(CJSON_LIBS) $(ZLIB_LIBS) -lm -lpthread

# ---- sources and objects: build/ mirrors the tree ---------------------------------------------------
# cpu/blas/ and mpi/dropin/ go into libraries of their own: tools/pic.mk.
SOURCES := $(sort $(filter-out cpu/blas/% mpi/dropin/%,$(wildcard src/*.c src/*/*.c src/*/*/*.c cpu/*.c cpu/*/*.c gpu/*.c gpu/*/*.c \
    mpi/parallel/ranks.c mpi/parallel/strategies.c mpi/parallel/pipeline/schedule*.c $(if $(filter 1,$(MPI)),mpi/*.c mpi/*/*.c mpi/*/*/*.c))))
PROGRAM_SOURCES := src/cli/main.c $(wildcard src/lenet.c)
LIBRARY_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(PROGRAM_SOURCES),$(SOURCES)))
MAIN_OBJECT := $(BUILD)/src/cli/main.o
RUNGS := $(BUILD)/rungs

# Objects depend on the flags that they were built with: a changed flag rebuilds, an equal one does not.
FLAGS_FILE := $(BUILD)/flags
FLAGS_TEXT := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LDLIBS)
# $(call keep_text,FILE,TEXT): writes it, unless it stands there already. Another make may be doing the same.
keep_text = $(shell mkdir -p $(dir $(1)); new=$(1).$$$$; printf '%s\n' '$(subst ','\'',$(2))' >$$new; \
              if cmp -s $$new $(1); then rm $$new; else mv $$new $(1); fi)
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(QUIET_GOALS),$(MAKECMDGOALS)),all),)
$(call keep_text,$(FLAGS_FILE),$(FLAGS_TEXT))
$(call keep_text,$(BUILD)/root,$(CURDIR))
endif

# $(call parts,NAME,OBJECTS): what a program or library is linked from; with FAT=1 these objects of each variant (tools/variants.mk).
parts = $(or $(call variants_parts,$(1)),$(2))

# One short line a file; V=1 shows the whole command.
Q := $(if $(filter 1,$(V)),,@)
say = @$(if $(filter 1,$(V)),:,printf '  %-5s %s\n' $(1) $(patsubst $(CURDIR)/%,%,$(2)))

# Where the project stands, and how it was compiled: only for the objects that say so, so that a compiler cache (ccache) serves all
# others in every copy of the tree.
$(BUILD)/src/core/project.o $(BUILD)/pic/src/core/project.o $(BUILD)/tests/%.o: override CPPFLAGS += -DRUNGS_ROOT='"$(CURDIR)"'
$(BUILD)/src/core/project.o $(BUILD)/pic/src/core/project.o $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/*.c tests/*/*.c)): $(BUILD)/root
$(BUILD)/src/core/json.o $(BUILD)/pic/src/core/json.o $(BUILD)/src/cli/doctor_look.o: override CPPFLAGS += -DRUNGS_FLAGS='"$(strip $(OPTIMIZE))"'
$(BUILD)/src/core/variants.o: override CPPFLAGS += -DRUNGS_MARCH='"$(or $(if $(filter 1,$(MARCH_OK)),$(strip $(MARCH))),plain)"'

$(BUILD)/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Test objects are kept (make would delete them as intermediate files). Not .SECONDARY: it would also take a missing object of
# the library for up to date when its source is old.
.PRECIOUS: $(BUILD)/%.o

-include $(patsubst %.o,%.d,$(LIBRARY_OBJECTS) $(MAIN_OBJECT)) $(wildcard $(BUILD)/tests/*/*.d $(BUILD)/tests/*.d)

$(BUILD)/librungs.a: $(LIBRARY_OBJECTS)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

RUNGS_PARTS := $(MAIN_OBJECT) $(BUILD)/librungs.a
$(RUNGS): $(call parts,rungs,$(RUNGS_PARTS))
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

# The trainer in one file: of this project it needs nothing. Handouts of labs that it would solve are without it.
$(BUILD)/lenet: $(BUILD)/src/lenet.o
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ -lm -o $@

all: announce $(RUNGS) $(patsubst src/%.c,$(BUILD)/%,$(wildcard src/lenet.c))  ## build everything (the default)

announce:
	@sh tools/announce.sh "$(CC)" "$(MARCH)" "$(OMP)" "$(MPI)" "$(CUDA)" "$(BLAS)" "$(if $(filter 1,$(FAT)),$(VARIANTS))"

help:  ## list the targets
	@awk -f tools/help.awk $(MAKEFILE_LIST)

demo: all  ## train a multi-layer perceptron on real handwritten digits (under a minute)
	@$(RUNGS) train mlp --data digits

# ---- tests: each tests/**/test_<topic>.c is one Check program; test_<topic>_mpi.c runs under mpirun ---------
TEST_SOURCES := $(sort $(filter-out $(if $(filter 1,$(MPI)),,tests/mpi/%),$(wildcard tests/test_*.c tests/*/test_*.c)))
TESTS := $(patsubst %.c,$(BUILD)/%,$(TEST_SOURCES))
TEST_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(TEST_SOURCES),$(wildcard tests/*.c)))

# An archive, so that a test links only the helpers that it uses.
$(BUILD)/tests/libtesting.a: $(TEST_SUPPORT)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/tests/libtesting.a $(BUILD)/librungs.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(CHECK_LIBS) $(LDLIBS) -o $@

# What test scripts need besides the programs: tests that fail on purpose.
TEST_HELPERS := $(BUILD)/tests/core/failing $(if $(filter 1,$(MPI)),$(BUILD)/tests/mpi/stuck)

tests: all $(TESTS) $(TEST_HELPERS)  ## build every test without running it

# What the labs' scripts link students' files with is built before they run: several run at once.
define RUN_TESTS
	$(if $(filter 1,$(SANITIZE)),,$(if $(shell cd tests && ls labs/test_*.sh | grep -F -e '$(ONLY)'),$(LAB_PREPARE)))
	@BUILD=$(BUILD) MPI=$(MPI) ONLY='$(ONLY)' sh tools/run_tests.sh $(TESTS)
endef
test: tests  ## run the tests; what cannot run here is reported as skipped (ONLY=nn runs those that match)
	$(RUN_TESTS)

# RUNGS_TEST_ALL is read by tools/run_tests.sh and tests/testing.h.
test-thorough: export RUNGS_TEST_ALL := 1
test-thorough: tests  ## run the tests that are slow and rarely fail, and only these
	$(RUN_TESTS)

test-all:  ## run every test: test, then test-thorough
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory test-thorough

# Without the emulator: sanitizers do not understand fibers, and what is opened at run time is not opened under them. On fewer numbers
# of ranks: they find what one rank does to its own memory.
# Sanitizers make gcc see overflows and null pointers that are not there: warnings stay warnings.
sanitize:  ## run every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@MPI_RANKS="$${MPI_RANKS:-1 3}" CK_DEFAULT_TIMEOUT="$${CK_DEFAULT_TIMEOUT:-300}" $(MAKE) --no-print-directory SANITIZE=1 WERROR=0 EMULATOR=0 test

clean:  ## remove build/
	rm -rf build

.PHONY: all announce help demo tests test test-thorough test-all sanitize clean
include $(sort $(filter-out tools/variants.mk tools/variants_join.mk,$(wildcard tools/*.mk)))
ifeq ($(FAT),1)
include tools/variants_join.mk
endif
