"""V8: football or not is counted by kind of scene."""

from pathlib import Path

from benchmarks.media_football import Answer, LabelledClip, by_kind, checked, labelled_clips


def answer(name: str, kind: str, football: bool) -> Answer:
    return Answer(LabelledClip(Path(f"{name}.mp4"), kind, "someone/clips"), football, 0.1)


ANSWERS = [
    answer("over", "A:cricket", True),
    answer("wicket", "A:cricket", False),
    answer("goal", "B:broadcast", True),
    answer("corner", "B:broadcast", False),
]


def test_v8_answers_are_counted_by_kind() -> None:
    assert by_kind(ANSWERS) == [
        {"kind": "A:cricket", "clips": 2, "accepted": 1, "wrong": "over"},
        {"kind": "B:broadcast", "clips": 2, "accepted": 1, "wrong": "corner"},
    ]


def test_v8_limits_hold_for_other_scenes_and_for_recall() -> None:
    assert checked(ANSWERS) == {
        "1 of 2 other scenes accepted, at most 2": True,
        "football recall 0.500, at least 0.97": False,
        "an assessment costs 0.10 CPU-s, at most 1.0": True,
    }


def test_v8_the_kind_in_the_labels_says_what_is_football(tmp_path: Path) -> None:
    (tmp_path / "labels.tsv").write_text(
        "file\trepository\tkind\n"
        "over.mp4\tsome/cricket\tA:cricket\n"
        "goal.mp4\tsome/goals\tD:football-no-bug\n"
    )
    found = {clip.path.name: clip.football for clip in labelled_clips(tmp_path)}
    assert found == {"over.mp4": False, "goal.mp4": True}
