"""Fits the digit model of the scorebug reader on rendered text.

usage: python -m benchmarks.train_digits FONTS_DIR... [--samples N] [--seed N]

FONTS_DIR are folders with TrueType or OpenType fonts; docs/benchmarks.md lists the Debian packages
used. Every sample is a few characters drawn small, compressed as a video is, and cut up by the same
code that the reader uses. Writes footy_assets/media/digit_weights.json.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from benchmarks.figures import log_progress
from footy_assets.media import digit_model
from footy_assets.media.digit_glyphs import find_glyphs, stack_patches
from footy_assets.media.digit_model import NO_DIGIT, WEIGHTS_FILE, DigitModel, write_model

WEIGHTS = Path(digit_model.__file__).with_name(WEIGHTS_FILE)
OTHERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdehkmnrstu-:|/#&%+*()"
# Letters that look like a digit in some font have no label of their own.
LOOKALIKES = frozenset("OQDIlS|Z")
HIDDEN = 128, 64
EPOCHS, BATCH = 20, 256

Floats = NDArray[np.float32]
Canvas = NDArray[np.uint8]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.train_digits", description=__doc__)
    parser.add_argument("fonts", type=Path, nargs="+")
    parser.add_argument("--samples", type=int, default=30000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    parser.add_argument("--left-out", nargs="*", default=(), help="parts of names of fonts")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    fonts = usable_fonts(arguments.fonts)
    left_out = [f for f in fonts if any(part in f.name for part in arguments.left_out)]
    used = [f for f in fonts if f not in left_out]
    log_progress(f"{len(used)} fonts, {len(left_out)} left out")
    patches, labels = samples(used, arguments.samples, rng)
    model = fit(patches, labels, rng)
    arguments.output.write_text(write_model(model))
    if left_out:
        report("fonts left out", model, *samples(left_out, 2000, rng))
    report("fonts used", model, *samples(used, 2000, rng))
    return 0


def usable_fonts(folders: Sequence[Path]) -> list[Path]:
    """Fonts whose ten digits look different from each other."""
    found = []
    for path in sorted(p for folder in folders for p in folder.rglob("*.[to]tf")):
        try:
            font = ImageFont.truetype(str(path), 40)
            drawn = {bytes(font.getmask(digit)) for digit in "0123456789A"}
        except OSError:
            continue
        if len(drawn) == 11:
            found.append(path)
    return found


def samples(
    fonts: Sequence[Path], count: int, rng: np.random.Generator
) -> tuple[Floats, NDArray[np.int64]]:
    patches, labels = [], []
    for number in range(count):
        font = fonts[rng.integers(len(fonts))]
        for patch, label in sample(font, rng):
            patches.append(patch)
            labels.append(label)
        if number % 5000 == 4999:
            log_progress(f"{number + 1} lines, {len(labels)} glyphs")
    return np.array(patches, np.float32), np.array(labels)


def sample(font: Path, rng: np.random.Generator) -> Iterator[tuple[Floats, int]]:
    """Draw one to three characters in a cell, make the picture worse, and cut it up again."""
    text = "".join(
        str(rng.integers(10)) if rng.random() < 0.75 else OTHERS[rng.integers(len(OTHERS))]
        for _ in range(rng.integers(1, 4))
    )
    finer, capitals = 4, float(rng.choice([rng.uniform(6.5, 12), rng.uniform(7, 22)]))
    picture, places = draw(text, font, capitals * finer, rng)
    picture = worsen(picture, finer, rng)
    glyphs = find_glyphs(picture, capitals * float(rng.uniform(0.8, 1.25)))
    if not glyphs:
        return
    for glyph, patch in zip(glyphs, stack_patches(glyphs), strict=True):
        label = label_of(glyph.box, places, finer)
        if label is not None:
            yield patch, label


def label_of(box: Sequence[int], places: Sequence[tuple[str, int, int]], finer: int) -> int | None:
    """The digit that fills the box; no digit if it is another mark, several, or a part of one."""
    left, right = box[0], box[2]
    covered = []
    for character, start, end in places:
        width = max(1.0, (end - start) / finer)
        # Boxes are in whole pixels: a narrow 1 may be one of them off.
        shared = min(right, end / finer) - max(left, start / finer)
        if shared > 0.25 * width:
            covered.append((character, min(1.0, (shared + 1.0) / width)))
    if len(covered) != 1:
        return NO_DIGIT
    character, share = covered[0]
    if character in LOOKALIKES or 0.6 < share < 0.8:
        return None
    return int(character) if character.isdigit() and share >= 0.8 else NO_DIGIT


def draw(
    text: str, path: Path, height: float, rng: np.random.Generator
) -> tuple[Canvas, list[tuple[str, int, int]]]:
    """The characters on a cell of their own colour, and where each stands."""
    probe = ImageFont.truetype(str(path), 100)
    _, top, _, bottom = probe.getbbox("8")
    font = ImageFont.truetype(str(path), max(8, round(100 * height / max(1, bottom - top))))
    stroke = int(rng.choice([0, 0, 0, 1, 2]))
    gap = rng.uniform(0.1, 0.9) * height
    light, dark = rng.uniform(150, 255), rng.uniform(0, 105)
    ink, paper = (light, dark) if rng.random() < 0.6 else (dark, light)
    width = int(sum(font.getlength(c) + gap for c in text) + 3.0 * height)
    canvas = Image.new("L", (width, int(2.4 * height)), int(rng.uniform(0, 255)))
    pen = ImageDraw.Draw(canvas)
    edge = rng.uniform(0.2, 1.2) * height
    above = rng.uniform(0.1, 0.5) * height
    y = 0.7 * height
    box = (height - edge * 0.8, y - above, width - height + edge * 0.8, y + height + above)
    border = int(rng.uniform(0, 255)) if rng.random() < 0.3 else None
    pen.rectangle(box, fill=int(paper), outline=border, width=2 if border is not None else 0)
    x, places = height * 1.2, []
    for character in text:
        left, _, right, _ = font.getbbox(character, stroke_width=stroke)
        pen.text(
            (x - left, y - font.getbbox("8")[1]), character, int(ink), font, stroke_width=stroke
        )
        places.append((character, int(x), int(x + right - left)))
        x += right - left + gap
    return np.asarray(canvas, np.uint8), places


def worsen(picture: Canvas, finer: int, rng: np.random.Generator) -> Canvas:
    """Noise, slant, a smaller size by way of a blur, and compression."""
    height, width = picture.shape
    if rng.random() < 0.25:
        slant = float(rng.uniform(-0.02, 0.18))
        shift = np.array([[1, -slant, slant * height / 2], [0, 1, 0]], np.float32)
        picture = np.asarray(
            cv2.warpAffine(picture, shift, (width, height), borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )
    size = max(8, width // finer), max(8, height // finer)
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    if rng.random() < 0.4:
        # Copies are made of smaller copies.
        part = float(rng.uniform(0.6, 0.95))
        less = cv2.resize(small, None, fx=part, fy=part, interpolation=cv2.INTER_AREA)
        small = cv2.resize(less, size, interpolation=cv2.INTER_CUBIC)
    if rng.random() < 0.5:
        small = cv2.GaussianBlur(small, (3, 3), float(rng.uniform(0.2, 0.9)))
    noisy = small + rng.normal(0, rng.uniform(0, 6), small.shape)
    bgr = cv2.cvtColor(noisy.clip(0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(18, 90))]
    _, encoded = cv2.imencode(".jpg", bgr, quality)
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)


def fit(patches: Floats, labels: NDArray[np.int64], rng: np.random.Generator) -> DigitModel:
    """Adam on the cross entropy, with noise and small shifts of the patches."""
    sizes = (patches.shape[1], *HIDDEN, NO_DIGIT + 1)
    values = []
    for inputs, outputs in pairwise(sizes):
        values.append(rng.normal(0, (2 / inputs) ** 0.5, (inputs, outputs)).astype(np.float32))
        values.append(np.zeros(outputs, np.float32))
    means = [np.zeros_like(value) for value in values]
    squares = [np.zeros_like(value) for value in values]
    step = 0
    for epoch in range(EPOCHS):
        rate = 0.0015 * (1 - epoch / EPOCHS) + 2e-5
        order = rng.permutation(len(labels))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            inputs = shifted(patches[chosen], rng)
            slopes = gradients(values, inputs, labels[chosen])
            step += 1
            for value, mean, square, slope in zip(values, means, squares, slopes, strict=True):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                up = mean / (1 - 0.9**step)
                value -= rate * up / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
                if value.ndim == 2:
                    value -= rate * 1e-3 * value
        if epoch % 10 == 9:
            model = to_model(values)
            right = model.probabilities(patches).argmax(axis=1) == labels
            log_progress(f"epoch {epoch + 1}: {right.mean():.4f} right")
    return to_model(values)


def to_model(values: Sequence[Floats]) -> DigitModel:
    return DigitModel(tuple(zip(values[::2], values[1::2], strict=True)))


def shifted(patches: Floats, rng: np.random.Generator) -> Floats:
    images = patches.reshape(len(patches), 20, 16)
    images = np.roll(images, (int(rng.integers(-1, 2)), int(rng.integers(-1, 2))), (1, 2))
    noise = rng.normal(0, 0.04, images.shape).astype(np.float32)
    return np.asarray((images + noise).reshape(len(patches), -1), np.float32)


def gradients(values: Sequence[Floats], inputs: Floats, labels: NDArray[np.int64]) -> list[Floats]:
    layers, outputs = list(zip(values[::2], values[1::2], strict=True)), [inputs]
    for weights, bias in layers[:-1]:
        outputs.append(np.maximum(outputs[-1] @ weights + bias, 0))
    weights, bias = layers[-1]
    scores = outputs[-1] @ weights + bias
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    error = powers / powers.sum(axis=1, keepdims=True)
    # A little doubt in every label keeps the probabilities honest.
    wanted = np.full_like(error, 0.02 / error.shape[1])
    wanted[np.arange(len(labels)), labels] += 0.98
    error = (error - wanted) / len(labels)
    slopes: list[Floats] = []
    for number in range(len(layers) - 1, -1, -1):
        weights, _ = layers[number]
        slopes += [error.sum(axis=0), outputs[number].T @ error]
        error = (error @ weights.T) * (outputs[number] > 0)
    return slopes[::-1]


def report(what: str, model: DigitModel, patches: Floats, labels: NDArray[np.int64]) -> None:
    found = model.probabilities(patches)
    value, sure = found.argmax(axis=1), found.max(axis=1) >= 0.9
    digit = labels != NO_DIGIT
    told = sure & (value != NO_DIGIT)
    log_progress(
        f"{what}: {(value == labels).mean():.4f} of {len(labels)} right; of {digit.sum()} digits "
        f"{(told & (value == labels))[digit].mean():.4f} told right, "
        f"{(told & (value != labels))[digit].mean():.4f} told wrong; "
        f"{told[~digit].mean():.4f} of {(~digit).sum()} others told as digits"
    )


if __name__ == "__main__":
    sys.exit(main())
