# Convolution and its gradients on the layers of ResNet-50. SPDX-License-Identifier: MIT

# Its 20 distinct layers, version 1: HxWxCxOCxKxSxP. BENCH_CONV_BATCHES=16 leaves out the single image.
RESNET50_LAYERS := 224x224x3x64x7x2x3 \
    56x56x64x64x1x1x0 56x56x64x64x3x1x1 56x56x64x256x1x1x0 56x56x256x64x1x1x0 \
    56x56x256x128x1x2x0 28x28x128x128x3x1x1 28x28x128x512x1x1x0 56x56x256x512x1x2x0 28x28x512x128x1x1x0 \
    28x28x512x256x1x2x0 14x14x256x256x3x1x1 14x14x256x1024x1x1x0 28x28x512x1024x1x2x0 14x14x1024x256x1x1x0 \
    14x14x1024x512x1x2x0 7x7x512x512x3x1x1 7x7x512x2048x1x1x0 14x14x1024x2048x1x2x0 7x7x2048x512x1x1x0
# Where version 1.5 has its stride in the 3 x 3 convolution instead.
RESNET50_STRIDED_3X3 := 56x56x256x128x1x1x0 56x56x128x128x3x2x1 28x28x512x256x1x1x0 28x28x256x256x3x2x1 \
    14x14x1024x512x1x1x0 14x14x512x512x3x2x1
BENCH_CONV_BATCHES ?= 1 16
conv_sizes = $(call list,$(foreach batch,$(BENCH_CONV_BATCHES),$(foreach layer,$(1),$(batch)x$(layer))))

# Against each peer in a run of its own: the ratios are to the fastest peer of a run.
bench-conv: all  ## the convolutions of ResNet-50, one image and 16, against oneDNN and against im2col with OpenBLAS
	$(call bench_ladder,conv,conv-onednn,expert$(comma)onednn,$(call conv_sizes,$(RESNET50_LAYERS)),15,mean:onednn=1.00)
	$(call bench_ladder,conv,conv-openblas,expert$(comma)openblas,$(call conv_sizes,$(RESNET50_LAYERS)),15,mean:openblas=1.50)

bench-conv-strided: all  ## the six other convolutions of ResNet-50 version 1.5, against oneDNN
	$(call bench_ladder,conv,conv-strided,expert$(comma)onednn,$(call conv_sizes,$(RESNET50_STRIDED_3X3)),15,mean:onednn=1.00)

bench-conv-gradients: bench-conv-input-gradient bench-conv-weight-gradient  ## gradients of convolution on the layers of ResNet-50, against oneDNN

bench-conv-input-gradient: all
	$(call bench_ladder,conv_input_gradient,conv-input-gradient,expert$(comma)onednn,$(call conv_sizes,$(RESNET50_LAYERS)),15,mean:onednn=0.90)

bench-conv-weight-gradient: all
	$(call bench_ladder,conv_weight_gradient,conv-weight-gradient,expert$(comma)onednn,$(call conv_sizes,$(RESNET50_LAYERS)),15,mean:onednn=0.90)

.PHONY: bench-conv bench-conv-strided bench-conv-gradients bench-conv-input-gradient bench-conv-weight-gradient
