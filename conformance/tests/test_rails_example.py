"""The application of docs/examples/ruby/rails: in a browser, and reindexed while it is read, written and killed."""

import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from conformance.tests import rails_example
from conformance.tests.browser import NEEDS_BROWSER, opened_browser
from conformance.tests.rails_example import Application, Client, eventually

pytestmark = pytest.mark.programs

PAUSE = 0.03
"""Seconds between two changes of one writer, so that the queue of jobs does not grow for ever."""
HOSTILE = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"> larch & <em>fake</em> larch'


@pytest.fixture(scope="module")
def needed() -> None:
    if reason := rails_example.missing():
        pytest.skip(reason)


# --- in a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def application(needed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    made = Application(tmp_path_factory.mktemp("rails") / "application")
    made.rails("db:schema:load", "db:seed")
    with made.serving():
        garden = Client(made, "garden")
        for number in range(23):
            added = {"author": f"Author {number % 3}", "title": f"Larch {number}", "body": f"larch number {number}"}
            lang = "zh" if number % 5 == 0 else "en"
            assert garden.ask("POST", "/articles", lang=lang, published_on="2024-05-01", **added)[0] == 201
        hostile = {"author": "<b>Eve</b>", "title": "<b>bold</b>", "body": HOSTILE}
        assert garden.ask("POST", "/articles", published_on="2024-05-02", **hostile)[0] == 201
        assert garden.ask("POST", "/articles", author="Author 0", title="A draft", body="larch larch")[0] == 201
        eventually(lambda: garden.search(q="larch")["total"] == 27)
        yield made


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with opened_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def follow(browser: webdriver.Chrome, element: WebElement) -> None:
    """Click, and wait for the next page."""
    browser.execute_script("window.isOld = true")
    element.click()
    there = "return !window.isOld && document.readyState === 'complete'"
    wait = WebDriverWait(browser, 20, ignored_exceptions=[WebDriverException])
    wait.until(lambda one: one.execute_script(there))


def sign_in(browser: webdriver.Chrome, application: Application, token: str) -> None:
    browser.get(f"{application.address}/session/new")
    browser.delete_all_cookies()
    browser.get(f"{application.address}/articles")
    assert browser.current_url.endswith("/session/new")
    browser.find_element(By.ID, "token").send_keys(token)
    follow(browser, browser.find_element(By.CSS_SELECTOR, "input[type=submit]"))
    assert browser.find_element(By.TAG_NAME, "h1").text == token


def search(browser: webdriver.Chrome, question: str, lang: str = "all languages") -> list[str]:
    field = browser.find_element(By.ID, "q")
    field.clear()
    field.send_keys(question)
    Select(browser.find_element(By.ID, "lang")).select_by_visible_text(lang)
    follow(browser, browser.find_element(By.CSS_SELECTOR, "input[type=submit]"))
    return titles(browser)


def titles(browser: webdriver.Chrome) -> list[str]:
    return [one.text for one in browser.find_elements(By.CSS_SELECTOR, "article h2")]


@NEEDS_BROWSER
def test_visitors_search_filter_and_turn_pages(application: Application, window: webdriver.Chrome) -> None:
    sign_in(window, application, "garden")
    first = search(window, "larch number 7")
    assert first[0] == "Larch 7"
    assert window.find_element(By.ID, "total").text == "27 articles"
    assert window.find_element(By.ID, "facets").text.splitlines() == ["en: 21", "zh: 6"]
    assert len(window.find_elements(By.CSS_SELECTOR, ".excerpt em")) > 9
    follow(window, window.find_element(By.CSS_SELECTOR, "nav.pagination .next a"))
    second = titles(window)
    follow(window, window.find_element(By.CSS_SELECTOR, "nav.pagination .last a"))
    third = titles(window)
    assert [len(first), len(second), len(third)] == [10, 10, 7]
    assert len({*first, *second, *third}) == 27
    assert window.find_element(By.ID, "total").text == "27 articles"
    assert "A draft" not in {*first, *second, *third}
    found = search(window, "larch", "zh")
    assert window.find_element(By.ID, "total").text == "6 articles"
    assert set(found) == {"木棚", *(f"Larch {number}" for number in (0, 5, 10, 15, 20))}
    assert search(window, "落叶松")[0] == "木棚"
    assert window.find_element(By.CSS_SELECTOR, ".excerpt em").text
    follow(window, window.find_element(By.LINK_TEXT, "木棚"))
    assert "落叶松" in window.find_element(By.ID, "body").text
    assert window.find_elements(By.CSS_SELECTOR, "#similar a")
    window.get(f"{application.address}/articles?q=larch&page=abc")
    assert len(titles(window)) == 10


