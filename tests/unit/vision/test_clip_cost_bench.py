"""How the bench adds up what a clip costs."""

from bench.clip_cost import MeasuredClip, StageClock, render_costs


def test_what_an_inner_stage_takes_is_not_the_outer_ones() -> None:
    clock = StageClock()
    with clock.measure("check"):
        for _ in range(2):
            with clock.measure("text"):
                sum(range(300_000))
    with clock.measure("check"):
        pass
    assert set(clock.seconds) == {"check", "text"}
    assert clock.seconds["text"] > clock.seconds["check"] >= 0


def test_stages_and_kinds_are_averaged_over_their_clips() -> None:
    clips = [
        MeasuredClip("a", "right", "verified", "", {"text": 0.3, "frames": 0.1}),
        MeasuredClip("b", "studio", "not_soccer", "", {"frames": 0.1}),
    ]
    lines = render_costs(clips).splitlines()
    assert "| text | 150 | 60% |" in lines
    assert "| frames | 100 | 40% |" in lines
    assert "| all of 2 clips | 250 | |" in lines
    assert "| right | 1 | 400 | 0 | 100 | 300 | 0 | 0 | 0 |" in lines
