"""A loopback IRC server with one client: the IRC adapter that Hermes bundles (standard library only).

It makes the real messaging gateway (users, chats, agent cache, /new) testable without any account:

    irc = FakeIrc()                           # env.update(irc.env()) before starting `hermes gateway run`
    irc.joined.wait(60)
    irc.say("ann", "hello")                   # a direct message; room=True: a line in the room for the bot
    irc.replies                               # [(target, text)]: target is a user, or the room
"""

import contextlib
import socket
import threading


class FakeIrc:
    def __init__(self, nick: str = "hermes-bot", room: str = "#room") -> None:
        self.nick, self.room = nick, room
        self.sock = socket.create_server(("127.0.0.1", 0))
        self.port = self.sock.getsockname()[1]
        self.joined = threading.Event()
        self.replies: list[tuple[str, str]] = []
        self.conn: socket.socket | None = None
        threading.Thread(target=self._serve, daemon=True).start()

    def env(self) -> dict[str, str]:
        """Environment of the host: this server, and everybody may talk to the bot."""
        return {
            "IRC_SERVER": "127.0.0.1",
            "IRC_PORT": str(self.port),
            "IRC_CHANNEL": self.room,
            "IRC_NICKNAME": self.nick,
            "IRC_USE_TLS": "false",
            "IRC_ALLOW_ALL_USERS": "true",
            "GATEWAY_ALLOW_ALL_USERS": "true",
        }

    def say(self, user: str, text: str, room: bool = False) -> None:
        """A direct message from `user`, or a line in the room that addresses the bot."""
        target, body = (self.room, f"{self.nick}: {text}") if room else (self.nick, text)
        self._send(f":{user}!{user}@example.invalid PRIVMSG {target} :{body}")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)  # close() alone would leave accept() waiting
        self.sock.close()
        if self.conn:
            self.conn.close()

    def _send(self, line: str) -> None:
        assert self.conn is not None, "the gateway has not connected"
        self.conn.sendall((line + "\r\n").encode())

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                self.conn, _ = self.sock.accept()
                with contextlib.suppress(OSError), self.conn.makefile("rb") as lines:
                    for raw in lines:
                        self._line(raw.decode(errors="replace").rstrip("\r\n"))

    def _line(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        if command == "USER":
            self._send(f":srv 001 {self.nick} :welcome")
        elif command == "PING":
            self._send(f":srv PONG srv :{rest}")
        elif command == "JOIN":
            self._send(f":{self.nick}!b@h JOIN {rest}")
            self.joined.set()
        elif command == "PRIVMSG":
            target, _, text = rest.partition(" :")
            self.replies.append((target, text))
