"""Model files as their headers describe them: bytes in, tensors and configurations out, never a weight."""
