"""Words that llama.cpp and its kin leave in every log, by which their own messages are told from torch's."""

# In a text without these words the driver's error is another program's.
OWN = (b"ggml", b"llama_", b"llm_load", b"load_tensors:")
