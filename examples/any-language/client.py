"""Watches an actor and sends it an event: client.py ws://127.0.0.1:4180/v1/ws visits '{"type": "add", "by": 1}' [SESSION]"""
import base64, http.client, json, os, secrets, sys, urllib.parse

class Client:
    def __init__(self, url, session):
        parts = urllib.parse.urlsplit(url)
        upgrade = http.client.HTTPConnection(parts.netloc)
        upgrade.request("GET", parts.path, headers={
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Protocol": "bosun.v1.json",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()})
        assert upgrade.getresponse().status == 101, "the gateway refused the upgrade"
        self.socket, self.stream = upgrade.sock, upgrade.sock.makefile("rb")
        self.send(t="hello", v=1, session=session)
        self.sequence = self.receive()["session"]["sequence"]

    def send(self, **frame):
        data, mask = json.dumps(frame).encode(), os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
        self.socket.sendall(b"\x81" + size + mask + bytes(byte ^ mask[n % 4] for n, byte in enumerate(data)))

    def receive(self):
        kind, size = self.stream.read(2)
        size = size if size < 126 else int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
        assert kind == 0x81, f"closed: {self.stream.read(size)[2:].decode()}"
        frame = json.loads(self.stream.read(size))
        if frame["t"] == "ping":
            self.send(t="pong")
        return frame

url, address, event, session = (sys.argv[1:] + [secrets.token_urlsafe(18)])[:4]
client = Client(url, session)
client.send(t="sub", id="watch", topic=f"actor/{address}")
wanted = {"address": address, "event": json.loads(event), "until": "taken"}
client.send(t="req", id="1", m="actor.send", seq=client.sequence + 1, p=wanted)
missing = {"res", "delta"}
while missing:
    frame = client.receive()
    print(json.dumps(frame))
    missing.discard(frame["t"])
    assert frame["t"] != "end" and frame.get("ok", True), "the gateway refused"
