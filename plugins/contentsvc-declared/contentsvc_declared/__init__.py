"""Models declared as data: which field of a provider's input takes what of a request."""

from contentsvc_declared.api import Api
from contentsvc_declared.declaration import Declaration, Inputs, Variant, brought, first_fault
from contentsvc_declared.filling import Filled, fill
from contentsvc_declared.jobs import CAPABILITIES, Job, Jobs, Made
from contentsvc_declared.models import INLINE_SETTING, DeclaredJobs
from contentsvc_declared.replies import UNREADABLE, Provider, before_the_order, document_of, figures
from contentsvc_declared.tables import models_of

__all__ = [
    "CAPABILITIES",
    "INLINE_SETTING",
    "UNREADABLE",
    "Api",
    "Declaration",
    "DeclaredJobs",
    "Filled",
    "Inputs",
    "Job",
    "Jobs",
    "Made",
    "Provider",
    "Variant",
    "before_the_order",
    "brought",
    "document_of",
    "figures",
    "fill",
    "first_fault",
    "models_of",
]
