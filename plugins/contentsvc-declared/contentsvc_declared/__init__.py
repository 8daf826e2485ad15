"""Models declared as data: which field of a provider's input takes what of a request."""

from contentsvc_declared.declaration import Declaration, Inputs, Variant
from contentsvc_declared.filling import Filled, fill
from contentsvc_declared.jobs import job_id, read_job_id
from contentsvc_declared.media import data_uri, file_name, link_or_data
from contentsvc_declared.paths import dig, link_in, put
from contentsvc_declared.replies import (
    UNREADABLE,
    Provider,
    before_the_order,
    document_of,
    figures,
    is_figure,
    placing,
)
from contentsvc_declared.tables import models_of

__all__ = [
    "UNREADABLE",
    "Declaration",
    "Filled",
    "Inputs",
    "Provider",
    "Variant",
    "before_the_order",
    "data_uri",
    "dig",
    "document_of",
    "figures",
    "file_name",
    "fill",
    "is_figure",
    "job_id",
    "link_in",
    "link_or_data",
    "models_of",
    "placing",
    "put",
    "read_job_id",
]
