# FAT=1: one file for several processors (src/core/variants.h). SPDX-License-Identifier: MIT
#
#   make FAT=1                       build/fat/rungs and its libraries, each with all variants
#   make FAT=1 VARIANTS="v2 v3"      with these
#   make FAT=1 grade LAB=04          any other target: in the plain build build/fat/VARIANT of the widest that runs here
#
# This file says what is built where; tools/variants_join.mk has the rules.

MARCH_v2 := x86-64-v2
MARCH_v3 := x86-64-v3
MARCH_v4 := x86-64-v4
MARCH_v4-bf16 := x86-64-v4 -mavx512vnni -mavx512bf16
VARIANTS_KNOWN := v2 v3 v4 v4-bf16

VARIANTS ?= $(VARIANTS_KNOWN)
ifneq ($(and $(strip $(VARIANTS)),$(if $(filter-out $(VARIANTS_KNOWN),$(VARIANTS)),,known)),known)
$(error VARIANTS is "$(VARIANTS)", expected some of $(VARIANTS_KNOWN))
endif
# From narrow to wide, which is how the widest that runs is found.
override VARIANTS := $(filter $(VARIANTS),$(VARIANTS_KNOWN))
VARIANTS_MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
ifeq ($(and $(filter x86_64-%,$(VARIANTS_MACHINE)),$(findstring linux,$(VARIANTS_MACHINE))),)
$(error FAT=1 is for x86-64 under Linux, and $(CC) compiles for $(or $(VARIANTS_MACHINE),something else): run make without it)
endif
ifeq ($(strip $(SANITIZE)),1)
$(error FAT=1 and SANITIZE=1 do not go together: run make SANITIZE=1, which checks the same code)
endif

BUILD ?= build/fat
FAT_BUILD := all announce doctor demo blas-test mpi-test lab-variants $(BUILD)/%
VARIANT_GOALS := $(filter-out $(FAT_BUILD) $(QUIET_GOALS) labs handout gradescope,$(MAKECMDGOALS))

ifeq ($(VARIANT_GOALS),)
# What is not in a variant, as the emulator, is compiled for the narrowest.
override MARCH := $(MARCH_$(firstword $(VARIANTS)))
variants_parts = $(VARIANTS:%=$(BUILD)/joined/$(1)-%.o) $(BUILD)/joined/$(1).o $(BUILD)/joined/src/core/variants.o
else
ifneq ($(filter $(FAT_BUILD),$(MAKECMDGOALS)),)
$(error with FAT=1, $(VARIANT_GOALS) is made for one variant and $(filter $(FAT_BUILD),$(MAKECMDGOALS)) for all: run make twice)
endif
# Here and in every make that this one starts: a plain build.
VARIANT := $(shell mkdir -p $(BUILD) && program=$$(mktemp $(BUILD)/variant.XXXXXX) && \
    $(CC) -std=c11 -D_GNU_SOURCE -O1 -march=x86-64 -Isrc src/core/variants.c tools/variant_here.c -o $$program && \
    $$program $(VARIANTS) 2>&1; rm -f $$program)
ifeq ($(filter $(VARIANT),$(VARIANTS)),)
$(error $(or $(VARIANT),$(CC) cannot compile src/core/variants.c))
endif
override BUILD := $(BUILD)/$(VARIANT)
override MARCH := $(MARCH_$(VARIANT))
override FAT := 0
MAKEOVERRIDES := $(filter-out BUILD=% MARCH=% FAT=%,$(MAKEOVERRIDES))
export BUILD MARCH FAT
endif
