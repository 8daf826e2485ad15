"""What this distribution can talk to: Ark with the asset library, and the voices, which are apart."""

from __future__ import annotations

from contentsvc.plugin import Capability, Driver
from contentsvc_volcengine.chat import DoubaoEntities, DoubaoScripts
from contentsvc_volcengine.check import check
from contentsvc_volcengine.images import Seedream
from contentsvc_volcengine.reviews import AssetReviews
from contentsvc_volcengine.speech import DoubaoVoices
from contentsvc_volcengine.videos import Seedance

ARK = "volcengine"
VOICES = "volcengine-speech"


def drivers() -> tuple[Driver, ...]:
    """Two drivers: the voices have an address, a key and a bill of their own.

    Reviews are on the first one although their address is another: clips must find the ids that
    they leave on pictures.
    """
    return (
        Driver(
            name=ARK,
            display_name="Volcengine Ark",
            capabilities={
                Capability.SCRIPT: DoubaoScripts,
                Capability.ENTITY_EXTRACTION: DoubaoEntities,
                Capability.IMAGE_GENERATION: Seedream,
                Capability.IMAGE_EDIT: Seedream,
                Capability.VIDEO_GENERATION: Seedance,
                Capability.ASSET_REVIEW: AssetReviews,
            },
            base_url="https://ark.cn-beijing.volces.com/api/v3",
            check=check,
        ),
        Driver(
            name=VOICES,
            display_name="Volcengine Speech",
            capabilities={Capability.SPEECH: DoubaoVoices},
            base_url="https://openspeech.bytedance.com/api/v3",
        ),
    )
