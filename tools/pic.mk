# What the libraries that foreign programs load have in common: tools/blas.mk, tools/mpi.mk. SPDX-License-Identifier: MIT
#
# Everything in them is compiled once more: at any address (-fPIC), with all names hidden but those that the library is for, and
# without MPI and other libraries, unless its own file says otherwise. What is not needed is thrown out, threads' pinning too.

PIC_FLAGS := -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -UHAVE_MPI -UHAVE_DLOPEN
PIC_SOURCES := $(wildcard src/core/*.c cpu/*.c cpu/gemm/[0-9]*.c cpu/gemv/[0-9]*.c) $(addprefix cpu/gemm/,blocks.c choose.c five_loops.c micro_kernel.c pack.c threads.c)
PIC_OBJECTS := $(PIC_SOURCES:%.c=$(BUILD)/pic/%.o)

$(BUILD)/pic/%.o: %.c $(FLAGS_FILE)
	@mkdir -p $(@D)
	$(call say,PIC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) -MMD -MP -c $< -o $@

-include $(PIC_OBJECTS:.o=.d) $(wildcard $(BUILD)/pic/tests/*/*.d)

$(BUILD)/pic/librungs.a: $(PIC_OBJECTS)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)ar rcs $@ $^

# $(call link_library,LIBRARIES): of all that the target depends on. The linker takes from an archive only what it still misses, so
# an object before it stands in the place of one in it.
link_library = $(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F) -Wl,--gc-sections $^ $(1) -o $@
