"""Everything that judging a clip loads once."""

from footy_assets.media.assessment_models import assessment_models
from footy_assets.media.digit_model import digit_model
from footy_assets.media.efficientnet import LITE2
from footy_assets.media.image_model import image_model
from footy_assets.media.ocr import text_reader
from footy_assets.media.scene_model import scene_model


def load_models() -> None:
    """OCR and networks, on one thread: a process that forks afterwards hands them on."""
    image_model()
    image_model(network=LITE2)
    scene_model()
    text_reader()
    digit_model()
    assessment_models()
