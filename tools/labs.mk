# The labs: exercises are cut from the reference, a student's file takes the reference's place at link time.
# SPDX-License-Identifier: MIT

LAB_OUT := $(BUILD)/labs
LAB_TEST_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/labs/test_%,$(wildcard tests/labs/*.c)))
# An exercise that is not solved yet leaves parameters, variables and helpers without use.
LAB_CFLAGS = $(filter-out -Werror,$(CFLAGS)) -Wno-unused-parameter -Wno-unused-variable -Wno-unused-but-set-variable \
             -Wno-unused-function -Wno-missing-prototypes

# Which files are reference files is looked up only when it matters: it reads all sources.
ifneq ($(filter lab-objects,$(MAKECMDGOALS)),)
LAB_MARKED := $(shell grep -l 'BEGIN SOLUTION' $(SOURCES))
LAB_PLAIN := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(LAB_MARKED) src/cli/main.c,$(SOURCES)))
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

# All that a student's files are compiled and linked with, for tools/labs_grade.sh; flags as files that the compiler reads (@FILE).
lab-objects: $(LAB_OUT)/table $(MAIN_OBJECT)
	@printf '%s\n' '$(subst ','\'',$(CPPFLAGS) $(LAB_CFLAGS))' > $(LAB_OUT)/compile.flags
	@printf '%s\n' '$(subst ','\'',$(LDFLAGS))' > $(LAB_OUT)/link.flags
	@printf '%s\n' '$(subst ','\'',$(CHECK_LIBS) $(LDLIBS))' > $(LAB_OUT)/link.libraries
	@printf '%s\n' '$(CC)' > $(LAB_OUT)/compiler
	@printf '%s\n' $(LAB_PLAIN) > $(LAB_OUT)/plain.objects

# exec: a signal that ends make reaches the script itself.
LAB_ENVIRONMENT = exec env BUILD='$(BUILD)' MAKE='$(MAKE)' LAB='$(LAB)' FROM='$(FROM)' FILE='$(FILE)' JSON='$(JSON)' \
                  JUNIT='$(JUNIT)' SEED='$(SEED)' LABS='$(LABS)' ALL='$(ALL)' AGAIN='$(AGAIN)'
LAB_JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))
LAB_PREPARE = @[ -f $(LAB_OUT)/plain.objects ] || echo "Building the project once, which takes a minute.."; \
              $(MAKE) -s --no-print-directory $(LAB_JOBS) lab-objects

labs:  ## cut the exercises from the reference files again (for teachers)
	@sh tools/labs_cut.sh

grade:  ## grade your labs: LAB=02, LAB=02.3, LAB=all in one program; JSON=F, JUNIT=F, FROM=FOLDER, SEED=N
	$(LAB_PREPARE)
	@$(LAB_ENVIRONMENT) sh tools/labs_grade.sh grade

lab-rungs:  ## build the program rungs with your files of lab LAB=02 in it: build/labs/02/rungs
	$(LAB_PREPARE)
	@$(LAB_ENVIRONMENT) sh tools/labs_grade.sh rungs

watch:  ## grade again whenever a file of LAB=02 is saved
	@$(LAB_ENVIRONMENT) sh tools/labs_watch.sh

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

.PHONY: labs lab-objects grade lab-rungs watch hint reset labs-check handout gradescope