@NEEDS_BROWSER
def test_hostile_texts_are_shown_as_text(application: Application, window: webdriver.Chrome) -> None:
    sign_in(window, application, "garden")
    window.get(f"{application.address}/articles?q=script+hacked+larch")
    shown = next(one for one in window.find_elements(By.TAG_NAME, "article") if "<b>bold</b>" in one.text)
    assert "<b>Eve</b>" in shown.text
    assert "<em>fake</em>" in shown.text
    assert "<script>" in shown.find_element(By.CLASS_NAME, "excerpt").text
    assert not shown.find_elements(By.CSS_SELECTOR, "script, img, b")
    assert "larch" in [one.text for one in shown.find_elements(By.TAG_NAME, "em")]
    assert window.execute_script("return window.hacked") is None
    assert search(window, '"><script>window.hacked = 3</script>') is not None
    assert window.execute_script("return window.hacked") is None


@NEEDS_BROWSER
def test_an_account_sees_only_its_own_articles(application: Application, window: webdriver.Chrome) -> None:
    sign_in(window, application, "kitchen")
    for question in ("larch", "bread", "木棚"):
        assert set(search(window, question)) <= {"Bread", "面条"}
    window.get(f"{application.address}/articles/1")
    assert "larch" not in window.page_source
    status, _ = Client(application, "kitchen").ask("GET", "/articles/1.json")
    assert status == 404
    assert Client(application, "nobody").ask("GET", "/articles.json?q=larch")[0] == 401
    other = "/articles.json?q=larch&tenant=all&account_id=1&where[account_id]=1"
    answer = Client(application, "kitchen").ask("GET", other)[1]
    assert {article["title"] for article in answer["articles"]} <= {"Bread", "面条"}


def test_invalid_questions_are_client_errors(application: Application) -> None:
    garden = Client(application, "garden")
    assert garden.ask("GET", "/articles.json?q[]=larch")[0] == 400
    assert garden.ask("GET", f"/articles.json?q={'x' * 5000}")[0] in (200, 400)
    assert garden.ask("GET", "/articles.json?lang[]=en&q=larch")[0] == 200


# --- reindexed during use --------------------------------------------------------------------------------------------

FILL = """
    load "db/schema.rb"
    account = Account.create!(name: "many", token: "many")
    author = account.authors.create!(name: "One")
    rows = (1..{count}).map do |n|
      {{ account_id: account.id, author_id: author.id, title: "Article #{{n}}", lang: "en", published_on: "2024-05-01",
         body: "stale words of the article number #{{n}}, " + "and what else it says. " * 3 }}
    end
    rows.each_slice(1000) {{ |slice| Article.insert_all!(slice) }}
    Article.reindex
"""
FRESHEN = (
    "Article.where(account: Account.find_by(token: 'many')).update_all(\"body = replace(body, 'stale', 'fresh')\")"
)


