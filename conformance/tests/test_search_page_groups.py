"""The options of the search page that arrange hits (ARR-1, ARR-3, ARR-5, ARR-6)."""

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from conformance.tests.test_search_page import ONE, ask, browser, cards, pytestmark, server, window

__all__ = ["browser", "pytestmark", "server", "window"]


@ONE
def test_the_page_requests_groups_parents_diversity_and_neighbours(browser: webdriver.Chrome) -> None:
    browser.find_element(By.CSS_SELECTOR, "#tuning summary").click()
    parents = Select(browser.find_element(By.ID, "parents"))
    assert [one.get_attribute("value") for one in parents.options] == ["", "mean", "max"]
    parents.select_by_value("max")
    for name, value in (("collapse", "metadata.lang"), ("diversity", "0.5"), ("context", "1")):
        browser.find_element(By.ID, name).send_keys(value)
    ask(browser, "reload tables")
    asked = browser.execute_script("return state.asked")  # type: ignore[no-untyped-call]
    assert [asked[name] for name in ("collapse", "parents", "diversity", "context")] == ["metadata.lang", "max", 0.5, 1]
    others = [one.find_element(By.CLASS_NAME, "others").text for one in cards(browser)]
    assert sorted(others) == ["17 more", "5 more"]
    browser.execute_script(  # type: ignore[no-untyped-call]
        "state.answer.hits[0].context = {before: [{content: '<b>one</b>'}], after: []}; show()"
    )
    assert [one.text for one in browser.find_elements(By.CLASS_NAME, "beside")] == ["<b>one</b>"]
    assert browser.get_log("browser") == []
