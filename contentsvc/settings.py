"""Every ini key of the service: typed, defaulted, documented, checked in one go.

A key is ``domain.name``. :func:`load` takes the flat strings of the ini (and the
environment, where ``auth.token_days`` is ``CONTENTSVC_AUTH_TOKEN_DAYS``), and gives
one frozen :class:`Settings`, or one :class:`SettingsError` that lists all faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from cryptography.fernet import Fernet
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

PLACEHOLDER = re.compile(r"change[-_ ]?me|<[A-Za-z][^<>]*>|\bplaceholder\b|\bxxx+\b", re.IGNORECASE)
ENVIRONMENT_PREFIX = "CONTENTSVC_"
PLUGIN_DOMAIN = "plugins"


class SettingsError(ValueError):
    """The ini can't be used. The message lists every fault, one a line, without values."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("The settings can't be used:\n" + "\n".join(f"  - {line}" for line in faults))


def _words(value: object) -> object:
    if isinstance(value, str):
        return tuple(word for word in re.split(r"[\s,]+", value.strip()) if word)
    return value


def _blank_is_none(value: object) -> object:
    return None if value == "" else value


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError) as error:
        raise ValueError("not a time zone of the IANA database") from error
    return name


def _fernet_keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    for key in keys:
        try:
            Fernet(key)
        except ValueError as error:
            raise ValueError("each key is 32 random bytes in URL-safe base64") from error
    return keys


def _rate(value: str) -> str:
    if value and not re.fullmatch(r"[1-9]\d*/(second|minute|hour)", value):
        raise ValueError("write a rate as 600/minute (second, minute or hour), or leave it empty")
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(_words)]
Networks = Annotated[tuple[IPv4Network | IPv6Network, ...], BeforeValidator(_words)]
OptionalText = Annotated[str | None, BeforeValidator(_blank_is_none)]
OptionalPath = Annotated[Path | None, BeforeValidator(_blank_is_none)]
OptionalAmount = Annotated[Decimal | None, BeforeValidator(_blank_is_none), Field(ge=0)]
TimeZoneName = Annotated[str, AfterValidator(_zone)]
FernetKeys = Annotated[tuple[str, ...], BeforeValidator(_words), AfterValidator(_fernet_keys)]
Rate = Annotated[str, AfterValidator(_rate)]
Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]

MIB = 1024 * 1024


