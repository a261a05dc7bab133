import type { Json } from '../../../base/index.ts';
import type { Owner, PolicyTarget } from '../model.ts';
import { getCluster, listClusters, patchCluster } from './clusters.ts';
import { createAgreement, deleteAgreement, getAgreement, getGate, listAgreements, listGates } from './gates.ts';
import { deleteLabel, getLabel, listLabels, listOwnerLabels, type PutLabel, putLabel } from './labels.ts';
import type { ListQuery, Page } from './list.ts';
import { getNodePool, listNodePools } from './node-pools.ts';
import { currentAccount, type Fetch, getOrganization, listCapabilities, listOrganizations } from './organizations.ts';
import {
  createPolicy,
  deletePolicy,
  getPolicy,
  getPolicyState,
  listPolicies,
  patchPolicy,
  patchPolicyState,
} from './policies.ts';
import { createLog, deleteLog, getLog, type LogScope, listClusterLogs, listLogs } from './service-logs.ts';
import type { View, Workshop } from './state.ts';
import { getSubscription, listSubscriptions, patchSubscription, type SubscriptionQuery } from './subscriptions.ts';
import { getVersion, listVersions } from './versions.ts';
import type {
  WireAccount,
  WireAgreement,
  WireCapability,
  WireCluster,
  WireGate,
  WireLabel,
  WireLog,
  WireNodePool,
  WireOrganization,
  WirePolicy,
  WirePolicyState,
  WireSubscription,
  WireVersion,
} from './wire.ts';

/** The read calls of OCM, without a network. Throws `OcmError` where OCM rejects a request. */
export class OcmReads<V extends View = View> {
  protected readonly view: () => V;

  constructor(view: () => V) {
    this.view = view;
  }

  listLabels(query: ListQuery = {}): Page<WireLabel> {
    return listLabels(this.view(), query);
  }

  listOwnerLabels(owner: Owner, query: ListQuery = {}): Page<WireLabel> {
    return listOwnerLabels(this.view(), owner, query);
  }

  getLabel(owner: Owner, key: string): WireLabel {
    return getLabel(this.view(), owner, key);
  }

  listSubscriptions(query: SubscriptionQuery = {}): Page<WireSubscription> {
    return listSubscriptions(this.view(), query);
  }

  getSubscription(id: string, fetch: Fetch = {}): WireSubscription {
    return getSubscription(this.view(), id, fetch);
  }

  listOrganizations(query: ListQuery & Fetch = {}): Page<WireOrganization> {
    return listOrganizations(this.view(), query);
  }

  getOrganization(id: string, fetch: Fetch = {}): WireOrganization {
    return getOrganization(this.view(), id, fetch);
  }

  listCapabilities(query: ListQuery = {}): Page<WireCapability> {
    return listCapabilities(this.view(), query);
  }

  currentAccount(): WireAccount {
    return currentAccount(this.view());
  }

  listClusters(query: ListQuery = {}): Page<WireCluster> {
    return listClusters(this.view(), query);
  }

  getCluster(id: string): WireCluster {
    return getCluster(this.view(), id);
  }

  listNodePools(clusterId: string, query: ListQuery = {}): Page<WireNodePool> {
    return listNodePools(this.view(), clusterId, query);
  }

  getNodePool(clusterId: string, name: string): WireNodePool {
    return getNodePool(this.view(), clusterId, name);
  }

  listPolicies(target: PolicyTarget, query: ListQuery = {}): Page<WirePolicy> {
    return listPolicies(this.view(), target, query);
  }

  getPolicy(target: PolicyTarget, id: string): WirePolicy {
    return getPolicy(this.view(), target, id);
  }

  getPolicyState(target: PolicyTarget, id: string): WirePolicyState {
    return getPolicyState(this.view(), target, id);
  }

  listVersions(query: ListQuery = {}): Page<WireVersion> {
    return listVersions(this.view(), query);
  }

  getVersion(id: string): WireVersion {
    return getVersion(this.view(), id);
  }

  listGates(query: ListQuery = {}): Page<WireGate> {
    return listGates(this.view(), query);
  }

  getGate(id: string): WireGate {
    return getGate(this.view(), id);
  }

  listAgreements(clusterId: string, query: ListQuery = {}): Page<WireAgreement> {
    return listAgreements(this.view(), clusterId, query);
  }

  getAgreement(clusterId: string, id: string): WireAgreement {
    return getAgreement(this.view(), clusterId, id);
  }

  listLogs(query: ListQuery = {}): Page<WireLog> {
    return listLogs(this.view(), query);
  }

  listClusterLogs(scope: LogScope, query: ListQuery = {}): Page<WireLog> {
    return listClusterLogs(this.view(), scope, query);
  }

  getLog(id: string): WireLog {
    return getLog(this.view(), id);
  }
}

/** The write calls as well. */
export class OcmCalls extends OcmReads<Workshop> {
  /** Creates a label or replaces its value. */
  postLabel(owner: Owner, body: Json): PutLabel {
    return putLabel(this.view(), owner, body, 'POST');
  }

  patchLabel(owner: Owner, key: string, body: Json): PutLabel {
    return putLabel(this.view(), owner, body, 'PATCH', key);
  }

  deleteLabel(owner: Owner, key: string): void {
    deleteLabel(this.view(), owner, key);
  }

  patchSubscription(id: string, body: Json): WireSubscription {
    return patchSubscription(this.view(), id, body);
  }

  /** Undefined for a dry run. */
  patchCluster(id: string, body: Json, dryRun = false): WireCluster | undefined {
    return patchCluster(this.view(), id, body, dryRun);
  }

  /** Undefined for a dry run. */
  createPolicy(target: PolicyTarget, body: Json, dryRun = false): WirePolicy | undefined {
    return createPolicy(this.view(), target, body, dryRun);
  }

  patchPolicy(target: PolicyTarget, id: string, body: Json): WirePolicy {
    return patchPolicy(this.view(), target, id, body);
  }

  deletePolicy(target: PolicyTarget, id: string): void {
    deletePolicy(this.view(), target, id);
  }

  patchPolicyState(target: PolicyTarget, id: string, body: Json): WirePolicyState {
    return patchPolicyState(this.view(), target, id, body);
  }

  createAgreement(clusterId: string, body: Json): WireAgreement {
    return createAgreement(this.view(), clusterId, body);
  }

  deleteAgreement(clusterId: string, id: string): void {
    deleteAgreement(this.view(), clusterId, id);
  }

  createLog(body: Json): WireLog {
    return createLog(this.view(), body);
  }

  deleteLog(id: string): void {
    deleteLog(this.view(), id);
  }
}
