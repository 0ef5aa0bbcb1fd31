# The labs: exercises are cut from the reference, a student's file takes the reference's place at link time.
# SPDX-License-Identifier: MIT

LAB_OUT := $(BUILD)/labs
LAB_TEST_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/labs/test_%,$(wildcard tests/labs/*.c)))
# An exercise that is not solved yet leaves parameters, variables and helpers without use.
LAB_UNUSED := -Wno-unused-parameter -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-function
LAB_CFLAGS = $(filter-out -Werror,$(CFLAGS)) $(LAB_UNUSED) -Wno-missing-prototypes

# Which files are reference files is looked up only when it matters: it reads all sources.
ifneq ($(filter lab-objects,$(MAKECMDGOALS)),)
LAB_MARKED := $(shell grep -l 'BEGIN SOLUTION' $(SOURCES))
LAB_PLAIN := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(LAB_MARKED) $(PROGRAM_SOURCES),$(SOURCES)))
LAB_REFERENCE := $(patsubst %.c,$(LAB_OUT)/reference/%.o,$(LAB_MARKED))
endif

# Apart from the objects of the library: in a handout those are the student's (tools/labs_handout.sh).
$(LAB_OUT)/reference/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(LAB_CFLAGS) -MMD -MP -c $< -o $@

-include $(wildcard $(LAB_OUT)/reference/*/*.d $(LAB_OUT)/reference/*/*/*.d)

# The tests of all labs with the reference: checks the solutions, and speaks for a student's file that does not compile.
$(LAB_OUT)/table: $(LAB_PLAIN) $(LAB_REFERENCE) $(LAB_TEST_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(CHECK_LIBS) $(LDLIBS) -o $@

# Kernels (.cu) are graded on the emulator that watches: a student's become a library of kernels, opened by the tests (tests/labs/lab_05.c).
# A solution includes its reference, so that is translated, too, to where the compiler looks first.
LAB_KERNELS := $(if $(filter lab-objects,$(MAKECMDGOALS)),$(shell grep -l 'BEGIN SOLUTION' $(KERNELS)))
LAB_TRANSLATED := $(patsubst %,$(LAB_OUT)/source/%,$(LAB_KERNELS))
$(LAB_OUT)/source/%.cu: %.cu gpu/emulator/translate.awk
	$(translate)
LAB_KERNEL_FLAGS = -I$(LAB_OUT)/source $(filter-out -Werror,$(EMULATOR_FLAGS)) $(KERNEL_FLAGS) $(LAB_UNUSED)
LAB_EMULATOR := $(if $(filter 1,$(EMULATOR)),$(EMULATOR_CHECKED) $(LAB_TRANSLATED))

# All that a student's files are compiled and linked with, for tools/labs_grade.sh; flags as files that the compiler reads (@FILE).
# Each is written beside and renamed: another window may be reading it, or writing the same, and Ctrl-C may come at any time.
lab_file = @new=$(LAB_OUT)/$(1).$$$$; printf '%s\n' $(2) > $$new && mv -f $$new $(LAB_OUT)/$(1)
lab-objects: $(LAB_OUT)/table $(MAIN_OBJECT) $(LAB_EMULATOR)
	$(call lab_file,compile.flags,'$(subst ','\'',$(CPPFLAGS) $(LAB_CFLAGS))')
	$(call lab_file,link.flags,'$(subst ','\'',$(LDFLAGS))')
	$(call lab_file,link.libraries,'$(subst ','\'',$(CHECK_LIBS) $(LDLIBS))')
	$(call lab_file,compiler,'$(CC)')
	$(call lab_file,kernel.compiler,'$(if $(LAB_EMULATOR),$(CXX))')
	$(call lab_file,kernel.flags,'$(LAB_KERNEL_FLAGS)')
	$(call lab_file,checked.flags,'-O1 $(CHECKED_FLAGS) -DRUNGS_CHECKED')
	$(call lab_file,checked.objects,$(EMULATOR_CHECKED))
	$(call lab_file,plain.flags,-O2)
	$(call lab_file,all.checked.objects,$(call kernels_checked,$(KERNELS)))
	$(call lab_file,all.plain.objects,$(call kernels_plain,$(KERNELS)))
	$(call lab_file,kernel.libraries,'-shared $(if $(filter 1,$(OMP)),-fopenmp) -Wl$(comma)-Bsymbolic -Wl$(comma)--no-undefined -lm -lpthread')
	$(call lab_file,plain.objects,$(LAB_PLAIN))

# exec: a signal that ends make reaches the script itself.
LAB_ENVIRONMENT = exec env BUILD='$(BUILD)' MAKE='$(MAKE)' LAB='$(LAB)' FROM='$(FROM)' FILE='$(FILE)' JSON='$(JSON)' \
                  JUNIT='$(JUNIT)' SEED='$(SEED)' LABS='$(LABS)' ALL='$(ALL)' AGAIN='$(AGAIN)'
LAB_JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))
# + : the jobs of this make are also those of the one inside. exec: a signal that ends this make reaches that one.
LAB_PREPARE = +@[ -f $(LAB_OUT)/plain.objects ] || echo "Building the project once, which takes a minute.."; \
              exec $(MAKE) -s --no-print-directory $(LAB_JOBS) lab-objects

lab-prepare:
	$(LAB_PREPARE)

labs:  ## cut the exercises from the reference files again (for teachers)
	@sh tools/labs_cut.sh

grade:  ## grade your labs: LAB=02, LAB=02.3, LAB=all in one program; JSON=F, JUNIT=F, FROM=FOLDER, SEED=N
	$(LAB_PREPARE)
	@$(LAB_ENVIRONMENT) sh tools/labs_grade.sh grade

# What rungs takes from the reference where the student's lab has no kernels.
lab-kernels: $(if $(filter 1,$(EMULATOR)),$(sort $(call kernels_plain,$(KERNELS)) $(call kernels_checked,$(KERNELS))))

lab-rungs:  ## build the program rungs with your files of lab LAB=02 in it: build/labs/02/rungs
	$(LAB_PREPARE) lab-kernels
	@$(LAB_ENVIRONMENT) sh tools/labs_grade.sh rungs

watch:  ## grade again whenever a file of LAB=02 is saved
	+@$(LAB_ENVIRONMENT) sh tools/labs_watch.sh

hint:  ## the next hint for an exercise: LAB=02.3 (ALL=1: every hint)
	@$(LAB_ENVIRONMENT) sh tools/labs_hint.sh

reset:  ## begin LAB=02 again (or LAB=02 FILE=mlp.c); your version is kept in .rungs/backup
	@$(LAB_ENVIRONMENT) sh tools/labs_reset.sh

labs-check:  ## prove that exercises are cut freshly, fail unsolved, are solvable, have hints (for teachers)
	$(LAB_PREPARE)
	@$(LAB_ENVIRONMENT) sh tools/labs_check.sh

handout:  ## pack the project without the solutions of LABS="01 02" (for teachers)
	@$(LAB_ENVIRONMENT) sh tools/labs_handout.sh

gradescope:  ## pack an autograder for Gradescope for LAB=02 (for teachers)
	@$(LAB_ENVIRONMENT) sh tools/labs_gradescope.sh

.PHONY: lab-objects lab-kernels lab-prepare labs grade lab-rungs watch hint reset labs-check handout gradescope
