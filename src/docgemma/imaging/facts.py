"""What is known of an image once it was decoded: technical facts only, nothing that names a patient.

A DICOM header is free text written elsewhere, and a name can stand in any of its fields. So every word kept here comes
from a closed set; what is not in the set is not kept.
"""

from __future__ import annotations

import functools
import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Function = Literal["LINEAR", "LINEAR_EXACT", "SIGMOID"]
BurnedIn = Literal["yes", "no", "unknown"]
Laterality = Literal["L", "R", "B", "U", ""]

_MODALITIES = (
    "CR CT DX ES GM IO IVOCT IVUS MG MR NM OAM OCT OP OPM OPT OPV OT PT PX RF RG RTIMAGE SC SM US VA XA XC BMD "
    "DG EC BI BDUS LEN DMS TG HC FID AU"
)
MODALITIES = frozenset(_MODALITIES.split())
_VIEWS = (
    "AP PA LL RL LLD RLD LLO RLO LPO RPO LAO RAO LAT LATERAL OBLIQUE AXIAL DECUB SITTING CC MLO ML LM LMO FB SIO "
    "ISO XCC XCCL XCCM CV AT SWIMMERS TOWNES WATERS CALDWELL"
)
VIEWS = frozenset(_VIEWS.split())
_BODY_PARTS = (
    "ABDOMEN ABDOMENPELVIS ADRENAL ANKLE AORTA ARM AXILLA BACK BLADDER BRAIN BREAST BRONCHUS BUTTOCK CALCANEUS "
    "CALF CAROTID CEREBELLUM CERVIX CHEEK CHEST CHESTABDOMEN CHESTABDPELVIS CLAVICLE COCCYX COLON CORNEA "
    "CORONARYARTERY CSPINE CTSPINE DUODENUM EAR ELBOW ESOPHAGUS EXTREMITY EYE EYELID FACE FEMUR FINGER FOOT "
    "FOREARM GALLBLADDER HAND HEAD HEADNECK HEART HIP HUMERUS IAC ILEUM ILIUM JAW JEJUNUM KIDNEY KNEE LARYNX LEG "
    "LIVER LSPINE LSSPINE LUNG MANDIBLE MAXILLA MEDIASTINUM MOUTH NECK NECKCHEST NOSE ORBIT OVARY PANCREAS "
    "PAROTID PATELLA PELVIS PENIS PHARYNX PROSTATE RADIUS RADIUSULNA RECTUM RIB SACRUM SCALP SCAPULA SCLERA "
    "SCROTUM SHOULDER SINUS SKULL SPINE SPLEEN SSPINE STERNUM STOMACH TESTIS THIGH THUMB THYMUS THYROID TIBIA "
    "TIBIAFIBULA TLSPINE TMJ TOE TONGUE TRACHEA TSPINE ULNA URETER URETHRA UTERUS VAGINA VULVA WHOLEBODY WRIST "
    "ZYGOMA"
)
BODY_PARTS = frozenset(_BODY_PARTS.split())
_UNITS = "HU HU_MOD OD Z_EFF MGML PCT BQML CNTS GML CPS PROPCNTS"
UNITS = frozenset(_UNITS.split())
"""Rescale types and PET units that say what a pixel's value means. US (unspecified) says nothing, and is not kept."""

MOST_STRETCHED = 10.0
"""No device makes pixels that are longer than this one way: such numbers are wrong."""


@dataclass(frozen=True, slots=True)
class Window:
    """A range of values to look at: what lies below is black, what lies above is white."""

    name: str
    label: str
    centre: float
    width: float


@dataclass(frozen=True, slots=True)
class DicomFacts:
    """The technical facts of one DICOM image. A value in the modality's unit is `slope * depth + intercept`."""

    modality: str
    photometric: str
    bits: int
    frames: int
    frame: int
    """Which frame is shown; the first is 1."""
    rows: int
    columns: int
    spacing: tuple[float, float] | None = None
    """Millimetres between rows and between columns. Unequal numbers mean that the pixels are not square."""
    spacing_at: Literal["patient", "detector", ""] = ""
    """Where the spacing is true. At the detector a body part looks larger than it is: not for measuring."""
    laterality: Laterality = ""
    view: str = ""
    body_part: str = ""
    windows: tuple[Window, ...] = ()
    shown: Window | None = None
    """The window of the picture that came with these facts; none for colour, or for the file's own lookup table."""
    function: Function = "LINEAR"
    slope: float = 1.0
    intercept: float = 0.0
    unit: str = ""
    low: float = 0.0
    high: float = 0.0
    """The smallest and the largest value in the image, padding left out."""
    padding: tuple[int, int] | None = None
    """Depth values, first to last, that mark the area outside of the image: always drawn black."""
    burned_in: BurnedIn = "unknown"
    lossy: bool = False
    ratio: tuple[float, float] | None = None
    """Height and width of a pixel, in a file that tells their shape but not their size."""

    @property
    def inverted(self) -> bool:
        return self.photometric == "MONOCHROME1"

    @property
    def hounsfield(self) -> bool:
        """Whether the values are CT numbers, which mean the same in every image."""
        return self.unit == "HU"

    @property
    def aspect(self) -> float:
        """How many times as high as wide a pixel is; 1 within a hundredth, and where the file's numbers make no sense.

        Exactly 1 then: an image is not resampled for the last digit of a measurement.
        """
        height, width = self.spacing or self.ratio or (1.0, 1.0)
        sensible = height > 0 and width > 0 and 1 / MOST_STRETCHED <= height / width <= MOST_STRETCHED
        return height / width if sensible and not math.isclose(height, width, rel_tol=0.01) else 1.0

    def as_dict(self) -> dict[str, Any]:
        """These facts as JSON holds them; `from_dict` is the way back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> DicomFacts:
        """Facts from JSON, checked. Raises ValueError when they are not these facts."""
        return _adapter().validate_python(value)


@dataclass(frozen=True, slots=True)
class Frame:
    """One of several frames, drawn as a vision model is shown it."""

    number: int
    """The first is 1."""
    picture: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """An image that was decoded once: its true type, its size, and a clean copy."""

    media_type: Literal["image/png", "image/jpeg"]
    width: int
    height: int
    data: bytes = field(repr=False)
    depth: bytes | None = field(default=None, repr=False)
    """For a grey DICOM image: all its values as a 16-bit PNG, so that another window needs no original file."""
    dicom: DicomFacts | None = None
    frames: tuple[Frame, ...] = ()
    """Of a DICOM file with several frames: some of them, spread evenly over all. Empty where there is only one."""

    @property
    def aspect(self) -> float:
        return self.dicom.aspect if self.dicom is not None else 1.0


@functools.cache
def _adapter() -> TypeAdapter[DicomFacts]:
    from pydantic import TypeAdapter  # not at the top: the decoder's process starts faster without

    return TypeAdapter(DicomFacts)
