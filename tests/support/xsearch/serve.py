"""The service as a process of its own, for tests that kill it or its browser: `serve.py <settings as JSON>`."""

import sys

from found_footy.platform.logs import configure_logging
from found_footy.xsearch.server import run_server
from found_footy.xsearch.settings import XSearchSettings

if __name__ == "__main__":
    configure_logging("INFO", "json", "xsearch")
    run_server(XSearchSettings.model_validate_json(sys.argv[1]))
