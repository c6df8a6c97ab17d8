"""What differs between makers of cards. Holds rules, never rows: those are the catalog's.

One rule holds for all of them. A label of "24 GB" times 2^30 is a **ceiling**: no machine seen shows
a framework more than that, so a need above it can exclude on the label alone. The decimal reading
(24 x 10^9) is **no floor**: cards that run with ECC show less. So a label never admits (DESIGN 4).
"""
