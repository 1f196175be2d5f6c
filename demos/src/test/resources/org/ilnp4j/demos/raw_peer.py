"""A host that sends whatever packet it is told to, made by Scapy, and tells what comes back.

Reads one Python expression a line and answers with its value as one line of JSON, or with
{"error": ...}. Everything goes over one Ethernet interface, past the IPv6 of the kernel.

usage: raw_peer.py INTERFACE MAC-OF-THE-NEXT-HOP IPv6-OF-THE-NODE OWN-IPv6 ROUTER-IPv6
"""
import collections
import hashlib
import json
import os
import select
import socket
import struct
import sys
import time

from scapy.layers.inet import TCP, UDP  # noqa: F401
from scapy.layers.inet6 import *  # noqa: F403 (words of the expressions)
from scapy.packet import Raw
from scapy.utils import checksum

interface, node_mac, node, own, router = sys.argv[1:6]
ETH_P_ALL, ETH_P_IPV6 = 3, 0x86DD
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
NONCE = 0x8B
LIMIT_SECONDS = 15

# It does not see what is sent through itself: attacks stay out of `seen` and `flows`.
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
wire.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
wire.bind((interface, 0))
mac = bytes.fromhex(open(f"/sys/class/net/{interface}/address").read().replace(":", ""))
ethernet = bytes.fromhex(node_mac.replace(":", "")) + mac + struct.pack("!H", ETH_P_IPV6)
seen = collections.deque(maxlen=200_000)  # (is from the node, octets)
flows = {}  # by the port of the node: what an observer knows of the last connection
pings = 0


def a(text):
    return socket.inet_pton(socket.AF_INET6, text)


node_octets = a(node)


class Tcp:
    """A TCP segment found behind the extension headers of a packet."""

    def __init__(self, p):
        self.src, self.dst, self.nonce, self.found = p[8:24], p[24:40], b"", False
        try:
            self.parse(p)
        except (IndexError, struct.error):
            pass  # not of our making: somebody else's odd packet

    def parse(self, p):
        next_header, at = p[6], 40
        while next_header in (0, 43, 44, 60):
            size = 8 if next_header == 44 else 8 + 8 * p[at + 1]
            if next_header == 60 and p[at + 2] == NONCE:
                self.nonce = p[at + 4 : at + 4 + p[at + 3]]
            next_header, at = p[at], at + size
        if next_header != 6:
            return
        self.sport, self.dport, self.seq, self.ack, off, self.flags, self.window = struct.unpack(
            "!HHIIBBH", p[at : at + 16]
        )
        end = 40 + struct.unpack("!H", p[4:6])[0]
        self.options = p[at + 20 : at + (off >> 4) * 4]
        self.length = end - at - (off >> 4) * 4
        self.payload = p[at + (off >> 4) * 4 : end]
        self.end = (self.seq + self.length + bool(self.flags & SYN) + bool(self.flags & FIN)) % 2**32
        self.found = True

    def scale(self):
        o = self.options
        while o and o[0]:
            if o[0] == 3:
                return o[2]
            o = o[1:] if o[0] == 1 else o[o[1] :]
        return 0


def drain():
    while select.select([wire], [], [], 0)[0]:
        p = wire.recv(70_000)
        if p[12:14] == b"\x86\xdd":
            seen.append((p[22:38] == node_octets, p[14:]))
            observe(*seen[-1])


def observe(inward, p):
    t = Tcp(p)
    if not t.found:
        return
    port, peer_port = (t.sport, t.dport) if inward else (t.dport, t.sport)
    if t.flags & SYN and not t.flags & ACK:
        flows[port] = {"peer": socket.inet_ntop(socket.AF_INET6, t.src), "port": peer_port, "scale": 0}
    f = flows.get(port)
    if f is None or f["port"] != peer_port:
        return
    if inward:
        if t.flags & SYN:
            f["scale"] = t.scale()
        f["next"] = t.end  # what the node sends next
        f["expects"] = t.ack  # what the node waits for
        f["window"] = t.window << (0 if t.flags & SYN else f["scale"])
        f["sent"] = p.hex()
    else:
        f["nonce"] = t.nonce.hex()
        f["peer-sent"], f["peer-acked"] = t.end, t.ack


def flow(port):
    drain()
    return flows[port]


