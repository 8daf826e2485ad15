"""Everything that can happen between the service and Replicate's predictions, for each capability."""

from replicate_dialects import Clips, Edits, Pictures

from contentsvc.testing import conformance
from contentsvc_replicate import plugin

test_conformance = conformance(plugin, Pictures(), Edits(), Clips())
