from volcengine_dialects import (
    ClipDialect,
    EntityDialect,
    PictureDialect,
    ReviewDialect,
    ScriptDialect,
    VoiceDialect,
)

from contentsvc.plugin import Capability
from contentsvc.testing import conformance
from contentsvc_volcengine import plugin

test_conformance = conformance(
    plugin,
    ScriptDialect(),
    EntityDialect(),
    PictureDialect(Capability.IMAGE_GENERATION),
    PictureDialect(Capability.IMAGE_EDIT),
    ClipDialect(),
    VoiceDialect(),
    ReviewDialect(),
)
