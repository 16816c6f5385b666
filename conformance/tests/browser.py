"""Chromium without a screen, for tests of pages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.utils import is_connectable

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--remote-debugging-pipe",  # needs no look-up of a name: a bare system without /etc/hosts does not know localhost
)

NEEDS_BROWSER = pytest.mark.skipif(
    BROWSER is None or DRIVER is None, reason="needs chromium and chromedriver (Debian: chromium, chromium-driver)"
)


class LoopbackService(Service):
    """chromedriver by its address, for the same reason."""

    @property
    def service_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def is_connectable(self) -> bool:
        return bool(is_connectable(self.port, "127.0.0.1"))


@contextmanager
def opened_browser(profile: Path) -> Iterator[webdriver.Chrome]:
    """A browser that is closed at the end of the block.

    Args:
        profile: an empty folder, where the browser stores its data.
    """
    options = Options()
    assert BROWSER is not None
    assert DRIVER is not None
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=LoopbackService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()
