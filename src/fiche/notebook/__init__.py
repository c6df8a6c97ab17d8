"""What a notebook or a program reads: records and decisions that show themselves (`_repr_html_`)."""
