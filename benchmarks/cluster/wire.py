"""A TCP proxy that counts what passes: bytes, and the messages of Dask's wire format."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass

_HEADER_BYTES = 8  # a message is its length, 8 bytes little-endian, and so many bytes


@dataclass
class Counted:
    """What has passed so far, both ways."""

    messages: int = 0
    bytes: int = 0

    def since(self, before: Counted) -> Counted:
        return Counted(self.messages - before.messages, self.bytes - before.bytes)

    def copy(self) -> Counted:
        return Counted(self.messages, self.bytes)


class CountingProxy:
    """Listens on loopback and passes all on to `port`. A context manager."""

    def __init__(self, port: int) -> None:
        self.counted = Counted()
        self.port = 0
        self._target = port
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> CountingProxy:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self) -> None:
        self._loop.run_until_complete(self._listen())
        self._loop.run_forever()

    async def _listen(self) -> None:
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", self._target)
        await asyncio.gather(self._pump(reader, there[1]), self._pump(there[0], writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                header = await reader.readexactly(_HEADER_BYTES)
                body = await reader.readexactly(int.from_bytes(header, "little"))
                self.counted.messages += 1
                self.counted.bytes += len(header) + len(body)
                writer.write(header + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()
