"""Everything that can happen between the service and fal.ai's queue, for each capability."""

from fal_dialects import Clips, Edits, Pictures

from contentsvc.testing import conformance
from contentsvc_fal import plugin

test_conformance = conformance(plugin, Pictures(), Edits(), Clips())
