"""Every file that comes in is read here: found, opened, unpacked, decoded, and taken apart row by row within limits.

What a row means is the reader's own matter; where it stands, and what may be wrong with it, is this package's.
"""
