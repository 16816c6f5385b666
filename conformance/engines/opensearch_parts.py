"""What OpenSearch is put together from: the plain server, the k-NN plugin, and modules made of single jars.

Maven Central has the server without its usual modules; what the library's adapter and a RAGFlow mapping need of them is
laid into `modules/` here: a folder each, with the jars and a descriptor.
"""

import shutil
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from conformance.engines import downloads
from conformance.engines.errors import EngineError

RELEASE = "2.19.0"
SERVER = f"opensearch-{RELEASE}"
_PLUGINS = "org.opensearch.plugin"


@dataclass(frozen=True)
class Artifact:
    """A file of Maven Central.

    Attributes:
        group: its group.
        name: its name in the group.
        version: its version.
        digest: the SHA-256 of its content.
        form: how the file's name ends.
    """

    group: str
    name: str
    version: str
    digest: str
    form: str = "jar"

    @property
    def file(self) -> str:
        """Its file's name."""
        return f"{self.name}-{self.version}.{self.form}"


@dataclass(frozen=True)
class Module:
    """A module of the server.

    Attributes:
        name: its name.
        entry: its Java class.
        jars: what it is made of.
        extends: the modules that it extends.
        grants: the permissions that its code is given.
    """

    name: str
    entry: str
    jars: tuple[Artifact, ...]
    extends: str = ""
    grants: tuple[str, ...] = field(default=())


DISTRIBUTION = Artifact(
    "org.opensearch.distribution.integ-test-zip",
    "opensearch",
    RELEASE,
    "84b8d1a06a31b57993cfe2801cbf01bdbc54fe07b45aee5cb2ba87917a01c751",
    "zip",
)
KNN = Artifact(
    _PLUGINS, "opensearch-knn", "2.19.0.0", "90a302cd3604696b2e3e1767feafa5fa9a4dfc85b0f7174af61a05d1ac8c7e00", "zip"
)
_PAINLESS = (
    Artifact(_PLUGINS, "lang-painless", RELEASE, "c126d335869cefd1a2e5b5081cd6802d0f11ea4ece016a2dd5112f3a1c38e1d1"),
    Artifact(
        _PLUGINS,
        "opensearch-scripting-painless-spi",
        RELEASE,
        "d85f2afb43fd21bf68bb526282c816edb900bda9bacea162b80d668606ee2e6b",
    ),
    Artifact(
        "org.antlr", "antlr4-runtime", "4.13.1", "54665d2838cc66458343468efc539e454fc95b46a8a04b13c6ac43fc9be63505"
    ),
    Artifact("org.ow2.asm", "asm", "9.7", "adf46d5e34940bdf148ecdd26a9ee8eea94496a72034ff7141066b3eea5c4e9d"),
    Artifact("org.ow2.asm", "asm-analysis", "9.7", "7bc6bcbc21379948a0c8c467fb0f864206e5b818f6bc0b546872f5c9f941556f"),
    Artifact("org.ow2.asm", "asm-commons", "9.7", "389bc247958e049fc9a0408d398c92c6d370c18035120395d4cba1d9d9304b7a"),
    Artifact("org.ow2.asm", "asm-tree", "9.7", "62f4b3bc436045c1acb5c3ba2d8ec556ec3369093d7f5d06c747eb04b56d52b1"),
    Artifact("org.ow2.asm", "asm-util", "9.7", "37a6414d36641973f1af104937c95d6d921b2ddb4d612c66c5a9f2b13fc14211"),
)
MODULES = (
    Module(
        "lang-painless",
        "org.opensearch.painless.PainlessPlugin",
        _PAINLESS,
        grants=(
            'java.lang.RuntimePermission "createClassLoader"',
            'java.lang.RuntimePermission "getClassLoader"',
            'org.opensearch.secure_sm.ThreadPermission "modifyArbitraryThread"',
        ),
    ),
    Module(
        "mapper-extras",
        "org.opensearch.index.mapper.MapperExtrasPlugin",
        (
            Artifact(
                _PLUGINS,
                "mapper-extras-client",
                RELEASE,
                "6e86e2def2d882e954a2adf82bb56e4cda46a206bd66a8093cbd5eea21312c66",
            ),
        ),
    ),
    Module(
        "analysis-common",
        "org.opensearch.analysis.common.CommonAnalysisPlugin",
        (
            Artifact(
                _PLUGINS,
                "analysis-common",
                RELEASE,
                "f51be36f594860d24252cbcda6b51515a46832cddf56a038e4e85d100362bf7b",
            ),
        ),
        extends="lang-painless",
    ),
)
ARTIFACTS = (DISTRIBUTION, KNN, *(jar for module in MODULES for jar in module.jars))

_DESCRIPTOR = """\
description=the module {name}
version={release}
name={name}
classname={entry}
java.version=11
opensearch.version={release}
extended.plugins={extends}
has.native.controller=false
"""
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>hybrid-search</groupId>
  <artifactId>engines</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <build><plugins><plugin>
    <groupId>org.apache.maven.plugins</groupId>
    <artifactId>maven-dependency-plugin</artifactId>
    <version>3.6.1</version>
    <configuration>
      <outputDirectory>{into}</outputDirectory>
      <artifactItems>
{items}
      </artifactItems>
    </configuration>
  </plugin></plugins></build>
</project>
"""
_ITEM = (
    "        <artifactItem><groupId>{0.group}</groupId><artifactId>{0.name}</artifactId>"
    "<version>{0.version}</version><type>{0.form}</type></artifactItem>"
)


def put_together(kept: Path, folder: Path) -> None:
    """Lay a server with its plugin and modules into a folder; what is fetched for it stays in another."""
    downloads.kept({artifact.file: artifact.digest for artifact in ARTIFACTS}, kept, _fetch)
    with zipfile.ZipFile(kept / DISTRIBUTION.file) as packed:
        packed.extractall(folder)
    server = folder / SERVER
    for program in (server / "bin").iterdir():
        program.chmod(0o755)
    with zipfile.ZipFile(kept / KNN.file) as packed:
        packed.extractall(server / "plugins" / KNN.name)
    for module in MODULES:
        _lay(module, kept, server / "modules" / module.name)


def _lay(module: Module, kept: Path, place: Path) -> None:
    place.mkdir()
    for jar in module.jars:
        shutil.copyfile(kept / jar.file, place / jar.file)
    descriptor = _DESCRIPTOR.format(name=module.name, release=RELEASE, entry=module.entry, extends=module.extends)
    (place / "plugin-descriptor.properties").write_text(descriptor, "utf-8")
    if module.grants:
        lines = "".join(f"  permission {grant};\n" for grant in module.grants)
        (place / "plugin-security.policy").write_text(f"grant {{\n{lines}}};\n", "utf-8")


def _fetch(into: Path) -> None:
    """Let Maven fetch the files, from wherever its own settings say."""
    maven = shutil.which("mvn")
    if maven is None:
        raise EngineError("OpenSearch is fetched by Maven, which is missing: bin/setup installs it on Debian as root")
    project = into / "pom.xml"
    items = "\n".join(_ITEM.format(artifact) for artifact in ARTIFACTS)
    project.write_text(_POM.format(into=escape(str(into)), items=items), "utf-8")
    command: list[str | Path] = [
        maven,
        "--batch-mode",
        "--quiet",
        "--file",
        project,
        f"-Dmaven.repo.local={into / 'maven'}",
        _COPY,
    ]
    downloads.client(command, f"OpenSearch {RELEASE} from Maven Central")
