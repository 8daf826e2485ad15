"""Everything that can happen between the service and Google, for each capability."""

from google_dialects import Clips, Edits, Entities, Pictures, Scripts

from contentsvc.testing import conformance
from contentsvc_google import plugin

test_conformance = conformance(plugin, Scripts(), Entities(), Pictures(), Edits(), Clips())
