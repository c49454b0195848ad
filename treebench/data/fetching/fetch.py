"""Downloads the files of a public data set, checks them, and makes the set.

pooch keeps a file whose hash is right and downloads another (`retrieve`); `download` is how.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from treebench.data.cards import find_card
from treebench.data.fetching.download import BrokenOffError, NotThereError, ResumingDownloader
from treebench.data.fetching.place import KnownFile, downloads, held, known_files, remember
from treebench.data.fetching.transfer import Limits, require_space
from treebench.data.making.make import make_card
from treebench.data.sources.fetched import Fetched
from treebench.errors import DataError
from treebench.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.data.cards import CardFile
    from treebench.data.fetching.transfer import Transfer
    from treebench.data.sources.fetched import RemoteFile

VALUE_BYTES = 4


def fetch_set(
    name: str,
    report: Callable[[str], None],
    watch: Callable[[Transfer], None],
    to: Path | None = None,
    mirror: str | None = None,
    again: bool = False,
    silent_s: float = Limits.silent_s,
) -> Path:
    """Download what is missing of the set `name`, check it, and make it; the made folder.

    `to` is where the files are put instead of among the downloads. `mirror` is an address below
    which they are asked for under their own names; their checksums stay the same. `again` compares
    what is there with its hash, and downloads it if it is another.

    Raises:
        DataError: one line; what has come of a file is kept, and the same call goes on from it.
    """
    card_file, source = fetched_source(name)
    if not source.is_open and mirror is None:
        raise DataError(f"{name} cannot be downloaded by a program; {source.remedy(name)}")
    with held(name):
        known = known_files(name)
        require_made_space(card_file)
        report(f"{name}: {card_file.card.title}; licence: {card_file.card.licence}")
        for file, remote in source.files.items():
            if not again and to is None and _is_there(known.get(file)):
                report(f"{file} is there: {known[file].path}")
                continue
            fetch = _Fetch(name, file, remote, to or downloads() / name, report, watch, silent_s)
            known[file] = fetch.retrieve(mirror, known.get(file), source.remedy_offline(name))
            check_beginnings(card_file, {file: Path(known[file].path)})
            remember(name, known)
    return _made_of(card_file, source, report)


def _made_of(card_file: CardFile, source: Fetched, report: Callable[[str], None]) -> Path:
    """The set, made of files that may be wrong: where nobody publishes a checksum, none told."""
    name = card_file.card.name
    try:
        return make_card(card_file, report=report)
    except DataError as error:
        files = known_files(name)
        if not any(
            files[file].origin == "fetched" and not remote.checksum
            for file, remote in source.files.items()
        ):
            raise
        *others, last = error.problems
        remedy = f"if what was downloaded is not the file, delete {downloads() / name} and fetch it"
        raise DataError(*others, f"{last}; {remedy} again") from None


def fetched_source(name: str) -> tuple[CardFile, Fetched]:
    """The card of a set whose files are fetched or given.

    Raises:
        DataError: there is no such set, or it is of another kind.
    """
    card_file = find_card(name)
    source = card_file.card.source
    if not isinstance(source, Fetched):
        raise DataError(
            f"{name} has nothing to fetch (`kind: {source.kind}`); "
            f"make it with `treebench data make {name}`"
        )
    return card_file, source


def check_beginnings(card_file: CardFile, paths: dict[str, Path]) -> None:
    """Look at the first line of each part that lies in one of `paths` (by the file's name).

    Raises:
        DataError: a file is damaged, or is not what the card describes.
    """
    from treebench.data.sources.fetched import file_of

    card = card_file.card
    assert isinstance(card.source, Fetched)  # noqa: S101 - the caller looked
    for part in card.source.parts(card):
        if (path := paths.get(file_of(part))) is not None:
            card.source.check_beginning(card.source.packed_part(part, path))


def require_made_space(card_file: CardFile) -> None:
    """Make sure that the made set has room, as far as its shape tells: before hours of download."""
    card = card_file.card
    if card.shape is not None and card.storage == "wide" and not card_file.made_folder.exists():
        rows, features = card.shape
        wanted = rows * (features + 1) * VALUE_BYTES
        require_space(card_file.made_folder.parent, wanted, f"making {card.name}")


def now() -> str:
    """The time, as records have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _is_there(known: KnownFile | None) -> bool:
    return known is not None and Path(known.path).exists()


class _Fetch:
    """One file of a set."""

    def __init__(
        self,
        name: str,
        file: str,
        remote: RemoteFile,
        folder: Path,
        report: Callable[[str], None],
        watch: Callable[[Transfer], None],
        silent_s: float,
    ) -> None:
        self._name = name
        self._file = file
        self._remote = remote
        self._folder = folder.absolute()
        self._report = report
        self._watch = watch
        self._limits = Limits(remote.most_bytes, silent_s=silent_s)

    def retrieve(self, mirror: str | None, before: KnownFile | None, remedy: str) -> KnownFile:
        """The file, from the first of its addresses that gives it.

        Raises:
            DataError: none does; each is named with what was wrong.
        """
        problems = []
        for address in self._addresses(mirror):
            saved = self._saved_as(address)
            first = self._first_hash(saved, before)
            wanted = self._remote.checksum or first
            try:
                return self._from(address, saved, wanted, before)
            except NotThereError as error:
                problems.append(f"{address}: {error}")
            except BrokenOffError as error:
                problems.append(f"{address}: {error}{self._kept(address, saved, wanted)}")
            except ValueError:
                problems.append(f"{address}: {self._other_file(first)}")
        raise DataError(f"{self._file} could not be fetched ({'; '.join(problems)}); {remedy}")

    def _addresses(self, mirror: str | None) -> list[str]:
        if mirror is None:
            return list(self._remote.addresses)
        names = dict.fromkeys([*map(self._saved_as, self._remote.addresses), self._file])
        return [f"{mirror.rstrip('/')}/{name}" for name in names]

    def _saved_as(self, address: str) -> str:
        """Under the address's own name if it has one: another address may pack it otherwise."""
        last = PurePosixPath(urlsplit(address).path).name
        return last if "." in last.strip(".") else self._file

    def _first_hash(self, saved: str, before: KnownFile | None) -> str | None:
        """The hash of when the file was first fetched, for a file whose card has none."""
        if self._remote.checksum or before is None or before.origin != "fetched":
            return None
        return before.sha256 if Path(before.path).name == saved else None

    def _from(
        self, address: str, saved: str, sha256: str | None, before: KnownFile | None
    ) -> KnownFile:
        pooch = _pooch()
        self._folder_made()
        download = self._downloader(saved, checked=sha256 is not None)
        path = self._folder / saved
        self._spare(path, before, sha256)
        if sha256 is None:
            # pooch would take any file of that name for the right one.
            path.unlink(missing_ok=True)
        self._report(f"{self._file} from {address}")
        try:
            pooch.retrieve(
                address,
                None if sha256 is None else f"sha256:{sha256}",
                fname=saved,
                path=self._folder,
                downloader=download,
            )
        except OSError as error:
            raise DataError(
                f"{error.filename or path} cannot be written ({error.strerror or error}); free "
                f"space there, mend its rights, or name another folder with --to"
            ) from None
        return self._known(path, download.final_address or address, sha256)

    def _known(self, path: Path, address: str, sha256: str | None) -> KnownFile:
        from treebench.data.making.checksum import sha256_of

        found = sha256 or sha256_of(path)
        if self._remote.checksum is None and sha256 is None:
            self._report(
                f"no checksum of {path.name} is published that this card knows; its sha256 "
                f"{found} is noted, and later fetches are compared with it"
            )
        size = path.stat().st_size
        return KnownFile(str(path), found, size, "fetched", address, now())

    def _downloader(self, saved: str, *, checked: bool) -> ResumingDownloader:
        return ResumingDownloader(
            self._folder / f"{saved}.part", self._limits, checked, self._watch
        )

    def _spare(self, path: Path, before: KnownFile | None, sha256: str | None) -> None:
        """A file in a folder of the person's own that no download put there is not replaced.

        Raises:
            DataError: there is one, and it is not the file that is wanted.
        """
        from treebench.data.making.checksum import sha256_of

        ours = self._folder == downloads() / self._name
        noted = before is not None and Path(before.path) == path
        if ours or noted or not path.exists() or sha256_of(path) == sha256:
            return
        raise DataError(
            f"{path} is there already, and is not known to be {self._file}; move it, name another "
            f"folder with --to, or say that it is the data with --data {self._name}="
        )

    def _folder_made(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(
                f"{self._folder} cannot be made ({error.strerror}); name another folder with --to"
            ) from None

    def _kept(self, address: str, saved: str, sha256: str | None) -> str:
        download = self._downloader(saved, checked=sha256 is not None)
        if not download.goes_on(address):
            return ""
        part = download.part
        return f", {part.stat().st_size:,} bytes are kept and the same command goes on from them"

    def _other_file(self, first: str | None) -> str:
        if first is None:
            return "it gives another file than the card's checksum tells"
        return (
            f"it gives another file than when it was first fetched (sha256 {first[:12]}…); delete "
            f"{downloads() / self._name} if the new one is right"
        )


def _pooch() -> Any:
    try:
        import pooch
    except ImportError:
        raise DataError(
            f"downloads need pooch, which is missing; install it with `{install_command('fetch')}`"
        ) from None
    pooch.get_logger().setLevel("WARNING")
    return pooch
