"""The search page of both services in a real browser (CUR-6)."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from conformance.generators.options import load
from conformance.http import servers
from conformance.http.servers import LANGUAGES, Server, serving
from conformance.tests.browser import NEEDS_BROWSER, opened_browser

pytestmark = [pytest.mark.programs, NEEDS_BROWSER]

PICTURES = os.environ.get("PAGE_PICTURES")
"""A folder for screenshots, if one is set."""
LONGEST_WAIT = 20.0
SECRET = "a-token"
HOSTILE = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"> <em>reload</em> & tables'
TEXTS = (
    "Tables reload without a restart. The loader checks each row.",
    "配置表在运行时重新加载，不需要重启。加载器逐行检查。",
    "The printer R1-750 prints both sides. It reloads paper.",
    HOSTILE,
)
DOCUMENTS = [
    {
        "id": f"d{number}",
        "title": "<b>bold</b>" if number % 4 == 3 else f"Guide {number}",
        "content": TEXTS[number % 4],
        "page_rank": 0.01 * (number % 3),
        "metadata": {"lang": "zh" if number % 4 == 1 else "en", "year": 2015 + number % 5, "x": "<img src=x>"},
    }
    for number in range(24)
]


ONE = pytest.mark.parametrize("server", LANGUAGES[:1], indirect=True)
"""The page's own behaviour is tested with one service: another test compares the files of both."""


@pytest.fixture(scope="module", params=LANGUAGES)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    if servers.missing(request.param):
        pytest.skip(servers.missing(request.param))
    told = {"documents": DOCUMENTS, "dimension": 32, "index": {"min_score": 0.0}}
    guarded = {"at": "/guarded", "documents": DOCUMENTS[:3], "service": {"token": SECRET}}
    with serving(request.param, {"at": "/find", **told}, guarded) as started:
        yield started


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with opened_browser(tmp_path_factory.mktemp("profile")) as driver:
        driver.set_window_size(1200, 1000)
        yield driver


@pytest.fixture
def browser(window: webdriver.Chrome, server: Server) -> webdriver.Chrome:
    window.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    go(window, server)
    window.execute_script("localStorage.clear(); sessionStorage.clear()")  # type: ignore[no-untyped-call]
    window.get_log("browser")
    go(window, server)
    return window


def go(browser: webdriver.Chrome, server: Server, path: str = "/find/") -> None:
    browser.get("about:blank")
    browser.get(server.address + path)


def wait(browser: webdriver.Chrome, condition: str) -> None:
    WebDriverWait(browser, LONGEST_WAIT).until(lambda _: browser.execute_script(f"return {condition}"))  # type: ignore[no-untyped-call]


def ask(browser: webdriver.Chrome, question: str) -> None:
    box = browser.find_element(By.ID, "question")
    box.clear()
    box.send_keys(question, Keys.ENTER)
    wait(browser, f"state.asked && state.asked.question === {json.dumps(question)} && state.answer")


def cards(browser: webdriver.Chrome) -> list[WebElement]:
    return browser.find_elements(By.CSS_SELECTOR, "#results > li")


def titles(browser: webdriver.Chrome) -> list[str]:
    return [one.find_element(By.TAG_NAME, "h2").text for one in cards(browser)]


def picture(browser: webdriver.Chrome, name: str) -> None:
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(Path(PICTURES) / f"{name}.png"))


