"""The packages that the integrations need."""

from hybrid_search.errors import ConfigurationError


def missing(what: str, package: str, extra: str) -> ConfigurationError:
    """Return the error for a package that is not installed.

    Args:
        what: what needs it, for the message.
        package: the name of the package.
        extra: the extra that installs it.
    """
    return ConfigurationError(f"{what} needs the package {package}: pip install 'hybrid-search[{extra}]'")
