"""Evidence of one node for people who look for a fault: gathered within limits, without secrets, changing nothing.

Pure are the catalogue of what is gathered, the redaction, the comparison of two readings and the manifest; ``collect``
alone runs programs. It deliberately judges nothing: what a moved counter means is told where the bundle is read.
"""
