"""Indexes that a store lists and nobody creates would only be missed under load."""

from importlib import import_module

from found_footy import app
from tests.conventions.test_rules import SOURCE, python_files


def test_the_indexes_of_every_store_are_created_at_the_start() -> None:
    stores = [path for path in python_files(SOURCE) if "\nINDEXES" in path.read_text(encoding="utf-8")]
    modules = [import_module(".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)) for path in stores]
    assert len(modules) > 15
    forgotten = {module.__name__: [index for index in module.INDEXES if index not in app.INDEXES] for module in modules}
    assert not {name: indexes for name, indexes in forgotten.items() if indexes}
