"""API keys, passwords and client certificates; both languages behave alike (OS-6)."""

import json
import ssl
import subprocess

import pytest

from hybrid_search import InvalidInputError, OpenSearchDocStore
from python_ref.tests.doc_store_adapter.opensearch_fake import Fake, description, serving
from python_ref.tests.doc_store_adapter.opensearch_steps import play

OPENED = {"/i": [(200, description())]}
REFUSED = {"/i": [(401, {}), (200, description())]}


@pytest.fixture(params=["python", "ruby"])
def play_in(request):
    return play if request.param == "python" else request.getfixturevalue("opensearch_in_ruby")


class Authority:
    """Certificates of one authority, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self._run("req", "-x509", *self._key("authority"), "-subj", "/CN=authority", "-out", self.path("authority.pem"))
        self.make("server", "subjectAltName=IP:127.0.0.1")
        self.make("client", "extendedKeyUsage=clientAuth")

    def path(self, name):
        return str(self.folder / name)

    def make(self, name, extension):
        """Make the files NAME.pem and NAME.key."""
        request, extensions = self.folder / "request", self.folder / "extensions"
        self._run("req", "-new", *self._key(name), "-subj", f"/CN={name}", "-out", str(request))
        extensions.write_text(extension)
        signing = ["-CA", self.path("authority.pem"), "-CAkey", self.path("authority.key"), "-CAcreateserial"]
        made = ["-extfile", str(extensions), "-out", self.path(f"{name}.pem")]
        self._run("x509", "-req", "-in", str(request), "-days", "2", *signing, *made)

    def context(self, newest=ssl.TLSVersion.TLSv1_3):
        """Return the context of a server that demands certificates of this authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("server.pem"), self.path("server.key"))
        context.load_verify_locations(self.path("authority.pem"))
        context.verify_mode = ssl.CERT_REQUIRED
        context.maximum_version = newest
        return context

    def client(self, name="client"):
        """Return the options of a client of this authority."""
        return {"client_certificate": self.path(f"{name}.pem"), "client_key": self.path(f"{name}.key")}

    def _key(self, name):
        key = self.path(f"{name}.key")
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key]

    @staticmethod
    def _run(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("other"))


# --- passwords and API keys ------------------------------------------------------------------------------------------


def test_a_password_is_sent_in_utf_8(play_in):
    fake = Fake(OPENED)
    with serving(fake) as url:
        assert play_in(url, [], {"user": "one", "password": ["pä:s"] * 9})["error"] is None
    assert set(fake.named) == {"Basic b25lOnDDpDpz"}


def test_a_key_is_sent_instead_of_a_user(play_in):
    fake = Fake(OPENED)
    with serving(fake) as url:
        assert play_in(url, [], {"api_key": ["aWQ6a2V5"] * 9})["error"] is None
    assert set(fake.named) == {"ApiKey aWQ6a2V5"}


def test_a_key_may_be_given_as_text():
    fake = Fake(OPENED)
    with serving(fake) as url:
        OpenSearchDocStore(url, "i", api_key="aWQ6a2V5")
    assert set(fake.named) == {"ApiKey aWQ6a2V5"}


@pytest.mark.parametrize("secret", ["password", "api_key"])
def test_a_secret_is_requested_again_after_it_was_refused(secret):
    given = iter(["old", "new", "newer"])
    fake = Fake(REFUSED)
    access = {"user": "one"} if secret == "password" else {}
    with serving(fake) as url:
        OpenSearchDocStore(url, "i", **access, **{secret: lambda: next(given)})
    assert next(given) == "newer"
    assert fake.named[0] != fake.named[1]


def test_a_key_that_is_refused_again_is_not_shown(play_in):
    with serving(Fake({"/i": [(401, {})]})) as url:
        outcome = play_in(url, [], {"api_key": ["secretkey"] * 5})
    assert outcome["error"] == ["DocStoreError", "OpenSearch at URL returned status 401"]
    assert "secretkey" not in json.dumps(outcome)


@pytest.mark.parametrize("value", ["", "secret key", "secret\nkey", "clé", 5, None])
def test_a_key_that_no_header_can_contain_is_refused_and_not_shown(play_in, value):
    with serving(Fake(OPENED)) as url:
        outcome = play_in(url, [], {"api_key": [value] * 3})
    told = "api_key must be a text of ASCII characters without blanks, or a callable that returns one"
    assert outcome["error"] == ["InvalidInputError", told]


