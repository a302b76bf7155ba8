"""DICOM files, read in the decoder's own process only. Nothing here may be imported anywhere else."""

from docgemma.imaging.dicom.header import opened
from docgemma.imaging.dicom.reading import decoded
from docgemma.imaging.dicom.series import Budget, drawn_frames

__all__ = ["Budget", "decoded", "drawn_frames", "opened"]
