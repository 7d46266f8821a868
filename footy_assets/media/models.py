"""Everything that judging a clip loads once."""

from footy_assets.media.assessment_models import assessment_models
from footy_assets.media.digit_model import digit_model
from footy_assets.media.image_model import image_model
from footy_assets.media.ocr import text_reader


def load_models() -> None:
    """OCR and networks, on one thread: a process that forks afterwards hands them on."""
    image_model()
    text_reader()
    digit_model()
    assessment_models()
