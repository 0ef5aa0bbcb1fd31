# How FAT=1 joins variants (tools/variants.mk). SPDX-License-Identifier: MIT
#
#     build/fat/v3/..              a plain build, made by a make of its own: nothing in the sources knows that there are others
#     build/fat/joined/rungs-v3.o  its objects linked to one (ld -r). All names in it are local, but main, which is main_v3; what the
#                                  library exports is renamed so, too. Constructors are moved to where no loader calls them
#     build/fat/joined/rungs.c     main, or the exported names as jumps: the choice (tools/variants.awk), for any x86-64
#     build/fat/rungs              all of these

FILES_JOINED := RUNGS BLAS $(if $(filter 1,$(MPI)),MPI)
in_variant = $(patsubst $(BUILD)/%,$(BUILD)/$(1)/%,$(2))
VARIANT_PARTS := $(sort $(foreach file,$(FILES_JOINED),$($(file)_PARTS)))
make_variant = $(MAKE) $(if $(filter 1,$(V)),,-s) --no-print-directory FAT=0 BUILD=$(BUILD)/$(1) MARCH='$(MARCH_$(1))' OMP=$(OMP) MPI=$(MPI) BLAS=$(BLAS)

# $(1): the variant; a recipe, so that make looks which of its objects are newer.
define variant_rules
variant-$(1):
	+$$(Q)$(call make_variant,$(1)) CUDA=0 EMULATOR=0 $(call in_variant,$(1),$(VARIANT_PARTS))
$(call in_variant,$(1),$(VARIANT_PARTS)): variant-$(1)
	@:
.PHONY: variant-$(1)
endef
$(foreach variant,$(VARIANTS),$(eval $(call variant_rules,$(variant))))

# $(1): the variant, $(2): the file's name, $(3): its parts.
define join_rule
$(BUILD)/joined/$(2)-$(1).o: $(call in_variant,$(1),$(3)) tools/variants.awk tools/variants_join.mk
	@mkdir -p $$(@D)
	$$(call say,JOIN,$$@)
	$$(Q)$(LD) -r $$(filter %.o %.a,$$^) -o $$@.all
	$$(Q)readelf --syms --wide $$@.all | awk -v variant=$(1) -v file=$(2) -f tools/variants.awk >$$@.names
	$$(Q)cut -d ' ' -f 2 $$@.names >$$@.global
	$$(Q)objcopy --redefine-syms=$$@.names --keep-global-symbols=$$@.global \
	    --rename-section .init_array=variant_init_$(subst -,_,$(1)) $$@.all $$@.new
	@rm $$@.all && mv $$@.new $$@
endef
# $(1): the file's name. Other variants than before rebuild.
define choice_rule
$(BUILD)/joined/$(1).c: $(VARIANTS:%=$(BUILD)/joined/$(1)-%.o) $(BUILD)/joined/variants
	$$(Q)awk -v file=$(1) -v variants='$(VARIANTS)' -f tools/variants.awk $$(patsubst %,%.names,$$(filter %.o,$$^)) >$$@.new && mv $$@.new $$@
endef
ifneq ($(filter-out $(QUIET_GOALS),$(or $(MAKECMDGOALS),all)),)
$(call keep_text,$(BUILD)/joined/variants,$(VARIANTS))
endif
RUNGS_FILE := rungs
BLAS_FILE := librungs_blas
MPI_FILE := librungs_mpi
$(foreach file,$(FILES_JOINED),$(foreach variant,$(VARIANTS),$(eval $(call join_rule,$(variant),$($(file)_FILE),$($(file)_PARTS)))))
$(foreach file,$(FILES_JOINED),$(eval $(call choice_rule,$($(file)_FILE))))

$(BUILD)/joined/%.o: override MARCH := x86-64
$(BUILD)/joined/%.o: $(BUILD)/joined/%.c src/core/variants.h $(FLAGS_FILE)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) -c $< -o $@
$(BUILD)/joined/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) -MMD -MP -c $< -o $@
-include $(BUILD)/joined/src/core/variants.d
.PRECIOUS: $(BUILD)/joined/%.c

# For an autograder, which does not know yet what processor it will run on.
lab-variants: $(VARIANTS:%=lab-objects-%)
lab-objects-%:
	+$(Q)$(call make_variant,$*) lab-objects
.PHONY: lab-variants
