"""Decides fleets, pass by pass, with the functions of the published scheduler: JSON lines in and out. No network, no state.

With --times each answer says how long the deciding took, without reading the line and building its objects.
"""

import datetime as dt
import json
import logging
import sys
import time

from reconcile.aus import base
from reconcile.aus.cluster_version_data import VersionData
from reconcile.aus.healthchecks import AUSClusterHealth, AUSHealthError
from reconcile.aus.models import ClusterUpgradeSpec, NodePoolSpec, OrganizationUpgradeSpec
from reconcile.gql_definitions.fragments import aus_organization as org_types
from reconcile.gql_definitions.fragments import upgrade_policy as policy_types
from reconcile.gql_definitions.fragments.ocm_environment import OCMEnvironment
from reconcile.utils.ocm import base as ocm


def cluster_of(given):
    return ocm.OCMCluster.construct(
        id=given["id"],
        external_id=given["uuid"],
        name=given["name"],
        version=ocm.OCMClusterVersion(
            id=given["version"], raw_id=given["version"], channel_group="stable", available_upgrades=given["upgrades"]
        ),
        hypershift=ocm.OCMClusterFlag(enabled=given["hosted"]),
        product=ocm.OCMModelLink.construct(id="rosa" if given["hosted"] else "osd"),
        aws=ocm.OCMClusterAWSSettings.construct(sts=ocm.OCMAWSSTS.construct(enabled=given["sts"])),
    )


def spec_of(org, given):
    policy = given["policy"]
    conditions = policy_types.ClusterUpgradePolicyConditionsV1(
        mutexes=policy["mutexes"],
        soakDays=policy["soakDays"],
        sector=policy["sector"],
        blockedVersions=policy["blocked"],
    )
    errors = [] if given["healthy"] else [AUSHealthError(source="s", error="e", enforce=True)]
    return ClusterUpgradeSpec(
        org=org,
        cluster=cluster_of(given),
        upgradePolicy=policy_types.ClusterUpgradePolicyV1(
            workloads=policy["workloads"],
            schedule=policy["schedule"],
            versionGateApprovals=None,
            conditions=conditions,
        ),
        health=AUSClusterHealth(state={"s": errors}),
        nodePools=[NodePoolSpec(**pool) for pool in given["pools"]],
    )


def organization_of(given):
    sectors = [
        org_types.OpenShiftClusterManagerSectorV1.construct(
            name=sector["name"],
            dependencies=[
                org_types.OpenShiftClusterManagerSectorDependenciesV1.construct(name=name, ocm=None)
                for name in sector["dependencies"]
            ],
        )
        for sector in given["sectors"]
    ]
    return org_types.AUSOCMOrganization.construct(
        name="org",
        org_id="org",
        environment=OCMEnvironment.construct(name="env", labels=None),
        blocked_versions=given["blocked"],
        sectors=sectors,
    )


def current_of(given):
    current = given["current"]
    fields = {
        "cluster": cluster_of(given),
        "id": "p",
        "version": current["version"],
        "next_run": current["nextRun"],
        "schedule_type": "manual",
        "schedule": None,
        "state": "scheduled",
    }
    if current["pool"]:
        return base.NodePoolUpgradePolicy.construct(node_pool=current["pool"], **fields)
    kind = base.ControlPlaneUpgradePolicy if given["hosted"] else base.ClusterUpgradePolicy
    return kind.construct(**fields)


def facts_of(fleet, clusters, now):
    """What a pass has read before it decides; nothing of it is asked over the network."""

    class Frozen(dt.datetime):
        @classmethod
        def utcnow(cls):
            return now

    base.datetime = Frozen
    base.get_version_gates = lambda _: [ocm.OCMVersionGate(sts_only=False, **gate) for gate in fleet["gates"]]
    agreements = {cluster["id"]: cluster["agreed"] for cluster in clusters}
    base.get_version_agreement = lambda _, cluster_id: [
        {"version_gate": {"id": gate}} for gate in agreements[cluster_id]
    ]
    org = organization_of(fleet)
    organization = OrganizationUpgradeSpec(org=org, specs=[spec_of(org, cluster) for cluster in clusters])
    current = [current_of(cluster) for cluster in clusters if cluster["current"]]
    sources = [VersionData(**source) for source in fleet["sources"]]
    return organization, current, sources


def decide(facts, history):
    organization, current, sources = facts
    base.update_history(history, organization)
    known = history.copy(deep=True)
    for number, source in enumerate(sources):
        known.aggregate(source, f"env/o{number}")
    return base.calculate_diff(current, organization, None, known)


def words_of(diff):
    return {
        "action": diff.action,
        "cluster": diff.policy.cluster.id,
        "pool": getattr(diff.policy, "node_pool", None),
        "version": diff.policy.version,
        "nextRun": diff.policy.next_run,
    }


def passes_of(fleet):
    history = VersionData(**fleet["history"])
    history.check_in = history.check_in.replace(tzinfo=None)
    milliseconds = 0.0
    passes = []
    for each in fleet["passes"]:
        now = dt.datetime.strptime(each["now"], "%Y-%m-%dT%H:%M:%SZ")
        facts = facts_of(fleet, each["clusters"], now)
        started = time.perf_counter()
        diffs = decide(facts, history)
        milliseconds += (time.perf_counter() - started) * 1000
        passes.append([words_of(diff) for diff in diffs])
    return passes, milliseconds


logging.disable(logging.CRITICAL)
is_timed = "--times" in sys.argv
for line in sys.stdin:
    decided, milliseconds = passes_of(json.loads(line))
    print(json.dumps({"passes": decided, "milliseconds": milliseconds} if is_timed else decided), flush=True)
