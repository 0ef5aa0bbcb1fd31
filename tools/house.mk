# The house: what this machine has, how the sources look, what is wrong with them. SPDX-License-Identifier: MIT

doctor: all  ## say what this machine has and what is missing: paste it when you ask for help
	@$(RUNGS) doctor

format:  ## lay out the C and CUDA sources (clang-format 14)
	@sh tools/format.sh apply

format-check:  ## fail if `make format` would change something
	@sh tools/format.sh check

lint:  ## who includes whom, our rules of style, cppcheck, shellcheck
	@sh tools/lint.sh

.PHONY: doctor format format-check lint
