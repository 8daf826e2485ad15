"""What this distribution declares: one driver, its settings and its model."""

from __future__ import annotations

from decimal import Decimal

from contentsvc.plugin import BillingUnit, Capability, Driver, Model, PluginSetting
from contentsvc_ffmpeg.backend import FfmpegExport
from contentsvc_ffmpeg.check import check

NAME = "ffmpeg"
MODEL = "ffmpeg-export"

SETTINGS = (
    PluginSetting(
        "binary",
        "",
        "Path or name of another current ffmpeg with libass and libx264; empty: the wheel's.",
    ),
    PluginSetting(
        "font",
        "",
        "Path of a font file (TTF, OTF, TTC) for subtitles in scripts that the packaged font lacks, "
        "such as Chinese or Arabic; empty: such subtitles are left out.",
    ),
    PluginSetting("stall_seconds", "60", "Seconds without any progress after which an ffmpeg is killed."),
    PluginSetting("threads", "0", "Threads of one ffmpeg for filters and encoding; 0: one for each core."),
)


def ffmpeg_driver() -> Driver:
    """The driver; it works on this machine and needs no key."""
    return Driver(
        name=NAME,
        display_name="ffmpeg",
        capabilities={Capability.EXPORT: FfmpegExport},
        settings=SETTINGS,
        needs_secret=False,
        check=check,
    )


def export_model() -> Model:
    """The export, free of charge; repeating one only costs time."""
    return Model(
        provider=NAME,
        name=MODEL,
        display_name="ffmpeg",
        capability=Capability.EXPORT,
        unit_price=Decimal(0),
        billing_unit=BillingUnit.TASK,
        options={"resubmit_safe": True},
        is_default=True,
    )
