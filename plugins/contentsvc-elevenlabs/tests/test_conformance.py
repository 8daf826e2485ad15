"""Everything that can happen between the service and ElevenLabs."""

from elevenlabs_dialects import Voices

from contentsvc.testing import conformance
from contentsvc_elevenlabs import plugin

test_conformance = conformance(plugin, Voices())
