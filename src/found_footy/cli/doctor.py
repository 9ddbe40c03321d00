"""`found-footy doctor`"""

from found_footy.cli import console
from found_footy.cli.status import tell
from found_footy.health import probe_everything, vision
from found_footy.platform.probes import ProbeResult
from found_footy.settings import Settings, load_settings


def command() -> int:
    """Probe each dependency by a real write, read and delete; say what is wrong and how to mend it."""
    settings = load_settings().settings
    return console.run(lambda: examine(settings))


async def examine(settings: Settings) -> int:
    results = await probe_everything(settings)
    for result in results:
        _show(result)
    reader = await vision(settings)
    tell(reader)
    works = {**{result.system: result.ok for result in results}, reader.name: reader.ok}
    if broken := [name for name, ok in works.items() if not ok]:
        console.err.print(f"\n{len(broken)} of {len(works)} not working: {', '.join(broken)}", style="red")
        return console.FAILED
    console.out.print("\nEverything works.", style="green")
    return console.OK


def _show(result: ProbeResult) -> None:
    mark = "[green]✓[/]" if result.ok else "[red]✗[/]"
    console.out.print(f"{mark} [bold]{result.system}[/]  {result.milliseconds:.0f} ms", highlight=False)
    console.out.print(f"  {result.detail}", markup=False, highlight=False, soft_wrap=True)
    if not result.ok:
        console.out.print(f"  → {result.remedy}", style="yellow", markup=False, highlight=False, soft_wrap=True)
