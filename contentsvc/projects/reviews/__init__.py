"""Reviews of the faces in a project, and the video pre-check that waits for them."""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The routes; faces are submitted by themselves, and count as reviewable wherever they lie."""
    from contentsvc.projects.base_assets.services import on_face_bearing
    from contentsvc.projects.reviews.faces import is_face
    from contentsvc.projects.reviews.services import submit_face
    from contentsvc.projects.reviews.views import SERVICES

    config.add_face_bearing_check(is_face)
    on_face_bearing(config.registry, submit_face)
    for service in SERVICES:
        config.add_cornice_service(service)
