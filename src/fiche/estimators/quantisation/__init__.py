"""Ways to store parameters in fewer bits: each member knows the bytes of one of them, scales included."""
