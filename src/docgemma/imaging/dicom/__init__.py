"""DICOM files, read in the decoder's own process only. Nothing here may be imported anywhere else."""

from docgemma.imaging.dicom.reading import read

__all__ = ["read"]
