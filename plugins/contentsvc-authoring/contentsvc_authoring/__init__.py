"""Language models as authors and readers of scripts: all but the way to one provider's model."""

from contentsvc_authoring.chat import Chat, Piece, Question, Watch
from contentsvc_authoring.completions import Completions, Endpoint, FormRefused, JsonMode
from contentsvc_authoring.entities import EntityReader
from contentsvc_authoring.reading import items, member, option, order_of, parameters, text, texts
from contentsvc_authoring.scripts import ScriptAuthor
from contentsvc_authoring.usage import figures, is_count, tokens_used

__all__ = [
    "Chat",
    "Completions",
    "Endpoint",
    "EntityReader",
    "FormRefused",
    "JsonMode",
    "Piece",
    "Question",
    "ScriptAuthor",
    "Watch",
    "figures",
    "is_count",
    "items",
    "member",
    "option",
    "order_of",
    "parameters",
    "text",
    "texts",
    "tokens_used",
]
