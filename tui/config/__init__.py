"""Configuration: folders, the settings file, endpoints and their keys, read once by the command line."""

from tui.config.endpoints import Endpoint, Timeouts, endpoint_from_flags
from tui.config.errors import ConfigError
from tui.config.keys import resolve_headers, resolve_key
from tui.config.paths import Paths
from tui.config.policy import update_policy
from tui.config.presets import DEMO, PRESETS
from tui.config.settings import Approvals, McpServer, Settings, load_settings
from tui.config.status import EndpointStatus, status_of

__all__ = [
    "DEMO",
    "PRESETS",
    "Approvals",
    "ConfigError",
    "Endpoint",
    "EndpointStatus",
    "McpServer",
    "Paths",
    "Settings",
    "Timeouts",
    "endpoint_from_flags",
    "load_settings",
    "resolve_headers",
    "resolve_key",
    "status_of",
    "update_policy",
]