class Users:
    """Readers and writers of one account, in threads, until they are stopped."""

    def __init__(self, application: Application, count: int) -> None:
        self.client = Client(application, "many")
        self.count = count
        self.problems: list[str] = []
        self.reads = self.writes = 0
        self.expected: dict[int, str | None] = {}  # the acknowledged body of an article; None: deleted
        self.is_fresh = False
        self.stale: list[str] = []
        self._stopped = False
        self._threads = [threading.Thread(target=self._until_stopped, args=(self.read, seed)) for seed in range(2)]
        self._threads += [threading.Thread(target=self._until_stopped, args=(self.write, seed)) for seed in (10, 11)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopped = True
        for thread in self._threads:
            thread.join()

    def _until_stopped(self, action: Callable[[random.Random, int], None], seed: int) -> None:
        drawn = random.Random(seed)
        for step in itertools.count():
            if self._stopped:
                return
            try:
                action(drawn, step * 100 + seed)
            except Exception as error:
                self.problems.append(repr(error)[:500])

    def read(self, drawn: random.Random, _: int) -> None:
        fresh = self.is_fresh
        question = f"words article number {drawn.randint(1, self.count)}"  # not in articles that come and go
        found = self.client.search(q=question, page=drawn.randint(1, 2))
        self.reads += 1
        if not found["articles"]:
            self.problems.append(f"nothing was found of {question!r}: {found}")
        if fresh:
            self.stale += [one["excerpt"] for one in found["articles"] if "stale" in one["excerpt"]]

    def write(self, drawn: random.Random, step: int) -> None:
        seed = step % 100
        mine = [one for one in self.expected if one % 2 == seed % 2 and self.expected[one] is not None]
        body = f"fresh text w{step} of the writer {seed}"
        kind = drawn.choice(["create", "update", "update", "delete"]) if len(mine) > 5 else "create"
        if kind == "create":
            status, made = self.client.ask(
                "POST", "/articles", author="One", title=f"New {step}", body=body, published_on="2024-06-01"
            )
            assert status == 201, made
            self.expected[int(made["id"])] = body
        elif kind == "update":
            changed = drawn.choice(mine)
            status, answer = self.client.ask("PATCH", f"/articles/{changed}", body=body)
            assert status == 200, answer
            self.expected[changed] = body
        else:
            gone = drawn.choice(mine)
            assert self.client.ask("DELETE", f"/articles/{gone}")[0] == 204
            self.expected[gone] = None
        self.writes += 1
        time.sleep(PAUSE)

    def check_writes(self, most: int) -> None:
        """Acknowledged articles are found, and deleted ones are not."""
        for article, body in sorted(self.expected.items())[-most:]:
            if body is not None:
                word = body.split()[2]
                found = self.client.search(q=f"text {word} of the writer")["articles"]
                assert found[0]["id"] == article, (article, body, found[:2])
                assert word in found[0]["excerpt"]


def killed_in_the_middle(application: Application, count: int) -> None:
    """Start to reindex, and kill the process once a part is copied."""
    with application.start("ruby", "-S", "rake", "hybrid_search:reindex[Article]") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert 0 < int(line.split(": ")[1].split(" of ")[0]) < count, line
        os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


def check_reindex(application: Application, count: int) -> None:
    application.rails("runner", FILL.format(count=count))
    patience = max(60.0, count / 40)
    with application.serving():
        users = Users(application, count)
        assert users.client.search(q="stale words of the article number 7")["total"] > 0
        users.start()
        try:
            eventually(lambda: users.reads > 10 and users.writes > 10, patience)
            application.rails("runner", FRESHEN)
            killed_in_the_middle(application, count)
            writes = users.writes
            eventually(lambda: users.writes > writes + 5, patience)
            output = application.run("ruby", "-S", "rake", "hybrid_search:reindex[Article]")
            first = int(output.splitlines()[0].split(": ")[1].split(" of ")[0])
            assert first > 256, f"it began again from the beginning: {output}"
            time.sleep(1.5)  # a pointer in PostgreSQL is cached for a second
            users.is_fresh = True
            reads = users.reads
            eventually(lambda: users.reads > reads + 20, patience)
        finally:
            users.stop()
        assert users.problems == []
        assert users.stale == []
        eventually(lambda: verified(application), patience)  # the writes of running jobs are finished
        users.check_writes(50)
        tasks = ("hybrid_search:verify", "hybrid_search:status", "hybrid_search:clean")
        output = application.run("ruby", "-S", "rake", *tasks, GRACE="0")
        assert "Article: ok" in output
        assert "Article: removed 000001, 000002" in output
        assert users.client.search(q="fresh words")["total"] > 0


def verified(application: Application) -> bool:
    process = application.start("ruby", "-S", "rake", "hybrid_search:verify")
    process.communicate(timeout=300)
    return process.returncode == 0


@pytest.mark.nightly
def test_reindexing_works_during_use_and_after_being_killed(needed: None, tmp_path: Path) -> None:
    check_reindex(Application(tmp_path / "application"), 1_000)


@pytest.mark.nightly
def test_twenty_thousand_articles_are_reindexed_during_use(needed: None, tmp_path: Path) -> None:
    check_reindex(Application(tmp_path / "application"), 20_000)


def dropped(connection: Any, name: str) -> None:
    """Drops a database. The server refuses while one of its own workers, which we may not end, is using it."""
    deadline = time.monotonic() + 60
    while True:
        try:
            connection.execute(f"drop database {name} with (force)")
            return
        except connection.ProgrammingError:  # the privilege to end that worker is missing here
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


@pytest.mark.engines
@pytest.mark.nightly
def test_reindexing_works_in_postgresql_in_the_pool_of_the_application(needed: None, tmp_path: Path) -> None:
    url = os.environ.get("HYBRID_SEARCH_POSTGRES_URL")
    if url is None:
        pytest.skip("HYBRID_SEARCH_POSTGRES_URL is not set: bin/engines run postgres -- bin/test engines")
    psycopg: Any = pytest.importorskip("psycopg")
    name = f"rails_example_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create database {name}")
        try:
            own = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
            check_reindex(Application(tmp_path / "application", DATABASE_URL=own, SEARCH_STORE="postgres"), 1_000)
        finally:
            dropped(connection, name)
