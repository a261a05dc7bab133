"""The values document per namespace, from the functions of the published manager: addresses of GraphQL servers in, JSON lines out.

With --times=N each answer says how long a run takes, the median of the later ones of N: the server is asked in the first only.
"""

import json
import statistics
import sys
import time
import urllib.error
import urllib.request

from reconcile import integrations_manager as manager
from reconcile.cli import get_integration_cli_meta
from reconcile.gql_definitions.integrations import integrations
from reconcile.utils import gql
from reconcile.utils.runtime import sharding

TIMES = "--times="


class Api:
    def __init__(self, url):
        self.url = url
        self.answers = {}

    def query(self, query, variables=None, **_):
        key = json.dumps([query, variables])
        if key not in self.answers:
            self.answers[key] = self.asked(query, variables)
        return self.answers[key]

    def asked(self, query, variables):
        body = json.dumps({"query": query, "variables": variables or {}}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as refused:
            answer = json.load(refused)
        if answer.get("errors"):
            raise ValueError(json.dumps(answer["errors"][0]))
        return answer["data"]


def values_of(api, meta):
    gql.get_api = lambda: api
    kinds = [
        sharding.StaticShardingStrategy,
        sharding.AWSAccountShardingStrategy,
        sharding.OpenshiftClusterShardingStrategy,
        sharding.OCMOrganizationShardingStrategy,
    ]
    shards = sharding.IntegrationShardManager(
        strategies={kind.IDENTIFIER: kind() for kind in kinds}, integration_runtime_meta=meta
    )
    declared = manager.filter_integrations(integrations.query(api.query).integrations or [])
    places = manager.collect_integrations_environment(declared, "", shards)
    return {place.namespace.path: manager.build_helm_values(place.integration_specs) for place in places}


def answer_to(url, meta, runs):
    api = Api(url)
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        values = values_of(api, meta)
        times.append((time.perf_counter() - started) * 1000)
    return {"values": values, "milliseconds": statistics.median(times[runs // 3 :])}


def main():
    meta = get_integration_cli_meta()
    runs = next((int(given[len(TIMES) :]) for given in sys.argv[1:] if given.startswith(TIMES)), 1)
    for line in sys.stdin:
        try:
            print(json.dumps(answer_to(line.strip(), meta, runs)))
        except Exception as error:
            print(json.dumps({"error": f"{type(error).__name__}: {error}"[:500]}))
        sys.stdout.flush()


main()