def test_a_password_that_is_not_a_text_is_refused_and_not_shown(play_in):
    with serving(Fake(OPENED)) as url:
        outcome = play_in(url, [], {"user": "one", "password": [1234]})
    assert outcome["error"] == ["InvalidInputError", "password must be a callable that returns a text"]


def test_a_key_and_a_user_exclude_each_other(play_in):
    outcome = play_in("http://127.0.0.1:9", [], {"api_key": ["k"], "user": "one"})
    assert outcome["error"] == ["InvalidInputError", "api_key must not be set together with user"]


# --- client certificates ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_with_a_certificate_is_accepted(play_in, authority, version):
    options = {"ca_file": authority.path("authority.pem"), **authority.client()}
    fake = Fake(OPENED)
    with serving(fake, authority.context(version)) as url:
        assert play_in(url, [["generation"]], options)["error"][1].startswith("OpenSearch at URL returned status 400")
    assert set(fake.named) == {None}


def test_one_file_may_contain_the_certificate_and_its_key(play_in, authority, tmp_path):
    whole = tmp_path / "whole.pem"
    whole.write_text("".join((authority.folder / f"client.{form}").read_text() for form in ("pem", "key")))
    options = {"ca_file": authority.path("authority.pem"), "client_certificate": str(whole)}
    with serving(Fake(OPENED), authority.context()) as url:
        assert play_in(url, [], options)["error"] is None


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (ssl.TLSVersion.TLSv1_2, "refuses the secured connection; it may demand a client certificate"),
        (ssl.TLSVersion.TLSv1_3, "demands a client certificate"),
    ],
)
def test_a_missing_client_certificate_is_reported_at_once(play_in, authority, version, told):
    with serving(Fake(OPENED), authority.context(version)) as url:
        outcome = play_in(url, [], {"ca_file": authority.path("authority.pem")})
    assert outcome["error"] == ["DocStoreError", f"OpenSearch at URL {told}"]
    assert outcome["log"] == []


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_certificate_of_another_authority_is_refused_at_once(play_in, authority, other, version):
    options = {"ca_file": authority.path("authority.pem"), **other.client()}
    with serving(Fake(OPENED), authority.context(version)) as url:
        outcome = play_in(url, [], options)
    assert outcome["error"] == ["DocStoreError", "OpenSearch at URL does not accept the client certificate"]
    assert outcome["log"] == []


FILE = "a readable file with certificates"
KEY = "a readable file with the key of client_certificate, without a passphrase"


def refused(play_in, options):
    """Return the message of an option that is refused before anything is sent."""
    kind, message = play_in("https://127.0.0.1:9", [], options)["error"]
    assert kind == "InvalidInputError"
    return message


def test_files_must_exist_and_have_the_required_contents(play_in, authority, tmp_path):
    key, empty = authority.path("client.key"), tmp_path / "empty"
    empty.write_text("")
    for name in ("ca_file", "client_certificate"):
        for path in (str(tmp_path / "missing"), str(tmp_path), str(empty), key):
            assert refused(play_in, {name: path}).startswith(f"{name} must be {FILE}, not ")
    for path in (str(tmp_path / "missing"), str(tmp_path), str(empty), authority.path("client.pem")):
        told = refused(play_in, {**authority.client(), "client_key": path})
        assert told.startswith(f"client_key must be {KEY}, not ")


def test_a_key_must_match_the_certificate_and_have_no_passphrase(play_in, authority, tmp_path):
    told = refused(play_in, {**authority.client(), "client_key": authority.path("server.key")})
    assert told.startswith(f"client_key must be {KEY}, not ")
    locked = str(tmp_path / "locked.key")
    command = ["openssl", "ec", "-in", authority.path("client.key"), "-aes256", "-passout", "pass:word", "-out", locked]
    subprocess.run(command, check=True, capture_output=True)
    told = refused(play_in, {**authority.client(), "client_key": locked})
    assert told.startswith(f"client_key must be {KEY}, not ")


def test_a_certificate_without_its_key_and_a_key_without_its_certificate_are_refused(play_in, authority):
    told = refused(play_in, {"client_certificate": authority.path("client.pem")})
    assert told.startswith(f"client_certificate must be {FILE} and their key, not ")
    told = refused(play_in, {"client_key": authority.path("client.key")})
    assert told == "client_key must not be set without client_certificate"


def test_an_unreadable_file_is_refused(authority, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: not path.endswith(".key"))
    with pytest.raises(InvalidInputError, match="client_key must be a readable file"):
        OpenSearchDocStore("https://127.0.0.1:9", "i", **authority.client())
