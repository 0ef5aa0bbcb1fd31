# Fuzzing: the file readers against libFuzzer. A target is tests/fuzz/fuzz_<name>.c. SPDX-License-Identifier: MIT
#   make fuzz SECONDS=600          each target for 10 minutes
#   make fuzz ONLY=csv             one of them
#   make fuzz FUZZ_CC=clang-16     another clang

FUZZ_CC ?= clang
SECONDS ?= 60
FUZZ_BUILD := build/fuzz
FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_CHOSEN := $(if $(ONLY),$(filter $(ONLY),$(FUZZ_NAMES)),$(FUZZ_NAMES))
# The library once more, by clang, with the counters that guide the fuzzer. Readers need neither threads nor MPI nor a BLAS.
FUZZ_SETTINGS := CC=$(FUZZ_CC) BUILD=$(FUZZ_BUILD) OMP=0 MPI=0 BLAS=0 OPTIMIZE=-O1 \
    SANITIZERS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer'

fuzz:  ## try to break the file readers with clang's libFuzzer, SECONDS=60 each (ONLY=csv: one of them)
	@sh tools/fuzz.sh probe '$(FUZZ_CC)'
	@$(MAKE) --no-print-directory $(FUZZ_SETTINGS) $(addprefix $(FUZZ_BUILD)/tests/fuzz/fuzz_,$(FUZZ_CHOSEN))
	@sh tools/fuzz.sh run $(FUZZ_BUILD) '$(SECONDS)' $(or $(FUZZ_CHOSEN),$(error no fuzz target is called "$(ONLY)"; there are: $(FUZZ_NAMES)))

# libFuzzer has a main of its own.
$(FUZZ_BUILD)/tests/fuzz/fuzz_%: $(FUZZ_BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_BUILD)/librungs.a
	$(call say,LINK,$@)
	$(Q)$(CC) -fsanitize=fuzzer $(LDFLAGS) $^ $(LDLIBS) -o $@

.PHONY: fuzz
