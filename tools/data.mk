# Data sets that are downloaded, into $RUNGS_DATA (else the reader's default: src/data/data_folder.h). SPDX-License-Identifier: MIT
#   make data-mnist MIRROR=URL     from another place, also a folder: MIRROR=/media/stick/mnist

data-mnist:  ## download MNIST (11 MB; 70,000 handwritten digits, 28 x 28), resumed and checked
	@MIRROR='$(MIRROR)' sh tools/fetch_data.sh mnist

data-fashion:  ## download Fashion-MNIST (31 MB; 70,000 pieces of clothing, 28 x 28)
	@MIRROR='$(MIRROR)' sh tools/fetch_data.sh fashion

data-cifar10:  ## download CIFAR-10 in its binary form (170 MB; 60,000 colour images, 32 x 32)
	@MIRROR='$(MIRROR)' sh tools/fetch_data.sh cifar10

.PHONY: data-mnist data-fashion data-cifar10
