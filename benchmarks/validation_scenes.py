"""Films for training and testing validation: photographs that pan, drawn scenes, filmed screens.

Every film is drawn from its seed alone. The parameters are wide on purpose: a judge that learns
the constants of one renderer knows nothing about real phones.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
Rng = np.random.Generator

WIDTH, HEIGHT, FPS, SECONDS = 640, 360, 12, 4.0
FRAMES = round(FPS * SECONDS)


def write_film(path: Path, pictures: Iterator[Picture], crf: int, fps: float = FPS) -> Path:
    aside = path.with_suffix(".part")
    with av.open(str(aside), "w", format="mp4") as container:
        stream = None
        for picture in pictures:
            if stream is None:
                stream = container.add_stream("libx264", rate=round(fps))
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.options = {"preset": "superfast", "crf": str(crf)}
                stream.codec_context.thread_count = 1
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        if stream is not None:
            container.mux(stream.encode())
    aside.replace(path)
    return path


def frames_of(path: Path, every: float = 1 / FPS, most: int = FRAMES) -> Iterator[Picture]:
    """Pictures of a film at an even pace."""
    with av.open(str(path)) as container:
        container.streams.video[0].codec_context.thread_count = 1
        given = 0
        for frame in container.decode(video=0):
            if frame.time is None or frame.time >= given * every:
                yield np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
                given += 1
                if given == most:
                    return


# A camera over a photograph


def panned(photo: Picture, seed: int, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Iterator[Picture]:
    """A photograph as video: the camera pans and zooms, as in slide shows."""
    rng = np.random.default_rng(seed)
    width, height = size
    scale = max(width / photo.shape[1], height / photo.shape[0]) * rng.uniform(1.05, 1.6)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    photo = np.asarray(cv2.resize(photo, None, fx=scale, fy=scale, interpolation=how), np.uint8)
    room = np.array([photo.shape[1] - width, photo.shape[0] - height])
    begin, end = rng.uniform(0, 1, 2) * room, rng.uniform(0, 1, 2) * room
    for n in range(FRAMES):
        at = begin + (end - begin) * n / FRAMES + [width / 2, height / 2]
        yield np.asarray(cv2.getRectSubPix(photo, size, (float(at[0]), float(at[1]))), np.uint8)


# Drawn scenes: what is green and not football, what is no sport at all, and a drawn pitch


def _texture(rng: Rng, size: tuple[int, int], grains: Sequence[int]) -> Floats:
    width, height = size
    texture = np.zeros((height, width), np.float32)
    for grain in grains:
        coarse = rng.normal(size=(height // grain + 2, width // grain + 2)).astype(np.float32)
        layer = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        texture += layer / max(float(layer.std()), 1e-6)
    return texture / np.sqrt(len(grains))


def _painted(colour: Sequence[float], texture: Floats, depth: float) -> Picture:
    base = np.array(colour, np.float32) + texture[..., None] * depth
    return np.clip(base, 0, 255).astype(np.uint8)


def _grass_colour(rng: Rng) -> list[float]:
    green = rng.uniform(90, 180)
    return [green * rng.uniform(0.2, 0.6), green, green * rng.uniform(0.35, 0.85)]


def _person(
    picture: Picture, at: tuple[float, float], tall: float, colours: NDArray, swing: float
) -> None:
    x, y = at
    shirt, shorts, skin = (tuple(int(c) for c in colour) for colour in colours)
    head = max(1, round(tall * 0.09))
    stride = tall * 0.18 * np.sin(swing)
    thick = max(1, round(tall * 0.1))
    foot = int(y)
    hip = int(y - 0.45 * tall)
    for side in (-1, 1):
        cv2.line(picture, (int(x), hip), (int(x + side * stride), foot), skin, thick)
    cv2.rectangle(
        picture,
        (int(x - tall * 0.1), hip - 1),
        (int(x + tall * 0.1), int(hip + tall * 0.15)),
        shorts,
        -1,
    )
    cv2.ellipse(
        picture,
        (int(x), int(y - 0.65 * tall)),
        (max(1, int(tall * 0.13)), max(1, int(tall * 0.22))),
        0,
        0,
        360,
        shirt,
        -1,
    )
    cv2.circle(picture, (int(x), int(y - 0.92 * tall)), head, skin, -1)


def _people(rng: Rng, count: int) -> tuple[NDArray, NDArray]:
    kits = rng.uniform(0, 255, (2, 2, 3))
    skins = np.array([[120, 160, 210], [70, 100, 150], [40, 60, 90]])
    colours = np.stack([np.vstack([kits[n % 2], skins[rng.integers(3)]]) for n in range(count)])
    places = np.stack(
        [
            rng.uniform(0.02, 0.98, count),
            rng.uniform(0, 1, count),
            rng.uniform(-0.06, 0.06, count),
            rng.uniform(0, 6, count),
        ],
        1,
    )
    return colours, places


def drawn_pitch(seed: int) -> Iterator[Picture]:
    """Football: striped grass, lines in perspective, two teams, stands, a pan."""
    rng = np.random.default_rng(seed)
    width, height = 2 * WIDTH, round(1.6 * HEIGHT)
    grass = _grass_colour(rng)
    ground = _painted(grass, _texture(rng, (width, height), (2, 6, 40)), rng.uniform(2, 8))
    stripes = (np.arange(width) * rng.uniform(6, 14) / width).astype(int) % 2
    ground = np.clip(ground * (1 + rng.uniform(0.02, 0.1) * stripes[None, :, None]), 0, 255).astype(
        np.uint8
    )
    horizon = round(height * rng.uniform(0.1, 0.4))
    stand = _painted(rng.uniform(40, 150, 3), _texture(rng, (width, height), (3, 5, 30)), 40)
    ground[:horizon] = stand[:horizon]
    board = max(6, height // 22)
    cv2.rectangle(ground, (0, horizon - board), (width, horizon), tuple(rng.uniform(0, 255, 3)), -1)
    white = (235, 240, 235)
    thick = int(rng.integers(2, 5))
    lean = rng.uniform(-0.5, 0.5)
    cv2.line(ground, (0, horizon + 12), (width, horizon + 12), white, thick)
    middle = width * rng.uniform(0.3, 0.7)
    cv2.line(
        ground, (int(middle), horizon + 12), (int(middle + lean * height), height), white, thick
    )
    cv2.ellipse(
        ground,
        (int(middle + lean * height / 2), int((horizon + height) / 2)),
        (int(0.17 * width), int(0.12 * height)),
        0,
        0,
        360,
        white,
        thick,
    )
    side = rng.choice([-1, 1])
    edge = 0.05 * width if side < 0 else 0.95 * width
    box = np.array(
        [
            [edge, horizon + 40],
            [edge - side * 0.16 * width, horizon + 44],
            [edge - side * 0.2 * width, height * 0.85],
            [edge, height * 0.9],
        ],
        np.int32,
    )
    cv2.polylines(ground, [box], True, white, thick)
    near = rng.uniform(0.08, 0.45)
    count = int(rng.integers(3, 8)) if near > 0.25 else int(rng.integers(8, 20))
    colours, places = _people(rng, count)
    begin, end = rng.uniform(0, width - WIDTH, 2)
    drop = rng.uniform(0, height - HEIGHT)
    for n in range(FRAMES):
        t = n / FPS
        scene = ground.copy()
        for colour, (x, y, speed, phase) in sorted(
            zip(colours, places, strict=True), key=lambda one: one[1][1]
        ):
            tall = near * height * (0.35 + 0.65 * y)
            foot = horizon + 0.15 * (height - horizon) + y * 0.85 * (height - horizon)
            _person(scene, ((x + speed * t) * width, foot), tall, colour, 6 * t + phase)
        at = begin + (end - begin) * n / FRAMES
        yield np.ascontiguousarray(scene[int(drop) : int(drop) + HEIGHT, int(at) : int(at) + WIDTH])


def _green_scene(
    seed: int, paint: Callable[[Rng, Picture], None], grains: Sequence[int], depth: float
) -> Iterator[Picture]:
    rng = np.random.default_rng(seed)
    size = (round(1.5 * WIDTH), round(1.3 * HEIGHT))
    scene = _painted(_grass_colour(rng), _texture(rng, size, grains), depth)
    paint(rng, scene)
    yield from panned(scene, seed + 1)


def meadow(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        sky = round(scene.shape[0] * rng.uniform(0.2, 0.5))
        scene[:sky] = _painted([225, 190, 150], _texture(rng, (scene.shape[1], sky), (60, 120)), 15)
        for _ in range(int(rng.integers(0, 120))):
            x, y = rng.integers(scene.shape[1]), rng.integers(sky, scene.shape[0])
            cv2.circle(
                scene,
                (int(x), int(y)),
                int(rng.integers(1, 5)),
                tuple(rng.uniform(120, 255, 3)),
                -1,
            )

    return _green_scene(seed, paint, (2, 4, 50), 22)


def forest(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        for _ in range(int(rng.integers(15, 60))):
            x, width = rng.integers(scene.shape[1]), rng.integers(3, 26)
            cv2.rectangle(
                scene,
                (int(x), 0),
                (int(x + width), int(rng.integers(scene.shape[0]))),
                (30, 45, 60),
                -1,
            )

    return _green_scene(seed, paint, (2, 5, 11, 40), 38)


def golf(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        height, width = scene.shape[:2]
        sky = round(height * rng.uniform(0.2, 0.45))
        scene[:sky] = (230, 200, 170)
        for _ in range(40):
            cv2.circle(
                scene, (int(rng.integers(width)), sky), int(rng.integers(8, 40)), (40, 80, 50), -1
            )
        for _ in range(3):
            cv2.ellipse(
                scene,
                (int(rng.integers(width)), int(rng.integers(sky + 40, height))),
                (int(rng.integers(40, 120)), int(rng.integers(8, 30))),
                0,
                0,
                360,
                (160, 210, 225),
                -1,
            )
        x = int(rng.integers(width // 4, 3 * width // 4))
        cv2.line(scene, (x, sky + 20), (x, sky + 150), (240, 240, 240), 3)
        cv2.fillPoly(
            scene, [np.array([[x, sky + 20], [x + 40, sky + 35], [x, sky + 50]])], (40, 40, 220)
        )
        cv2.circle(scene, (x + 60, height - 60), 5, (255, 255, 255), -1)
        colours, _ = _people(rng, 1)
        _person(scene, (x - 120, height - 40), 150, colours[0], 0.3)

    return _green_scene(seed, paint, (3, 60), 6)


def tennis(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        height, width = scene.shape[:2]
        if rng.random() < 0.5:
            scene[:] = rng.uniform(60, 160, 3)
        white = (240, 240, 240)
        top, low = height * 0.25, height * 0.95
        court = np.array(
            [[width * 0.32, top], [width * 0.68, top], [width * 0.85, low], [width * 0.15, low]],
            np.int32,
        )
        cv2.fillPoly(scene, [court], tuple(rng.uniform(60, 170, 3)))
        cv2.polylines(scene, [court], True, white, 3)
        cv2.line(
            scene, (width // 2, int(height * 0.35)), (width // 2, int(height * 0.75)), white, 3
        )
        for part in (0.35, 0.75):
            cv2.line(
                scene,
                (int(width * (0.3 - part * 0.1)), int(height * part)),
                (int(width * (0.7 + part * 0.1)), int(height * part)),
                white,
                3,
            )
        cv2.rectangle(
            scene,
            (int(width * 0.2), int(height * 0.5)),
            (int(width * 0.8), int(height * 0.56)),
            (60, 60, 60),
            -1,
        )
        cv2.line(
            scene,
            (int(width * 0.2), int(height * 0.5)),
            (int(width * 0.8), int(height * 0.5)),
            white,
            5,
        )
        colours, _ = _people(rng, 2)
        _person(scene, (width * 0.45, height * 0.33), 70, colours[0], 1.0)
        _person(scene, (width * 0.6, height * 0.93), 150, colours[1], 0.5)

    return _green_scene(seed, paint, (3, 40), 4)


def billiards(seed: int) -> Iterator[Picture]:
    def paint(rng: Rng, scene: Picture) -> None:
        height, width = scene.shape[:2]
        cv2.rectangle(scene, (0, 0), (width, height), (30, 50, 90), int(rng.integers(40, 130)))
        for _ in range(int(rng.integers(5, 16))):
            at = (int(rng.integers(90, width - 90)), int(rng.integers(90, height - 90)))
            cv2.circle(scene, at, 14, tuple(rng.uniform(0, 255, 3)), -1)
            cv2.circle(scene, (at[0] - 4, at[1] - 4), 4, (250, 250, 250), -1)
        cv2.line(scene, (100, height - 100), (width // 2, height // 2), (120, 170, 210), 7)

    return _green_scene(seed, paint, (80,), 4)


def talking_head(seed: int) -> Iterator[Picture]:
    """A face before a wall, sometimes green as a chroma key, with a lower third."""
    rng = np.random.default_rng(seed)
    wall = [60, 200, 60] if rng.random() < 0.3 else rng.uniform(30, 220, 3)
    back = _painted(wall, _texture(rng, (WIDTH, HEIGHT), (30, 90)), rng.uniform(2, 14))
    skin, hair, shirt = (
        rng.uniform([80, 110, 150], [170, 200, 245]),
        rng.uniform(10, 90, 3),
        rng.uniform(0, 255, 3),
    )
    x, size = WIDTH * rng.uniform(0.35, 0.65), HEIGHT * rng.uniform(0.16, 0.3)
    third = rng.random() < 0.5
    for n in range(FRAMES):
        t = n / FPS
        scene = back.copy()
        at = (int(x + 6 * np.sin(1.3 * t)), int(HEIGHT * 0.42 + 4 * np.sin(2.1 * t)))
        cv2.ellipse(
            scene,
            (at[0], int(HEIGHT * 1.02)),
            (int(2 * size), int(1.4 * size)),
            0,
            0,
            360,
            tuple(shirt),
            -1,
        )
        cv2.ellipse(
            scene,
            (at[0], at[1] - int(0.15 * size)),
            (int(0.85 * size), int(1.15 * size)),
            0,
            0,
            360,
            tuple(hair),
            -1,
        )
        cv2.ellipse(scene, at, (int(0.75 * size), int(size)), 0, 0, 360, tuple(skin), -1)
        for side in (-1, 1):
            cv2.ellipse(
                scene,
                (int(at[0] + side * 0.3 * size), int(at[1] - 0.15 * size)),
                (int(0.12 * size), int(0.07 * size)),
                0,
                0,
                360,
                (250, 250, 250),
                -1,
            )
            cv2.circle(
                scene,
                (int(at[0] + side * 0.3 * size), int(at[1] - 0.15 * size)),
                max(1, int(0.06 * size)),
                (40, 30, 20),
                -1,
            )
        mouth = 0.05 + 0.08 * abs(np.sin(7 * t))
        cv2.ellipse(
            scene,
            (at[0], int(at[1] + 0.5 * size)),
            (int(0.25 * size), int(mouth * size)),
            0,
            0,
            360,
            (60, 50, 150),
            -1,
        )
        if third:
            cv2.rectangle(scene, (0, int(HEIGHT * 0.82)), (WIDTH, HEIGHT), (120, 30, 20), -1)
            cv2.putText(
                scene,
                "BREAKING NEWS",
                (30, int(HEIGHT * 0.93)),
                cv2.FONT_HERSHEY_SIMPLEX,
                1,
                (255, 255, 255),
                2,
            )
        yield cv2.GaussianBlur(scene, (0, 0), 1.0)


def computer_game(seed: int) -> Iterator[Picture]:
    """A platform game: tiles (often green), a sky, a running figure, scores on top."""
    rng = np.random.default_rng(seed)
    tile = int(rng.integers(20, 48))
    columns = 3 * WIDTH // tile
    ground = rng.integers(2, 6, columns)
    colours = rng.uniform(0, 255, (3, 3))
    if rng.random() < 0.6:
        colours[0] = [40, 180, 60]
    sky = tuple(rng.uniform(80, 255, 3))
    for n in range(FRAMES):
        scene = np.full((HEIGHT, WIDTH, 3), sky, np.uint8)
        shift = n * 9
        for column in range(columns):
            x = column * tile - shift
            for row in range(int(ground[column])):
                y = HEIGHT - (row + 1) * tile
                top = row == ground[column] - 1
                cv2.rectangle(
                    scene, (x, y), (x + tile - 2, y + tile - 2), tuple(colours[0 if top else 1]), -1
                )
        hop = abs(np.sin(n / 4)) * 60
        cv2.rectangle(
            scene,
            (200, int(HEIGHT - 5 * tile - hop)),
            (230, int(HEIGHT - 4 * tile - hop)),
            tuple(colours[2]),
            -1,
        )
        cv2.putText(
            scene,
            f"SCORE {n * 10:05d}",
            (20, 34),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.9,
            (255, 255, 255),
            2,
        )
        yield scene


def crowd(seed: int) -> Iterator[Picture]:
    """People in rows with no sport: an audience."""
    rng = np.random.default_rng(seed)
    scene = _painted(rng.uniform(20, 90, 3), _texture(rng, (WIDTH * 2, HEIGHT * 2), (20, 60)), 12)
    step = int(rng.integers(24, 60))
    for y in range(0, scene.shape[0], step):
        for x in range(0, scene.shape[1], step):
            at = (x + int(rng.integers(-8, 8)), y + int(rng.integers(-6, 6)))
            cv2.ellipse(
                scene,
                (at[0], at[1] + step // 2),
                (step // 2, step // 2),
                0,
                0,
                360,
                tuple(rng.uniform(20, 230, 3)),
                -1,
            )
            cv2.circle(scene, at, step // 4, tuple(rng.uniform([60, 90, 120], [170, 200, 240])), -1)
    yield from panned(cv2.GaussianBlur(scene, (0, 0), 1.2), seed)


def slate(seed: int) -> Iterator[Picture]:
    """A table of results or a title: text on one colour or a gradient."""
    rng = np.random.default_rng(seed)
    base = [40, 150, 40] if rng.random() < 0.4 else rng.uniform(0, 255, 3)
    fade = np.linspace(0.6, 1.2, WIDTH, dtype=np.float32)[None, :, None]
    scene = np.clip(
        np.ones((HEIGHT, WIDTH, 3), np.float32) * np.array(base, np.float32) * fade, 0, 255
    ).astype(np.uint8)
    for row in range(int(rng.integers(1, 7))):
        cv2.putText(
            scene,
            "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTU 0123456789"), 16)),
            (50, 60 + row * 48),
            cv2.FONT_HERSHEY_DUPLEX,
            1.1,
            (255, 255, 255),
            2,
        )
    for n in range(FRAMES):
        yield np.roll(scene, n // 4, axis=1)


NOT_FOOTBALL: dict[str, Callable[[int], Iterator[Picture]]] = {
    "meadow": meadow,
    "forest": forest,
    "golf": golf,
    "tennis": tennis,
    "billiards": billiards,
    "talking_head": talking_head,
    "computer_game": computer_game,
    "crowd": crowd,
    "slate": slate,
}


# Filmed off a screen


@dataclass(frozen=True)
class ScreenStyle:
    """Ranges from which one recording draws: parts of the frame, pixels or gray levels.

    `fill` is how much of the frame the screen takes (over 1: its edges are cut off), `moved` how
    far its middle lies off the frame's.
    """

    fill: tuple[float, float] = (0.6, 0.95)
    moved: float = 0.03
    skew: float = 0.05
    shake: tuple[float, float] = (0.002, 0.015)
    bezel: tuple[float, float] = (0.0, 0.06)
    bezel_shade: tuple[float, float] = (5, 60)
    room_shade: tuple[float, float] = (5, 60)
    room_detail: float = 4.0
    moire: tuple[float, float] = (0.0, 8.0)
    blur: tuple[float, float] = (0.5, 1.8)
    noise: tuple[float, float] = (1.0, 8.0)
    gamma: tuple[float, float] = (0.65, 1.25)
    size: tuple[int, int] = (WIDTH, HEIGHT)


SCREEN_STYLES: dict[str, ScreenStyle] = {
    "dark_room": ScreenStyle(),
    "lit_room": ScreenStyle(
        fill=(0.55, 0.85), room_shade=(90, 210), room_detail=25.0, bezel=(0.02, 0.07)
    ),
    "partly_cut_off": ScreenStyle(fill=(0.9, 1.08), moved=0.1, bezel=(0.02, 0.08)),
    "moire_only": ScreenStyle(fill=(1.08, 1.3), moire=(4.0, 12.0), skew=0.02),
    "strong_shake": ScreenStyle(shake=(0.015, 0.04)),
    "steady_hand": ScreenStyle(shake=(0.0004, 0.002), moire=(0.0, 5.0)),
    "portrait": ScreenStyle(
        fill=(0.85, 1.0), size=(360, 640), room_shade=(5, 150), room_detail=15.0
    ),
}

# No screen at all, but a hand, a noisy sensor and a bad lens: what must not be taken for one.
HAND_HELD = ScreenStyle(fill=(1.12, 1.35), moire=(0.0, 0.0), skew=0.01, shake=(0.002, 0.03))


def filmed(pictures: Iterator[Picture], style: ScreenStyle, seed: int) -> Iterator[Picture]:
    """What a hand-held camera sees of a screen that shows these pictures."""
    rng = np.random.default_rng(seed)
    width, height = style.size
    yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
    radius = (xx / width - 0.5) ** 2 + (yy / height - 0.5) ** 2
    vignette = 1 - rng.uniform(0, 0.8) * radius
    room = np.full(
        (height, width, 3), rng.uniform(*style.room_shade) * rng.uniform(0.85, 1.15, 3), np.float32
    )
    room += _texture(rng, (width, height), (8, 30, 90))[..., None] * rng.uniform(
        0, style.room_detail
    )
    fill, skew = rng.uniform(*style.fill), rng.uniform(-style.skew, style.skew, (4, 2))
    moved, turn = rng.uniform(-style.moved, style.moved, 2), rng.normal(0, 0.02)
    shake, rates = rng.uniform(*style.shake), rng.uniform(0.8, 7, (2, 3))
    phases, breathing = rng.uniform(0, 6, (2, 3)), rng.uniform(0, 0.015)
    bezel, bezel_shade = rng.uniform(*style.bezel), rng.uniform(*style.bezel_shade)
    waves = [
        (
            rng.uniform(0.5, 2.4),
            rng.uniform(0, np.pi),
            rng.uniform(*style.moire),
            rng.uniform(-3, 3),
        )
        for _ in range(int(rng.integers(1, 4)))
    ]
    blur, noise, gamma = (
        rng.uniform(*style.blur),
        rng.uniform(*style.noise),
        rng.uniform(*style.gamma),
    )
    tint, black = rng.uniform(0.9, 1.1, 3).astype(np.float32), rng.uniform(0, 18)
    flicker, flicker_rate = rng.uniform(0, 0.04), rng.uniform(3, 30)
    for n, picture in enumerate(pictures):
        t = n / FPS
        aspect = picture.shape[1] / picture.shape[0]
        half = np.array([width, width / aspect]) / 2
        if half[1] > height / 2 and style.size[0] > style.size[1]:
            half *= height / 2 / half[1]
        corners = (
            np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            * fill
            * (1 + breathing * np.sin(0.8 * t))
            * half
        )
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        sway = shake * width * np.sin(rates * t + phases).sum(axis=1) / 1.7
        corners = (
            (corners + skew * 2 * half) @ spin.T
            + [width / 2, height / 2]
            + moved * [width, height]
            + sway
        )
        seen = room.copy()
        if bezel > 0:
            outer = (corners - corners.mean(axis=0)) * (1 + 2 * bezel) + corners.mean(axis=0)
            cv2.fillPoly(
                seen, [np.round(outer * 16).astype(np.int32)], (bezel_shade,) * 3, cv2.LINE_AA, 4
            )
        quad = np.array(
            [
                [0, 0],
                [picture.shape[1], 0],
                [picture.shape[1], picture.shape[0]],
                [0, picture.shape[0]],
            ],
            np.float32,
        )
        matrix = cv2.getPerspectiveTransform(quad, corners.astype(np.float32))
        screen = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_AREA).astype(
            np.float32
        )
        mask = cv2.warpPerspective(np.ones(picture.shape[:2], np.float32), matrix, (width, height))[
            ..., None
        ]
        for rate, angle, strength, drift in waves:
            wave = np.sin(rate * (xx * np.cos(angle) + yy * np.sin(angle)) + drift * t)
            screen += strength * wave[..., None]
        seen = seen * (1 - mask) + screen * mask
        seen = cv2.GaussianBlur(seen, (0, 0), blur)
        seen = 255 * (np.clip(seen, 0, 255) / 255) ** gamma * vignette[..., None]
        seen *= 1 + flicker * np.sin(flicker_rate * t)
        seen += black + rng.normal(0, noise, (height, width)).astype(np.float32)[..., None]
        yield np.clip(seen * tint, 0, 255).astype(np.uint8)