def test_the_page_shows_hits_with_marks_and_parts_of_scores(browser: webdriver.Chrome) -> None:
    ask(browser, "reload tables")
    assert len(cards(browser)) == 10
    first = cards(browser)[0]
    assert {one.text.lower() for one in first.find_elements(By.TAG_NAME, "mark")} <= {"reload", "tables", "table"}
    assert first.find_elements(By.TAG_NAME, "mark")
    widths = browser.execute_script(  # type: ignore[no-untyped-call]
        "return [...document.querySelector('.parts').children].map((one) => one.style.width)"
    )
    hit, explained = browser.execute_script("return [state.answer.hits[0], state.answer.explain]")  # type: ignore[no-untyped-call]
    legs = explained["legs"]
    weights = {name: legs[name]["weight"] * legs[name]["first_share"] / legs["highest"] for name in ("text", "dense")}
    parts = [weights["text"] * hit["scores"]["text"], weights["dense"] * hit["scores"]["vector"]]
    assert parts[0] + parts[1] == pytest.approx(hit["score"])
    shares = [float(width.removesuffix("%")) / 100 for width in widths]
    assert shares == pytest.approx([part for part in parts if part > 0], abs=1e-3)
    raw = [one.text.replace("\n", " ") for one in first.find_elements(By.CSS_SELECTOR, ".kind")]
    assert raw == [f"BM25 {hit['scores']['bm25']:.4f}", f"cosine {hit['scores']['cosine']:.4f}"]
    first.find_element(By.CSS_SELECTOR, ".numbers summary").click()
    told = dict(one.text.split(" ", 1) for one in first.find_elements(By.TAG_NAME, "tr"))
    assert told["id"] == hit["id"]
    assert float(told["scores.bm25"]) == hit["scores"]["bm25"]
    assert "scores.rerank" not in told
    assert told["recall_rank"] == str(explained["hits"][0]["recall_rank"])
    assert browser.find_element(By.ID, "told").text.startswith("Hits 1–10 of 24 in ")
    assert browser.get_log("browser") == []
    picture(browser, "search_desktop")


@ONE
def test_documents_are_shown_as_text(browser: webdriver.Chrome) -> None:
    ask(browser, "reload script tables hacked")
    shown = next(one for one in cards(browser) if one.find_element(By.TAG_NAME, "h2").text == "<b>bold</b>")
    assert "<script>window." in shown.text
    assert "x <img src=x>" in shown.text
    assert not shown.find_elements(By.CSS_SELECTOR, "script, img, em, h2 b")
    assert browser.execute_script("return window.hacked") is None  # type: ignore[no-untyped-call]
    go(browser, server_of(browser), "/find/#q=%3Cimg+src%3Dx+onerror%3D%22window.hacked%3D3%22%3E")
    wait(browser, "state.answer")
    assert browser.execute_script("return window.hacked") is None  # type: ignore[no-untyped-call]
    assert browser.get_log("browser") == []


def server_of(browser: webdriver.Chrome) -> Server:
    address = browser.execute_script("return location.origin")  # type: ignore[no-untyped-call]
    return Server(None, address)  # type: ignore[arg-type]


def test_pages_are_turned_by_cursor_by_number_and_by_keys(browser: webdriver.Chrome) -> None:
    ask(browser, "reload tables")
    first = titles(browser)
    browser.find_element(By.ID, "next").click()
    wait(browser, "state.which && state.which.cursor && state.answer.page === 2")
    second = titles(browser)
    assert browser.find_element(By.ID, "told").text.startswith("Hits 11–20 of 24 in ")
    browser.find_element(By.CSS_SELECTOR, "[aria-label='Page 1']").click()
    wait(browser, "state.which && state.which.page === 1 && state.answer.page === 1")
    assert titles(browser) == first
    browser.find_element(By.CSS_SELECTOR, "[aria-label='Page 3']").click()
    wait(browser, "state.answer.page === 3")
    assert browser.find_element(By.CSS_SELECTOR, "#page-numbers [aria-current='page']").text == "3"
    assert browser.find_element(By.ID, "next").get_attribute("disabled")
    assert browser.current_url.endswith("#q=reload+tables&page=3")
    browser.refresh()
    wait(browser, "state.answer && state.answer.page === 3")
    browser.find_element(By.TAG_NAME, "body").send_keys("p")
    wait(browser, "state.answer.page === 2")
    assert titles(browser) == second
    browser.find_element(By.TAG_NAME, "body").send_keys("j")
    assert browser.switch_to.active_element.find_element(By.CLASS_NAME, "rank").text == "11."
    browser.switch_to.active_element.send_keys("j", "j", "k")
    assert browser.switch_to.active_element.find_element(By.CLASS_NAME, "rank").text == "12."
    browser.switch_to.active_element.send_keys("/")
    assert browser.switch_to.active_element.get_attribute("id") == "question"


