"""The HTML report in a real browser: it opens without network, filters, and shows a failure (CNF-14)."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from conformance.reports import html, log
from conformance.reports.sample import sample_log
from conformance.tests.browser import NEEDS_BROWSER, opened_browser

PICTURES = os.environ.get("PAGE_PICTURES")
LONGEST_WAIT = 20.0
"""A folder for screenshots, if one is set."""

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    html.write(path, log.parse(sample_log()))
    return path


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with opened_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def browser(window: webdriver.Chrome, page: Path) -> webdriver.Chrome:
    window.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    window.get("about:blank")
    window.get(page.as_uri())
    return window


def listed(browser: webdriver.Chrome) -> list[str]:
    return [str(one.get_attribute("data-case")) for one in browser.find_elements(By.CSS_SELECTOR, "#cases > li")]


def choose(browser: webdriver.Chrome, name: str, value: str) -> None:
    Select(browser.find_element(By.ID, f"filter-{name}")).select_by_value(value)


def opened(browser: webdriver.Chrome, case: str) -> WebElement:
    row = browser.find_element(By.CSS_SELECTOR, f'li[data-case="{case}"]')
    row.find_element(By.TAG_NAME, "summary").click()
    # The page fills a row when it receives the event of its opening, which is after the click.
    WebDriverWait(browser, LONGEST_WAIT).until(lambda _: row.find_elements(By.CSS_SELECTOR, "summary ~ *"))
    return row


def picture(browser: webdriver.Chrome, name: str) -> None:
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(Path(PICTURES) / f"{name}.png"))


def test_the_page_opens_with_failures_first_and_without_errors(browser: webdriver.Chrome) -> None:
    assert "Not conformant" in browser.find_element(By.TAG_NAME, "h1").text
    assert listed(browser) == [
        "fusion.rrf.ties.002",
        "retriever.pages.walk.001",
        "fusion.rrf.ties.001",
        "segmenter.cut.words.001",
    ]
    assert browser.get_log("browser") == []
    picture(browser, "light")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("module", "segmenter", ["segmenter.cut.words.001"]),
        ("clause", "ORD-1", ["fusion.rrf.ties.002"]),
        ("status", "wrong", ["fusion.rrf.ties.002", "retriever.pages.walk.001"]),
        ("status", "known", ["segmenter.cut.words.001"]),
    ],
)
def test_filters_select_cases(browser: webdriver.Chrome, name: str, value: str, expected: list[str]) -> None:
    choose(browser, name, value)
    assert listed(browser) == expected
    assert browser.find_element(By.ID, "count").text.startswith(f"{len(expected)} of 4 cases")
    assert parse_qs(browser.current_url.partition("#")[2]) == {name: [value]}
    browser.find_element(By.ID, "filter-none").click()
    assert len(listed(browser)) == 4


def test_the_page_finds_text_and_stores_filters_in_the_address(browser: webdriver.Chrome, page: Path) -> None:
    browser.find_element(By.ID, "filter-text").send_keys("WALK")
    assert listed(browser) == ["retriever.pages.walk.001"]
    browser.get("about:blank")
    browser.get(f"{page.as_uri()}#module=fusion&implementation=ruby")
    assert listed(browser) == ["fusion.rrf.ties.001", "fusion.rrf.ties.002"]


def test_a_cell_of_the_heat_map_lists_its_cases(browser: webdriver.Chrome) -> None:
    cell = browser.find_element(By.CSS_SELECTOR, 'button[data-module="fusion"][data-clause="FUS-2"]')
    assert "2 cases, 1 wrong" in str(cell.get_attribute("aria-label"))
    assert cell.get_attribute("class") == "bad"
    cell.click()
    assert listed(browser) == ["fusion.rrf.ties.002", "fusion.rrf.ties.001"]


def test_a_failure_shows_its_stage_both_results_and_how_to_run_it_again(browser: webdriver.Chrome) -> None:
    choose(browser, "status", "wrong")
    row = opened(browser, "fusion.rrf.ties.002")
    text = row.text
    assert "first wrong stage\nfuse" in text
    assert "expected 0.5" in text
    assert "</script><b>no</b>" in text
    assert row.find_element(By.CSS_SELECTOR, "pre.again").text == (
        "python -m conformance --case fusion.rrf.ties.002 --implementation other"
    )
    picture(browser, "failure")


def test_a_paging_case_shows_its_pages(browser: webdriver.Chrome) -> None:
    row = opened(browser, "retriever.pages.walk.001")
    titles = [one.get_attribute("textContent") for one in row.find_elements(By.CSS_SELECTOR, ".pages svg title")]
    assert titles == [
        "page size 3: 7 places on 3 pages, 0 lost, 0 repeated",
        "page size 3: 7 places on 3 pages, 1 lost, 1 repeated",
    ]
    kinds = [one.get_attribute("class") for one in row.find_elements(By.CSS_SELECTOR, ".pages svg rect")][7:]
    assert kinds == ["page-a", "page-a", "page-a", "page-again", "page-lost", "page-b", "page-a"]
    picture(browser, "pages")


def test_the_page_fits_a_phone(browser: webdriver.Chrome) -> None:
    phone = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    opened(browser, "fusion.rrf.ties.002")
    width = browser.execute_script("return document.documentElement.scrollWidth")  # type: ignore[no-untyped-call]
    assert width <= 360
    picture(browser, "phone")


def test_the_page_is_readable_in_dark_mode(browser: webdriver.Chrome) -> None:
    ask = "return getComputedStyle(document.body).backgroundColor"
    light = browser.execute_script(ask)  # type: ignore[no-untyped-call]
    dark_mode = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark_mode)
    dark = browser.execute_script(ask)  # type: ignore[no-untyped-call]
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(18, 22, 28)")
    picture(browser, "dark")
