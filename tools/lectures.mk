# Lectures: listings and outputs are generated from the source and the program, and checked. SPDX-License-Identifier: MIT
lectures: all  ## rewrite the listings and outputs in lectures and lab texts
	@BUILD=$(BUILD) CC="$(CC)" sh tools/lectures.sh update

lectures-check: all  ## check listings, outputs and links of lectures and lab texts
	@BUILD=$(BUILD) CC="$(CC)" sh tools/lectures.sh check

lectures-measure: all  ## measure again what the lectures' tables show (minutes, alone on the machine)
	@BUILD=$(BUILD) CC="$(CC)" sh tools/lectures.sh measure

.PHONY: lectures lectures-check lectures-measure