@ONE
def test_filters_and_browsing_are_stored_in_the_address(browser: webdriver.Chrome) -> None:
    browser.find_element(By.CSS_SELECTOR, "#filtering summary").click()
    browser.find_element(By.ID, "add-filter").click()
    names, values = browser.find_elements(By.CSS_SELECTOR, ".filter input")
    names.send_keys("metadata.year")
    Select(browser.find_element(By.CSS_SELECTOR, ".filter select")).select_by_value("gte")
    values.send_keys("2018", Keys.ENTER)
    wait(browser, "state.answer")
    body = browser.execute_script("return state.asked")  # type: ignore[no-untyped-call]
    assert body["filters"] == {"metadata.year": {"gte": 2018}}
    assert body["match_all"] is True
    count = len(cards(browser))
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)
    wait(browser, "state.answer")
    assert len(cards(browser)) == count > 0
    assert browser.find_elements(By.CSS_SELECTOR, ".score, .parts") == []
    chip = next(one for one in browser.find_elements(By.CSS_SELECTOR, ".chip") if one.text == "lang zh")
    chip.click()
    wait(browser, "state.asked.filters['metadata.lang'] === 'zh' && state.answer")
    years = browser.execute_script("return state.answer.hits.map((hit) => hit.metadata)")  # type: ignore[no-untyped-call]
    assert years
    assert all(one["lang"] == "zh" and one["year"] >= 2018 for one in years)
    names = browser.find_elements(By.CSS_SELECTOR, ".filter input")[0]
    names.clear()
    names.send_keys("metadta.year", Keys.ENTER)
    wait(browser, "!document.getElementById('problem').hidden")
    problem = browser.find_element(By.ID, "problem")
    assert problem.text.endswith("own attributes are filtered by their path, like metadata.lang")
    assert contrast(browser, "#problem") >= 4.5
    picture(browser, "search_problem")


@ONE
def test_an_empty_page_explains_how_to_find_more(browser: webdriver.Chrome) -> None:
    picture(browser, "search_begin")
    browser.execute_script("addFilter('metadata.year', 'eq', '1900')")  # type: ignore[no-untyped-call]
    ask(browser, "reload")
    assert cards(browser) == []
    assert browser.find_element(By.ID, "told").text.split("\n")[0] == "Nothing was found."
    picture(browser, "search_nothing")
    browser.find_element(By.ID, "clear-filters").click()
    wait(browser, "state.answer && state.answer.hits.length > 0")
    assert browser.find_elements(By.CSS_SELECTOR, ".filter") == []
    assert not browser.find_element(By.ID, "clear-filters").is_displayed()


