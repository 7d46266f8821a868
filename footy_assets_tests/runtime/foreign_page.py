"""A page of another origin that tries every way a browser has to make Dagster do something."""

import html
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

# Each attempt ends with its name in the list; a form's answer arrives in its frame.
SCRIPT = """
const done = [];
const finished = name => () => done.push(name);
for (const image of document.images) {
  if (image.complete) finished(image.id)();
  else image.onload = image.onerror = finished(image.id);
}
for (const form of document.forms) {
  const frame = document.getElementsByName(form.target)[0];
  frame.onload = finished(form.id);
  form.submit();
}
fetch(UI + "/graphql", {method: "POST", mode: "no-cors", body: BODY}).finally(finished("fetch"));
fetch(UI + "/graphql", {
  method: "POST", body: BODY, headers: {"Content-Type": "application/json"},
}).catch(() => {}).finally(finished("json"));
const socket = new WebSocket(UI.replace("http", "ws") + "/graphql", "graphql-ws");
socket.onopen = finished("socket open");
socket.onerror = finished("socket refused");
"""


def attack(ui: str, mutations: list[dict[str, Any]]) -> str:
    """The page. Each mutation is sent as an image, as both kinds of form, and by fetch."""
    parts = []
    for number, one in enumerate(mutations):
        query, variables = quote(one["query"]), quote(json.dumps(one["variables"]))
        address = html.escape(f"{ui}/graphql?query={query}&variables={variables}")
        # A form of text/plain whose one field is JSON, but for an equals sign in a string.
        name = html.escape(json.dumps(one)[:-1] + ', "x": "')
        parts += [
            f'<img id="image {number}" src="{address}">',
            f'<iframe name="frame {number}"></iframe><iframe name="plain {number}"></iframe>',
            f'<form id="form {number}" target="frame {number}" method="post" action="{address}">'
            "</form>",
            f'<form id="plain {number}" target="plain {number}" method="post" '
            f'enctype="text/plain; application/json" action="{html.escape(ui)}/graphql">'
            f'<input name="{name}" value=\'"}}\'></form>',
        ]
    constants = f"const UI = {json.dumps(ui)}, BODY = {json.dumps(json.dumps(mutations[0]))};"
    return f"<!doctype html><body>{''.join(parts)}<script>{constants}{SCRIPT}</script>"


@contextmanager
def served(page: str) -> Iterator[int]:
    """Serves the page on every loopback name; yields the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
