"""What a plugin author needs, and nothing else: hooks, capabilities, values, errors.

A plugin is an installed distribution with an entry point in the group
``contentsvc.plugins``. The object behind it implements some of the hooks of
:class:`~contentsvc.plugin.hooks.HookSpecs`, each marked with :data:`hookimpl`::

    from contentsvc.plugin import Capability, Driver, hookimpl

    @hookimpl
    def contentsvc_register_providers(register):
        register(Driver(name="acme", display_name="Acme", capabilities={...}))

The service owns prompts, prices, storage, retries and states; a plugin only talks
to its provider. This package imports nothing of the service, so that a plugin can be
read, typed and tested on its own. Everything here follows semantic versioning:
within one major version members are only ever added.
"""

from __future__ import annotations

from contentsvc.plugin.backends import (
    Accepted,
    Backend,
    Context,
    Done,
    ModelInfo,
    Pending,
)
from contentsvc.plugin.capabilities import (
    BillingUnit,
    Capability,
)
from contentsvc.plugin.checks import (
    CheckContext,
)
from contentsvc.plugin.declarations import (
    Driver,
    Model,
    Payment,
    PaymentChannel,
    PluginSetting,
    SettledTask,
)
from contentsvc.plugin.entities import (
    Entity,
    EntityBackend,
    EntityRequest,
    EntityResult,
    EntityType,
)
from contentsvc.plugin.errors import (
    AuthenticationFailed,
    ContentRejected,
    OutcomeUnknown,
    ProviderError,
    RateLimited,
)
from contentsvc.plugin.exports import (
    ExportBackend,
    ExportClip,
    ExportRequest,
    ExportResult,
    Music,
    Narration,
    Subtitle,
    SubtitleStyle,
    TransitionType,
)
from contentsvc.plugin.fitting import (
    fitting_resolution,
    nearest_ratio,
    whole_seconds,
)
from contentsvc.plugin.hooks import (
    hookimpl,
)
from contentsvc.plugin.images import (
    ImageBackend,
    ImagePurpose,
    ImageReference,
    ImageRequest,
    ImageResult,
    ReferenceRole,
)
from contentsvc.plugin.replies import (
    figure,
    retry_after,
    save_reply,
)
from contentsvc.plugin.reviews import (
    ReviewBackend,
    ReviewRequest,
    ReviewResult,
)
from contentsvc.plugin.scripts import (
    DialogueLine,
    ScriptBackend,
    ScriptDraft,
    ScriptEvent,
    ScriptMode,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
)
from contentsvc.plugin.speech import (
    SpeechBackend,
    SpeechRequest,
    SpeechResult,
)
from contentsvc.plugin.values import (
    GeneratedFile,
    MediaRef,
    ProductFacts,
    SellingPoint,
    Usage,
)
from contentsvc.plugin.videos import (
    VideoBackend,
    VideoRequest,
    VideoResult,
)

__all__ = [
    "Accepted",
    "AuthenticationFailed",
    "Backend",
    "BillingUnit",
    "Capability",
    "CheckContext",
    "ContentRejected",
    "Context",
    "DialogueLine",
    "Done",
    "Driver",
    "Entity",
    "EntityBackend",
    "EntityRequest",
    "EntityResult",
    "EntityType",
    "ExportBackend",
    "ExportClip",
    "ExportRequest",
    "ExportResult",
    "GeneratedFile",
    "ImageBackend",
    "ImagePurpose",
    "ImageReference",
    "ImageRequest",
    "ImageResult",
    "MediaRef",
    "Model",
    "ModelInfo",
    "Music",
    "Narration",
    "OutcomeUnknown",
    "Payment",
    "PaymentChannel",
    "Pending",
    "PluginSetting",
    "ProductFacts",
    "ProviderError",
    "RateLimited",
    "ReferenceRole",
    "ReviewBackend",
    "ReviewRequest",
    "ReviewResult",
    "ScriptBackend",
    "ScriptDraft",
    "ScriptEvent",
    "ScriptMode",
    "ScriptRequest",
    "ScriptResult",
    "ScriptSegment",
    "ScriptText",
    "ScriptTool",
    "SellingPoint",
    "SettledTask",
    "SpeechBackend",
    "SpeechRequest",
    "SpeechResult",
    "Subtitle",
    "SubtitleStyle",
    "TransitionType",
    "Usage",
    "VideoBackend",
    "VideoRequest",
    "VideoResult",
    "figure",
    "fitting_resolution",
    "hookimpl",
    "nearest_ratio",
    "retry_after",
    "save_reply",
    "whole_seconds",
]