class Domain(BaseModel):
    """One group of keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class HttpSettings(Domain):
    public_url: OptionalText = Field(
        None, description="Address clients reach the service at; empty: taken from each request."
    )
    max_body_bytes: Count = Field(MIB, description="Largest JSON body, in bytes.")
    cors_origins: Words = Field((), description="Origins allowed to call from a browser; empty: none.")
    trusted_proxies: Networks = Field(
        (), description="Networks of the proxies whose X-Forwarded-For and -Proto are believed."
    )
    token_rate: Rate = Field("", description="Requests a token may make, as 600/minute; empty: no limit.")
    address_rate: Rate = Field(
        "", description="Requests without a token an address may make, as 120/minute; empty: no limit."
    )
    metrics_token: OptionalText = Field(
        None, description="Token that /api/metrics/ asks for; empty: only clients on this machine may read."
    )


class DatabaseSettings(Domain):
    url: str = Field(
        description="postgresql:// URL, or the word embedded for a private server below var_dir."
    )
    pool_size: Count = Field(10, description="Connections each process keeps.")
    max_overflow: int = Field(10, ge=0, description="Connections a process may open above pool_size.")
    pool_timeout: Seconds = Field(5.0, description="Seconds a request waits for a connection before 503.")
    lock_timeout_ms: Count = Field(5000, description="Longest wait for a row lock, in milliseconds.")
    statement_timeout_ms: Count = Field(30000, description="Longest statement, in milliseconds.")


class QueueSettings(Domain):
    backend: Literal["postgres", "redis"] = Field(description="What rings the workers: postgres or redis.")
    redis_url: OptionalText = Field(None, description="redis:// URL; needed when backend is redis.")
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")] = Field(
        "contentsvc", description="Prefix of the queues' names, for several services on one Redis."
    )


class WorkerSettings(Domain):
    generate: Count = Field(
        4,
        description="Threads for one provider's pictures, text, speech and video; others get a quarter more.",
    )
    poll: Count = Field(4, description="Threads that ask providers for running work.")
    export: Count = Field(1, description="Exports a worker process renders at once.")
    drain_seconds: Seconds = Field(25.0, description="Seconds running work gets to finish at shutdown.")

    def threads(self, queue: str) -> int:
        """Threads a process starts for a queue.

        For orders some more than one provider gets: one who hangs must not take them all.
        """
        number: int = getattr(self, queue)
        return number + max(1, number // 4) if queue == "generate" else number


class JobSettings(Domain):
    lease_seconds: Seconds = Field(30.0, description="A silent worker's work is taken over after this.")
    scan_seconds: Seconds = Field(1.0, description="How often due work is looked for.")
    beat_seconds: Seconds = Field(5.0, description="How often a worker says that it lives.")
    online_seconds: Seconds = Field(15.0, description="A worker silent for longer counts as gone.")


class StorageSettings(Domain):
    backend: str = Field("local", description="local, s3, or the name of a plugin's backend.")
    root: OptionalPath = Field(None, description="Folder of the local backend; needed for local.")
    s3_bucket: OptionalText = Field(None, description="Bucket; needed for s3.")
    s3_endpoint_url: OptionalText = Field(None, description="Address of an S3-compatible service.")
    s3_region: OptionalText = Field(None, description="Region of the bucket.")
    s3_access_key_id: OptionalText = Field(None, description="Empty: boto3's own credential chain.")
    s3_secret_access_key: OptionalText = Field(None, description="Secret that belongs to the key id.")
    s3_public_url: OptionalText = Field(
        None, description="Base address of a CDN over the bucket; empty: signed links."
    )
    signed_url_seconds: Count = Field(900, description="Life of a signed link, in seconds.")
    options: str = Field("", description="JSON object handed to a plugin's storage backend.")


class UploadSettings(Domain):
    image_max_bytes: Count = Field(20 * MIB, description="Largest image, in bytes.")
    image_max_pixels: Count = Field(50_000_000, description="Most pixels an image may have.")
    image_max_frames: Count = Field(1000, description="Most frames an animated image may have.")
    animation_max_pixels: Count = Field(
        500_000_000, description="Most pixels all frames of an animated image may have together."
    )
    video_max_bytes: Count = Field(500 * MIB, description="Largest video, in bytes.")
    audio_max_bytes: Count = Field(50 * MIB, description="Largest sound file, in bytes.")
    document_max_bytes: Count = Field(20 * MIB, description="Largest document, in bytes.")
    avatar_max_bytes: Count = Field(5 * MIB, description="Largest avatar, in bytes.")
    temp_dir: OptionalPath = Field(None, description="Folder for files in transit; empty: the system's.")


class AuthSettings(Domain):
    token_days: Annotated[float, Field(gt=0)] = Field(30.0, description="Days an unused token lives.")
    password_failures: Count = Field(
        10, description="Wrong passwords per username and address in a window before 429."
    )
    invite_failures: Count = Field(
        20, description="Invalid invitation codes per address in a window before 429."
    )
    failure_window_minutes: Count = Field(15, description="Length of that window, in minutes.")
    argon2_memory_kib: Annotated[int, Field(ge=8)] = Field(19456, description="argon2id memory, KiB.")
    argon2_time_cost: Count = Field(2, description="argon2id passes.")
    hash_concurrency: Count = Field(4, description="Password hashes a process computes at once.")


class AccountSettings(Domain):
    invitation_days: Annotated[float, Field(ge=0)] = Field(7.0, description="Days an invitation lives.")


class SecretSettings(Domain):
    keys: FernetKeys = Field(
        (), description="Fernet keys for secrets at rest; the first encrypts, all decrypt."
    )
    key_file: OptionalPath = Field(
        None, description="File that holds such a key, made at the first start; for development."
    )


class BillingSettings(Domain):
    timezone: TimeZoneName = Field("UTC", description="Zone in which days and months begin.")
    default_team_monthly_limit: OptionalAmount = Field(
        None, description="Monthly cap, in credits, of teams without their own; empty: none."
    )
    recharge_channels: Words = Field(
        (),
        description="Open recharge channels: manual, or a plugin's. The first is the default; "
        "plugins' other channels follow.",
    )
    low_balance: Annotated[Decimal, Field(ge=0)] = Field(
        Decimal(10), description="Available credits under which the owners are told."
    )


class GenerationSettings(Domain):
    max_attempts: Count = Field(4, description="Times a task is tried before it fails.")
    retry_seconds: Seconds = Field(2.0, description="First back-off after a retryable failure; doubles.")
    retry_max_seconds: Seconds = Field(60.0, description="Longest back-off, in seconds.")
    poll_min_seconds: Seconds = Field(2.0, description="First interval between polls of remote work.")
    poll_max_seconds: Seconds = Field(15.0, description="Longest interval between polls.")
    remote_timeout_minutes: Annotated[float, Field(gt=0)] = Field(
        30.0, description="Minutes after which remote work is given up."
    )
    provider_concurrency: Count = Field(8, description="Calls a process has open to one provider at once.")
    stream_concurrency: Count = Field(
        300, description="Scripts a web process lets one provider write at once, beside those calls."
    )
    free_video_concurrency: Count = Field(
        3, description="Free videos of one team that may be in the making at once."
    )


class ProviderSettings(Domain):
    allowed_networks: Networks = Field(
        (),
        description="Networks plugins may call although they aren't public, as 10.1.0.0/16; empty: none.",
    )
    reply_seconds: Seconds = Field(
        600.0, description="Longest time a provider's reply may take as a whole, in seconds."
    )
    reply_max_bytes: Count = Field(
        64 * MIB, description="Largest reply of a provider, in bytes; results that are files have their own."
    )
    circuit_failures: Count = Field(
        5, description="Calls in a row without an answer after which a process leaves a provider alone."
    )
    circuit_seconds: Seconds = Field(
        15.0, description="How long, until one call may try again; doubles while that fails, up to eightfold."
    )


class ReviewSettings(Domain):
    required: bool = Field(
        False, description="Whether faces hold up videos even where no model reviews pictures."
    )
    timeout_minutes: Annotated[float, Field(gt=0)] = Field(
        15.0, description="Minutes after which a review without a verdict has failed."
    )


class LogSettings(Domain):
    format: Literal["console", "json"] = Field("json", description="console for people, json for machines.")
    level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level written.")


class PluginSettings(Domain):
    """``plugins.disabled``, and ``plugins.<driver>.<name>`` for what drivers declare."""

    disabled: Words = Field((), description="Entry points that are not loaded.")
    look_seconds: Annotated[float, Field(ge=0)] = Field(
        1.0, description="How often running processes look what was installed or removed; 0: only at start."
    )
    options: Mapping[str, str] = Field(default_factory=dict, exclude=True)

    def for_driver(self, driver: str) -> dict[str, str]:
        """The ini's settings of one driver, by their short names."""
        prefix = f"{driver}."
        return {k.removeprefix(prefix): v for k, v in self.options.items() if k.startswith(prefix)}


