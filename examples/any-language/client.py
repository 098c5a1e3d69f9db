#!/usr/bin/env python3
"""A client of Bosun's gateway with nothing but Python's standard library: says hello, watches an actor, sends it an event once.

    python3 client.py ws://127.0.0.1:4180/v1/ws visits '{"type": "add", "by": 1}'
"""
import base64, json, os, socket, struct, sys
from urllib.parse import urlsplit


class Client:
    def __init__(self, url, session):
        parts = urlsplit(url)
        self.line = socket.create_connection((parts.hostname, parts.port or 80))
        key = base64.b64encode(os.urandom(16)).decode()
        self.line.sendall((f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: bosun.v1.json\r\n\r\n").encode())
        self.file = self.line.makefile("rb")
        assert b" 101 " in self.file.readline(), "the gateway refused the upgrade"
        while self.file.readline().strip():
            pass
        self.send(t="hello", v=1, client={"name": "python"}, session=session)
        self.sequence = self.receive()["session"]["sequence"]

    def send(self, **frame):
        data, mask = json.dumps(frame).encode(), os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data)) if len(data) < 65536 else b"\xff" + struct.pack(">Q", len(data))
        self.line.sendall(b"\x81" + size + mask + bytes(byte ^ mask[n % 4] for n, byte in enumerate(data)))

    def receive(self):
        head, size = self.file.read(2)
        if size > 125:
            size = struct.unpack(*((">H", self.file.read(2)) if size == 126 else (">Q", self.file.read(8))))[0]
        data = self.file.read(size)
        if head & 0x0F == 8:
            sys.exit(f"closed: {struct.unpack('>H', data[:2])[0]} {data[2:].decode()}")
        frame = json.loads(data) if head & 0x0F == 1 else {"t": "control"}
        if frame["t"] == "ping":
            self.send(t="pong")
        return frame


if __name__ == "__main__":
    url, address, event = sys.argv[1:4]
    client = Client(url, session=sys.argv[4] if len(sys.argv) > 4 else base64.urlsafe_b64encode(os.urandom(18)).decode())
    client.send(t="sub", id="watch", topic=f"actor/{address}")
    client.send(t="req", id="1", m="actor.send", seq=client.sequence + 1, p={"address": address, "event": json.loads(event), "until": "taken"})
    done = set()
    while done != {"res", "delta"}:
        frame = client.receive()
        print(json.dumps(frame))
        if frame["t"] in ("res", "delta"):
            done.add(frame["t"])
        if frame["t"] == "end" or frame.get("ok") is False:
            sys.exit(1)
