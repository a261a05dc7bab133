import { defined, isJson, type Json } from '../../../base/index.ts';
import { uuidOf } from '../ids.ts';
import { stamp } from '../instants.ts';
import type { Agreement, Cluster, Gate } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import { randomOf } from '../random.ts';
import { compile, type Field } from '../search/compile.ts';
import { parseSearch } from '../search/parser.ts';
import { compareMinors, minorOf } from '../version-graph.ts';
import { clusterFields, requireCluster, requireClusterWriter } from './clusters.ts';
import { CLUSTERS, clusterHref } from './hrefs.ts';
import { type ListQuery, matchingRows, type Page, pageOf } from './list.ts';
import { notFound, textIn } from './refusals.ts';
import type { View, Workshop } from './state.ts';
import type { WireAgreement, WireGate } from './wire.ts';

const SERVICE = 'clusters_mgmt';

const FIELDS: Readonly<Record<string, Field<Gate>>> = {
  id: { type: 'text', read: ({ id }) => id },
  version_raw_id_prefix: { type: 'text', read: ({ versionPrefix }) => versionPrefix },
  label: { type: 'text', read: ({ label }) => label },
  value: { type: 'text', read: ({ value }) => value },
  sts_only: { type: 'boolean', read: ({ stsOnly }) => stsOnly },
  creation_timestamp: { type: 'time', read: ({ createdAt }) => createdAt },
};

export function listGates(view: View, query: ListQuery): Page<WireGate> {
  const known = [...view.state.gates.all()].filter(({ createdAt }) => createdAt <= view.now);
  const rows = matchingRows(SERVICE, known, (name) => FIELDS[name], query);
  return pageOf({ service: SERVICE, kind: 'VersionGate' }, view, query, rows, wireGate);
}

export function getGate(view: View, id: string): WireGate {
  const gate = view.state.gates.get(id);
  if (gate === undefined || gate.createdAt > view.now) throw notFound(SERVICE, `Version gate '${id}' not found`);
  return wireGate(gate);
}

/** Gates between a cluster and a version without an effective agreement. */
export function missingGates(view: View, cluster: Cluster, version: string): Gate[] {
  const agreed = new Set(
    view.state.agreements
      .by('cluster', cluster.id)
      .filter(({ effectiveAt }) => effectiveAt <= view.now)
      .map(({ gateId }) => gateId),
  );
  return [...view.state.gates.all()].filter(
    (gate) => gate.createdAt <= view.now && gateApplies(gate, cluster, version) && !agreed.has(gate.id),
  );
}

/** Only where the minor goes up, and only to the minor of the gate. */
function gateApplies(gate: Gate, cluster: Cluster, version: string): boolean {
  if (minorOf(version) !== gate.versionPrefix || isPast(gate, cluster)) return false;
  if (gate.stsOnly) return cluster.sts;
  return gate.clusterCondition === undefined || fits(gate.clusterCondition, cluster);
}

function isPast({ versionPrefix }: Gate, { version }: Cluster): boolean {
  return compareMinors(minorOf(version), versionPrefix) >= 0;
}

/** An invalid condition counts as true: better one gate too many. */
function fits(text: string, cluster: Cluster): boolean {
  try {
    const condition = parseSearch(text);
    return condition === undefined || compile(condition, clusterFields)(cluster) === true;
  } catch {
    return true;
  }
}

export function listAgreements(view: View, clusterId: string, query: ListQuery): Page<WireAgreement> {
  requireCluster(view, clusterId);
  const rows = view.state.agreements.by('cluster', clusterId);
  return pageOf({ service: SERVICE, kind: 'VersionGateAgreement' }, view, query, rows, (row) =>
    wireAgreement(view, row),
  );
}

export function getAgreement(view: View, clusterId: string, id: string): WireAgreement {
  return wireAgreement(view, requireAgreement(view, clusterId, id));
}

export function createAgreement(shop: Workshop, clusterId: string, body: Json): WireAgreement {
  const cluster = requireCluster(shop, clusterId);
  requireClusterWriter(shop, 'VersionGateAgreement', `POST ${clusterHref(clusterId)}/gate_agreements`);
  const gate = gateIn(shop, body);
  if (isPast(gate, cluster))
    throw new SimOcmError(
      SERVICE,
      'bad-request',
      `Version gate '${gate.id}' has no effect on version '${cluster.version}'`,
    );
  if (shop.state.agreements.by('cluster', clusterId).some(({ gateId }) => gateId === gate.id))
    throw new SimOcmError(SERVICE, 'conflict', `Version gate '${gate.id}' was already agreed to`);
  const { low, high } = shop.timing.agreement;
  const id = uuidOf(shop.freshKey('agreement'), 1);
  const delay = randomOf(shop.seed, 'agreement', clusterId, gate.id).between(low, high);
  const agreement = { id, clusterId, gateId: gate.id, createdAt: shop.now, effectiveAt: shop.now + delay };
  shop.state.agreements.put(agreement, shop.now);
  return wireAgreement(shop, agreement);
}

export function deleteAgreement(shop: Workshop, clusterId: string, id: string): void {
  requireCluster(shop, clusterId);
  requireClusterWriter(shop, 'VersionGateAgreement', `DELETE ${clusterHref(clusterId)}/gate_agreements/${id}`);
  shop.state.agreements.remove(requireAgreement(shop, clusterId, id).id, shop.now);
}

export function wireGate(gate: Gate): WireGate {
  return {
    kind: 'VersionGate',
    id: gate.id,
    href: `${CLUSTERS}/version_gates/${gate.id}`,
    version_raw_id_prefix: gate.versionPrefix,
    label: gate.label,
    value: gate.value,
    sts_only: gate.stsOnly,
    ...defined({ cluster_condition: gate.clusterCondition }),
    description: gate.description,
    warning_message: gate.warning,
    documentation_url: gate.documentation,
    creation_timestamp: stamp(gate.createdAt),
  };
}

function wireAgreement({ state }: View, { id, clusterId, gateId, createdAt }: Agreement): WireAgreement {
  const gate = state.gates.get(gateId);
  if (gate === undefined) throw notFound(SERVICE, `Version gate '${gateId}' not found`);
  return {
    kind: 'VersionGateAgreement',
    id,
    href: `${clusterHref(clusterId)}/gate_agreements/${id}`,
    creation_timestamp: stamp(createdAt),
    version_gate: wireGate(gate),
  };
}

function gateIn(shop: Workshop, body: Json): Gate {
  const reference = isJson(body['version_gate']) ? body['version_gate'] : {};
  const id = textIn(SERVICE, reference, 'id');
  if (id === undefined) throw new SimOcmError(SERVICE, 'bad-request', "Field 'version_gate.id' is required");
  const gate = shop.state.gates.get(id);
  if (gate === undefined || gate.createdAt > shop.now) throw notFound(SERVICE, `Version gate '${id}' not found`);
  return gate;
}

function requireAgreement(view: View, clusterId: string, id: string): Agreement {
  requireCluster(view, clusterId);
  const agreement = view.state.agreements.get(id);
  if (agreement?.clusterId === clusterId) return agreement;
  throw notFound(SERVICE, `Version gate agreement '${id}' not found`);
}