def settled(port):
    """The same, once each side has acknowledged everything."""

    def found():
        f = flows.get(port, {})
        quiet = f.get("next", 0) == f.get("peer-acked") and f.get("expects", 0) == f.get("peer-sent")
        return f if quiet else None

    return await_(found)


def await_(found, again=lambda: None):
    """The value of found() once it is true; calls again() each second until then."""
    start = time.monotonic()
    for second in range(LIMIT_SECONDS):
        again()
        while time.monotonic() < start + second + 1:
            drain()
            result = found()
            if result:
                return result
            select.select([wire], [], [], 0.1)
    raise TimeoutError(f"it did not come in {LIMIT_SECONDS} s")


def clear():
    drain()
    seen.clear()


# ---- making packets


def nids(packet):
    """The octets of a packet whose checksum leaves the Locators out (RFC 6741)."""
    packet = packet.copy()
    packet.src, packet.dst, source, target = (
        socket.inet_ntop(socket.AF_INET6, bytes(8) + a(packet.src)[8:]),
        socket.inet_ntop(socket.AF_INET6, bytes(8) + a(packet.dst)[8:]),
        a(packet.src),
        a(packet.dst),
    )
    p = bytes(packet)
    return p[:8] + source + target + p[40:]


def nonce(hexadecimal):
    value = bytes.fromhex(hexadecimal)
    return IPv6ExtHdrDestOpt(options=[HBHOptUnknown(otype=NONCE, optlen=len(value), optdata=value)])


def option(type_, data=b"\0\0\0\0"):
    return HBHOptUnknown(otype=type_, optlen=len(data), optdata=data)


def segment(port, flags, seq, ack=0, data=b"", nonce_=None, src=None, **tcp):
    """A segment as if from the peer of the last connection to this port, whatever its mode."""
    f = flows[port]
    value = f["nonce"] if nonce_ is None else nonce_
    ip = IPv6(src=src or f["peer"], dst=node)
    t = TCP(sport=f["port"], dport=port, flags=flags, seq=seq % 2**32, ack=ack % 2**32, **tcp)
    return nids(ip / nonce(value) / t / Raw(data)) if value else ip / t / Raw(data)


def fragments(packet, header, *cuts):
    """The pieces of `packet` (IPv6 / rest), cut at these offsets of the rest, behind `header`."""
    p = bytes(packet)
    rest, edges = p[40:], [0, *cuts, len(p) - 40]
    out = []
    for start, end in zip(edges, edges[1:]):
        piece = IPv6(src=packet.src, dst=packet.dst) / IPv6ExtHdrFragment(
            nh=p[6], offset=start // 8, m=int(end < edges[-1]), id=header
        )
        out.append(piece / Raw(rest[start:end]))
    return out


def probe(flags="S"):
    """A segment to a port where nobody listens: answered at once, and forgotten."""
    return TCP(sport=4242, dport=9, seq=100, flags=flags)


def ip(**fields):
    return IPv6(src=fields.pop("src", own), dst=node, **fields)


def destination(*options):
    return IPv6ExtHdrDestOpt(options=list(options))


def pad(octets):
    return PadN(optdata=bytes(octets - 2))


def quoting(error, packet, shift=0):
    """An ICMPv6 error of the router's that quotes a packet with its TCP number moved by `shift`."""
    quote = bytearray(packet)
    at = 40 if quote[6] == 6 else 48 + 8 * quote[41]
    seq = struct.unpack_from("!I", quote, at + 4)[0]
    struct.pack_into("!I", quote, at + 4, (seq + shift) % 2**32)
    return IPv6(src=router, dst=node) / error / Raw(bytes(quote[:1200]))


# ---- sending and listening


def send(*packets):
    for p in packets:
        wire.send(ethernet + bytes(p))
    return len(packets)


def ping():
    """When the answer is here, so is everything that the node sent before it."""
    global pings
    pings += 1
    mark = struct.pack("!HH", os.getpid() & 0xFFFF, pings & 0xFFFF)
    request = ip() / ICMPv6EchoRequest(id=os.getpid() & 0xFFFF, seq=pings & 0xFFFF)
    await_(
        lambda: any(inward and p[6] == 58 and p[40] == 129 and p[44:48] == mark for inward, p in seen),
        lambda: send(request),
    )


