"""What differs between the programs that run a model: each member knows the rule of one of them."""
