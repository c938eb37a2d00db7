"""The generator of Weft's OpenSHMEM interface. table.py reads, the other modules write one kind of product each."""
