"""Links in a run's folder: nothing is written through them, for a folder may come from anybody."""

from __future__ import annotations

import os
from pathlib import Path

from sim.run import RunError


def refuse_links(folder: Path) -> None:
    """Refuse a folder of which a member leads elsewhere; the folder itself may be a link, it was named.

    Writing through a link would change a file outside of the run.

    Parameters
    ----------
    folder : Path
        About to be written to; may be absent.

    Raises
    ------
    RunError
        Naming the member.
    """
    if not folder.is_dir():
        return
    for home, folders, files in os.walk(folder):
        for name in (*folders, *files):
            member = Path(home) / name
            if member.is_symlink():
                raise RunError(f"{member}: a link; nothing is written to a run's folder that has one")
            if not (member.is_dir() or member.is_file()):
                raise RunError(f"{member}: neither file nor folder; it does not belong to a run")
