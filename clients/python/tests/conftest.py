"""Fixtures for the tests of all adapters."""

import pathlib
import time
from typing import Any, Callable, Iterator, List

import pytest
from hypothesis.configuration import set_hypothesis_home_dir

import postern
from adapters import ADAPTERS, Adapter
from gateway import KEY, SECRET

NAMES = sorted(ADAPTERS)

set_hypothesis_home_dir(pathlib.Path(__file__).parents[1] / "vendor" / "hypothesis")


class FakeTime:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 1_795_228_800.25
        self.waits: List[float] = []

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    """Waiting takes no time in these tests."""
    fake = FakeTime()

    async def sleep(seconds: float) -> None:
        fake.sleep(seconds)

    monkeypatch.setattr(time, "sleep", fake.sleep)
    monkeypatch.setattr("anyio.sleep", sleep)
    return fake


@pytest.fixture(params=NAMES)
def adapter(request: pytest.FixtureRequest) -> Iterator[Callable[[postern.Credential], Adapter]]:
    """Makes an adapter of each library for a credential."""
    made: List[Adapter] = []

    def make(credential: postern.Credential) -> Adapter:
        made.append(ADAPTERS[request.param][0](credential, "1.1", None, None))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def hmac(clock: FakeTime) -> Callable[..., postern.Hmac]:
    def make(**settings: Any) -> postern.Hmac:
        return postern.Hmac(KEY, SECRET, clock=clock.time, **settings)

    return make
