"""Everything that can happen between the service and Model Studio, for each capability."""

from dashscope_dialects import Clips, Edits, Entities, Pictures, Scripts, Voices

from contentsvc.testing import conformance
from contentsvc_dashscope import plugin

test_conformance = conformance(plugin, Scripts(), Entities(), Pictures(), Edits(), Clips(), Voices())
