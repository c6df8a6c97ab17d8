"""Where decisions and records keep: bags of plain files, which are the truth, and an index made from them."""
