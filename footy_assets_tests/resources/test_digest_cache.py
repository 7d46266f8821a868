from resources.digest_cache import cached_by_digest


def test_the_same_content_is_parsed_once_and_another_one_again() -> None:
    parsed: list[bytes] = []

    @cached_by_digest(2)
    def parse(content: bytes) -> int:
        parsed.append(content)
        return len(content)

    assert [parse(one) for one in (b"a", bytes(bytearray(b"a")), b"bb")] == [1, 1, 2]
    assert parsed == [b"a", b"bb"]


def test_the_least_recently_used_is_forgotten_first() -> None:
    parsed: list[bytes] = []

    @cached_by_digest(2)
    def parse(content: bytes) -> None:
        parsed.append(content)

    for content in (b"a", b"b", b"a", b"c", b"a", b"b"):
        parse(content)
    assert parsed == [b"a", b"b", b"c", b"b"]
