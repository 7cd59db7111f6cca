"""Explains why a request was refused: `python -m postern explain`.

The mistakes, their names and their words are those of the gateway's own `postern explain`. All text of a request is
held one character a byte (latin-1), so that what is compared is what was sent, whatever bytes it has.
"""