@ONE
def test_many_pages_have_the_first_the_last_and_those_around(browser: webdriver.Chrome) -> None:
    browser.find_element(By.CSS_SELECTOR, "#tuning summary").click()
    browser.execute_script("document.getElementById('limit').options[0].textContent = '2'")  # type: ignore[no-untyped-call]
    Select(browser.find_element(By.ID, "limit")).select_by_visible_text("2")
    ask(browser, "reload tables")
    shown = lambda: [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#page-numbers button")]  # noqa: E731
    assert shown() == ["1", "2", "3", "12"]
    browser.find_element(By.CSS_SELECTOR, "[aria-label='Page 12']").click()
    wait(browser, "state.answer.page === 12")
    assert shown() == ["1", "10", "11", "12"]
    browser.execute_script("ask({page: 40})")  # type: ignore[no-untyped-call]
    wait(browser, "state.answer.page === 40")
    assert browser.find_element(By.ID, "told").text == "There are only 12 pages."
    browser.find_element(By.ID, "previous").click()
    wait(browser, "state.answer.page === 12")
    picture(browser, "search_pages")


@ONE
def test_the_page_offers_every_choice_and_shows_the_scores_of_each(browser: webdriver.Chrome) -> None:
    choices = {option.name: list(option.choices) for option in load() if option.choices}
    browser.find_element(By.CSS_SELECTOR, "#tuning summary").click()
    for name in ("profile", "text_leg", "fusion", "ranking"):
        select = Select(browser.find_element(By.ID, name))
        assert [one.get_attribute("value") for one in select.options] == ["", *choices[name]]
        for choice in choices[name] if name in ("profile", "fusion") else ():
            select.select_by_value(choice)
            browser.execute_script("state.answer = null")  # type: ignore[no-untyped-call]
            ask(browser, "reload tables")
            assert browser.execute_script(f"return state.asked.{name}") == choice  # type: ignore[no-untyped-call]
            first = cards(browser)[0]
            assert first.find_element(By.CSS_SELECTOR, ".numbers summary").text.startswith("BM25")
            assert "NaN" not in str(first.get_attribute("innerHTML"))
            picture(browser, f"search_{name}_{choice}")
        select.select_by_value("")


@ONE
def test_hits_below_the_minimum_cosine_are_hidden_and_values_are_counted(browser: webdriver.Chrome) -> None:
    browser.find_element(By.CSS_SELECTOR, "#tuning summary").click()
    browser.find_element(By.ID, "min_cosine").send_keys("0.99")
    browser.find_element(By.ID, "facet").send_keys("metadata.lang, metadata.year")
    ask(browser, "zebra")
    assert cards(browser) == []
    assert browser.find_element(By.ID, "told").text.startswith("Nothing was found.")
    browser.find_element(By.ID, "min_cosine").clear()
    ask(browser, "reload tables")
    rows = [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#facets > .chips")]
    assert [row.split()[0] for row in rows] == ["metadata.lang", "metadata.year"]
    browser.find_element(By.XPATH, "//div[@id='facets']//button[contains(., 'zh')]").click()
    wait(browser, "state.asked.filters && state.answer")
    assert browser.find_element(By.ID, "told").text.startswith("Hits 1–6 of 6 in ")
    picture(browser, "search_facets")


@ONE
def test_the_focused_element_is_not_hidden_by_the_header(browser: webdriver.Chrome) -> None:
    ask(browser, "reload tables")
    browser.find_element(By.TAG_NAME, "body").send_keys("j" * 9)
    head = browser.execute_script("return document.querySelector('header').getBoundingClientRect().bottom")  # type: ignore[no-untyped-call]
    for _ in range(8):
        browser.switch_to.active_element.send_keys("k")
        top = browser.execute_script("return document.activeElement.getBoundingClientRect().top")  # type: ignore[no-untyped-call]
        assert top >= head


@ONE
def test_the_page_is_available_in_chinese(browser: webdriver.Chrome) -> None:
    Select(browser.find_element(By.ID, "language")).select_by_value("zh")
    ask(browser, "重新加载配置表")
    assert browser.find_element(By.CSS_SELECTOR, "#search button").text == "搜索"
    assert browser.find_element(By.ID, "told").text.startswith("第 1–10 条结果")
    assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == "zh-Hans"
    assert cards(browser)[0].find_elements(By.TAG_NAME, "mark")
    missing = browser.execute_script(  # type: ignore[no-untyped-call]
        "return Object.keys(TEXTS.en).filter((key) => typeof TEXTS.zh[key] !== typeof TEXTS.en[key])"
    )
    assert missing == []
    picture(browser, "search_chinese")


@ONE
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_a_phone_and_has_enough_contrast(browser: webdriver.Chrome, dark: bool) -> None:
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    phone = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    ask(browser, "reload tables")
    for panel in ("filtering", "tuning", "copying"):
        browser.find_element(By.CSS_SELECTOR, f"#{panel} summary").click()
    assert browser.execute_script("return document.documentElement.scrollWidth") == 360  # type: ignore[no-untyped-call]
    for selector in (
        ".text",
        ".score",
        "#told",
        "mark",
        ".chip b",
        "#search button",
        ".numbers summary",
        ".how",
        ".note",
    ):
        assert contrast(browser, selector) >= 4.5, selector
    assert contrast(browser, "#question", pseudo="::placeholder") >= 4.5
    for selector in ("#question", "#search ~ select", "#next", "#min_score"):
        assert contrast(browser, selector, "borderTopColor") >= 3, selector
    for part in ("bm25", "cosine"):
        assert contrast(browser, f".kind .{part}", "backgroundColor") >= 3, part
    picture(browser, f"search_phone_{'dark' if dark else 'light'}")


def contrast(browser: webdriver.Chrome, selector: str, what: str = "color", pseudo: str | None = None) -> float:
    """The contrast of a text, a border or an area with its background, as defined by WCAG."""
    script = """
      const [selector, what, pseudo] = arguments;
      const found = document.querySelector(selector);
      let ground = what === "color" ? found : found.parentElement;
      const clear = (one) => getComputedStyle(one).backgroundColor === "rgba(0, 0, 0, 0)";
      while (ground && clear(ground)) ground = ground.parentElement;
      const light = (color) => {
        const [r, g, b] = color.match(/[0-9.]+/g).slice(0, 3).map((one) => one / 255)
          .map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const page = getComputedStyle(ground || document.body).backgroundColor;
      const both = [light(getComputedStyle(found, pseudo)[what]), light(page)];
      return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    """
    return float(browser.execute_script(script, selector, what, pseudo))  # type: ignore[no-untyped-call]


def test_the_request_as_code_returns_the_same_hits(browser: webdriver.Chrome) -> None:
    ask(browser, 'it\'s #{1} \\ "quoted" 重新 reload')
    expected = browser.execute_script("return state.answer.hits.map((hit) => hit.id)")  # type: ignore[no-untyped-call]
    browser.find_element(By.CSS_SELECTOR, "#copying summary").click()
    programs = {"curl": ["sh", "-c"], "python": [sys.executable, "-c"], "ruby": ["ruby", "-W", "-e"]}
    for name, program in programs.items():
        browser.find_element(By.ID, f"tab-{name}").click()
        code = browser.find_element(By.ID, "code").get_attribute("textContent")
        if name == "curl" and subprocess.run(["sh", "-c", "command -v curl"], capture_output=True).returncode:
            continue
        environment = {**os.environ, "no_proxy": "*", "NO_PROXY": "*", "LC_ALL": "C.UTF-8"}
        done = subprocess.run([*program, str(code)], capture_output=True, text=True, env=environment, timeout=60)
        assert done.returncode == 0, done.stderr
        places = [done.stdout.index(f'"{one}"' if name != "python" else f"'{one}'") for one in expected]
        assert places == sorted(places)


@ONE
def test_the_page_asks_for_a_token_if_the_service_needs_one(browser: webdriver.Chrome) -> None:
    go(browser, server_of(browser), "/guarded/")
    browser.find_element(By.ID, "question").send_keys("reload", Keys.ENTER)
    wait(browser, "!document.getElementById('problem').hidden")
    assert browser.find_element(By.ID, "problem").text.startswith("This service wants a token")
    assert browser.switch_to.active_element.get_attribute("id") == "token"
    browser.switch_to.active_element.send_keys(SECRET, Keys.ENTER)
    wait(browser, "state.answer && document.getElementById('problem').hidden")
    assert cards(browser)
    assert SECRET not in browser.current_url
    browser.find_element(By.CSS_SELECTOR, "#copying summary").click()
    assert SECRET not in browser.find_element(By.ID, "code").text
    assert "$TOKEN" in browser.find_element(By.ID, "code").text