class Settings(Domain):
    """All keys of the service; one attribute a domain."""

    http: HttpSettings
    database: DatabaseSettings
    queue: QueueSettings
    workers: WorkerSettings
    jobs: JobSettings
    storage: StorageSettings
    uploads: UploadSettings
    auth: AuthSettings
    accounts: AccountSettings
    secrets: SecretSettings
    billing: BillingSettings
    generation: GenerationSettings
    providers: ProviderSettings
    review: ReviewSettings
    log: LogSettings
    plugins: PluginSettings
    var_dir: Path


def domains() -> dict[str, type[Domain]]:
    """The settings domains by name, in the order they are documented."""
    return {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Domain)
    }


def documented_keys() -> Iterator[tuple[str, str, str]]:
    """``(key, default, description)`` of every key; "required" where there is no default."""
    for domain, model in domains().items():
        for name, field in model.model_fields.items():
            if field.exclude:
                continue
            default = "required" if field.is_required() else _shown(field.default)
            yield f"{domain}.{name}", default, field.description or ""


def _shown(default: Any) -> str:
    if default in (None, ()):
        return ""
    return str(default)


def is_setting(key: str) -> bool:
    """Whether a key belongs to the service rather than to Pyramid or a library."""
    return key == "var_dir" or key.partition(".")[0] in domains()


def load(raw: Mapping[str, str], environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from the flat strings of an ini's app section.

    ``environ`` overrides the ini. Keys outside our domains are left to Pyramid.
    Raises :class:`SettingsError` with every fault at once.
    """
    flat = {key: value for key, value in raw.items() if is_setting(key)}
    flat.update(_from_environment(environ or {}))
    faults = [f"{key}: still a placeholder" for key, value in flat.items() if PLACEHOLDER.search(value)]
    grouped: dict[str, Any] = {name: {} for name in domains()}
    plugin_options: dict[str, str] = {}
    for key, value in flat.items():
        domain, _, name = key.partition(".")
        if key == "var_dir":
            grouped["var_dir"] = value
        elif domain == PLUGIN_DOMAIN and "." in name:
            plugin_options[name] = value
        else:
            grouped[domain][name] = value
    grouped[PLUGIN_DOMAIN]["options"] = plugin_options
    try:
        settings = Settings.model_validate(grouped)
    except ValidationError as error:
        raise SettingsError(faults + [_fault(item) for item in error.errors()]) from None
    faults += _missing_together(settings)
    if faults:
        raise SettingsError(faults)
    return settings


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    names = {key.upper().replace(".", "_"): key for key, _, _ in documented_keys()}
    return {
        names[name.removeprefix(ENVIRONMENT_PREFIX)]: value
        for name, value in environ.items()
        if name.startswith(ENVIRONMENT_PREFIX) and name.removeprefix(ENVIRONMENT_PREFIX) in names
    }


def _fault(error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"][:2])
    if error["type"] == "extra_forbidden":
        return f"{key}: unknown setting"
    if error["type"] == "missing":
        return f"{key}: required"
    return f"{key}: {error['msg'].removeprefix('Value error, ')}"


def _missing_together(settings: Settings) -> list[str]:
    """Keys that another key's value makes necessary."""
    faults = []
    if settings.queue.backend == "redis" and not settings.queue.redis_url:
        faults.append("queue.redis_url: required, because queue.backend is redis")
    if settings.storage.backend == "local" and not settings.storage.root:
        faults.append("storage.root: required, because storage.backend is local")
    if settings.storage.backend == "s3" and not settings.storage.s3_bucket:
        faults.append("storage.s3_bucket: required, because storage.backend is s3")
    if not settings.secrets.keys and not settings.secrets.key_file:
        faults.append("secrets.keys: required; make one with `contentsvc new-key`")
    return faults
