"""The film maker keeps to the rules of a provider that works offline."""

import contentsvc_ffmpeg
from contentsvc.plugin import Capability
from contentsvc.testing import Offline, conformance

test_conformance = conformance(contentsvc_ffmpeg.plugin, Offline(Capability.EXPORT))
