"""A GPU that is not there: fake tensors of a stand-in device, shown to Python as those of CUDA."""