def connect(port, own_port, nonce_="", src=own, window=65000, **tcp):
    """Plays the peer of a whole handshake, from an address nobody has. Answers go to `flows`."""
    clear()  # what others did before must not be taken for this session's
    flows[port] = {"peer": src, "port": own_port, "scale": 0, "nonce": nonce_}
    f = flows[port]
    await_(
        lambda: f.get("expects") == 1001,
        lambda: send(segment(port, "S", 1000, window=window, **tcp)),
    )
    send(segment(port, "A", 1001, f["next"], window=window))
    ping()
    return f


def acknowledge(port, first, end):
    """Takes whatever the node sends, in whatever order, until all from `first` to `end` is here.

    Returns the SHA-256 of it.
    """
    first, end, data = first % 2**32, end % 2**32, bytearray()
    have = {}

    def edge():
        while (at := (first + len(data)) % 2**32) in have:
            data.extend(have[at])
        return at

    def found():
        for inward, p in seen:
            t = Tcp(p)
            if inward and t.found and t.sport == port and t.length > len(have.get(t.seq, b"")):
                have[t.seq] = t.payload
        seen.clear()
        send(segment(port, "A", 1001, edge(), window=65000))
        return edge() == end

    await_(found)
    return hashlib.sha256(data).hexdigest()


def describe(p):
    """One line about a packet from the node; None for what is no answer to anything."""
    t = Tcp(p)
    if t.found:
        flags = "".join(f for f, bit in zip("FSRPA", (FIN, SYN, RST, PSH, ACK)) if t.flags & bit)
        return f"tcp {flags} seq={t.seq} ack={t.ack} len={t.length}"
    at = 40 if p[6] != 60 else 48 + 8 * p[41]
    if 58 not in (p[6], p[40]):
        return f"protocol {p[6]}"
    type_, code, parameter = struct.unpack_from("!BBxxI", p, at)
    return f"icmp {type_} code {code} parameter {parameter}" if type_ < 128 else None


def begin(*packets):
    """Sends the packets; returns when the node has read them all."""
    clear()
    send(*packets)
    ping()
    return len(packets)


def collect():
    """Everything that the node has sent since begin()."""
    ping()
    lines = [describe(p) for inward, p in seen if inward]
    return [line for line in lines if line]


def sizes(port, seq=None):
    """Octets of the packets that the node sent from this port since clear(), or of those at seq."""
    drain()
    found = [(Tcp(p), len(p)) for inward, p in seen if inward]
    return [n for t, n in found if t.found and t.sport == port and seq in (None, t.seq)]


def keep(port, seq):
    """Remembers the last packet that the node sent from this port at this number, as `kept`."""
    global kept
    drain()
    found = [p for inward, p in seen if inward and (t := Tcp(p)).found and (t.sport, t.seq) == (port, seq)]
    kept = found[-1]
    return len(kept)


def first_fragments(count, octets):
    """First fragments of as many packets, of which nothing else will come."""
    p = bytearray(bytes(ip() / IPv6ExtHdrFragment(nh=6, m=1) / Raw(bytes(octets))))
    for i in range(count):
        struct.pack_into("!I", p, 44, i)
        wire.send(ethernet + p)
        if i % 200 == 199:
            ping()  # no faster than the node takes them: its device holds 500
    return count


def flood(port, count, prefix):
    """SYNs from as many addresses, each address and sequence number its own."""
    template = bytearray(bytes(IPv6(src=prefix + "1", dst=node) / TCP(sport=1, dport=port, flags="S", window=64800, options=[("MSS", 1440)])))
    for i in range(count):
        p = bytearray(template)
        p[16:24] = os.urandom(8)
        struct.pack_into("!HHI", p, 40, 1024 + i % 60_000, port, (i * 64_000) % 2**32)
        p[56:58] = b"\0\0"
        pseudo = bytes(p[8:40]) + struct.pack("!II", len(p) - 40, 6)
        struct.pack_into("!H", p, 56, checksum(pseudo + bytes(p[40:])))
        wire.send(ethernet + bytes(p))
        if i % 200 == 199:
            time.sleep(0.005)  # some 30 000 a second, which the queue of the device holds
    return count


print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    try:
        value = eval(line, globals())  # its only caller is the test
        print(json.dumps(value), flush=True)
    except Exception as e:
        print(json.dumps({"error": f"{type(e).__name__}: {e}"}), flush=True)
