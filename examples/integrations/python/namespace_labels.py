"""Keeps labels on namespaces as NAMESPACE_LABELS declares them: one line "NAMESPACE KEY=VALUE" for each label."""

import hashlib
import http.server
import json
import logging
import os
import random
import signal
import ssl
import sys
import threading
import time
import urllib.request

NAME = os.environ.get("INTEGRATION_NAME", "namespace-labels")
# Only what is said clearly may write.
DRY_RUN = os.environ.get("DRY_RUN") != "--no-dry-run"
RUN_ONCE = bool(os.environ.get("RUN_ONCE"))
SLEEP = float(os.environ.get("SLEEP_DURATION_SECS") or 300)
ADDRESS = (os.environ.get("METRICS_HOST", ""), int(os.environ.get("PROMETHEUS_PORT") or 9090))

log = logging.getLogger(NAME)
log.setLevel((os.environ.get("LOG_LEVEL") or "INFO").upper())
console = logging.StreamHandler(sys.stdout)
dry = "[DRY-RUN] " if DRY_RUN else ""
console.setFormatter(logging.Formatter(f"[%(asctime)s] [%(levelname)s] {dry}- %(message)s"))
log.addHandler(console)
if os.environ.get("LOG_FILE"):
    shipped = logging.FileHandler(os.environ["LOG_FILE"])
    prefix = "[%(levelname)s] " if os.environ.get("PREFIX_LOG_LEVEL") == "true" else ""
    shipped.setFormatter(logging.Formatter(f"{prefix}%(message)s"))
    log.addHandler(shipped)


SHARDS = int(os.environ.get("SHARDS") or 1)
SHARD_ID = int(os.environ.get("SHARD_ID") or 0)
MEMBERSHIP = os.environ.get("SHARD_MEMBERSHIP") or "md5"


def number(text):
    return int(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(), 16)


def is_mine(key):
    """Whether this shard owns the key: exactly one does."""
    if MEMBERSHIP == "rendezvous":
        return max(range(SHARDS), key=lambda shard: number(f"{shard}:{key}")) == SHARD_ID
    return number(key) % SHARDS == SHARD_ID


SILENCE_LIMIT = 30 * 60
runs = {"count": 0, "seconds": 0.0, "status": 0, "alive": time.monotonic()}


def metrics():
    shard = os.environ.get("SHARD_KEY") or f"{SHARD_ID}-{SHARDS}"
    labels = f'{{integration="{NAME}",shards="{SHARDS}",shard_id="{shard}"}}'
    return (
        f"qontract_reconcile_execution_counter_total{labels} {runs['count']}\n"
        f"qontract_reconcile_last_run_seconds{labels} {runs['seconds']}\n"
        f"qontract_reconcile_last_run_status{labels} {runs['status']}\n"
    )


class Endpoints(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/healthz":
            alive = time.monotonic() - runs["alive"] < SILENCE_LIMIT
            self.answer(200 if alive else 503, "ok\n" if alive else "the loop has stopped\n")
        elif self.path == "/metrics":
            self.answer(200, metrics())
        else:
            self.answer(404, "not found\n")

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", "text/plain; version=0.0.4")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Probes are not worth a line."""


def kube(method, path, body=None):
    """A request to the API server, as this pod's account; its token is renewed in the file."""
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT")
    token_file = os.environ["KUBE_SA_TOKEN_PATH"]
    with open(token_file) as file:
        headers = {"authorization": f"Bearer {file.read().strip()}", "content-type": "application/merge-patch+json"}
    server = os.environ.get("KUBE_SERVER") or f"https://{host}:{port}"
    authority = os.path.join(os.path.dirname(token_file), "ca.crt")
    trust = ssl.create_default_context(cafile=authority) if server.startswith("https:") else None
    request = urllib.request.Request(server + path, body and json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=30, context=trust) as response:
        return json.load(response)


def declared():
    wanted = {}
    for line in os.environ.get("NAMESPACE_LABELS", "").splitlines():
        if line.strip():
            namespace, label = line.split()
            key, value = label.split("=", 1)
            wanted.setdefault(namespace, {})[key] = value
    return wanted


def reconcile():
    """One run. A namespace that fails does not keep the others from being labelled."""
    failed = 0
    for namespace, labels in sorted(declared().items()):
        if not is_mine(namespace) or stop.is_set():
            continue
        try:
            path = f"/api/v1/namespaces/{namespace}"
            existing = kube("GET", path)["metadata"].get("labels", {})
            changes = {key: value for key, value in labels.items() if existing.get(key) != value}
            if changes and not DRY_RUN:
                kube("PATCH", path, {"metadata": {"labels": changes}})
            if changes:
                log.info("set %s on %s", changes, namespace)
        except OSError as error:
            log.error("cannot label %s: %s", namespace, error)
            failed = 1
    return failed


stop = threading.Event()


def run():
    start = time.monotonic()
    runs["count"] += 1
    try:
        status = reconcile()
    except Exception:
        log.exception("the run failed")
        status = 1
    runs.update(status=status, seconds=time.monotonic() - start, alive=time.monotonic())
    return status


def main():
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    if RUN_ONCE:
        return run()
    server = http.server.ThreadingHTTPServer(ADDRESS, Endpoints)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while not stop.is_set():
        run()
        stop.wait(SLEEP * random.uniform(0.9, 1.1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
