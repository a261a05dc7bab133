export { type CheckOptions, checkInstance, type InstanceCheck } from './checks/check-instance.ts';
export type { Account, Cluster, ClusterAccess, ClusterSpec, Zone } from './domain/cluster.ts';
export type { Environment, EnvironmentContext, Product } from './domain/environment.ts';
export type { Resources, UpgradePolicy, VaultSecret } from './domain/fields.ts';
export type {
  Integration,
  IntegrationSpec,
  Managed,
  PrCheck,
  Sharding,
  ShardOverride,
  ShardSelector,
  SubSharding,
} from './domain/integration.ts';
export type { Namespace } from './domain/namespace.ts';
export type { OcmEnvironment, OcmLogin, Organization, OrgId, Sector, UpgradePolicyCluster } from './domain/ocm.ts';
export type { KnownEntry, UnreadEntry } from './domain/ocm-entries.ts';
export { quantityValue } from './domain/quantity.ts';
export { environmentNames, type Instance, readInstance } from './domain/read-instance.ts';
export type { SaasFile, SaasTarget, SaasTemplate } from './domain/saas-file.ts';
export type { Settings } from './domain/settings.ts';
export { type Finding, keyPathText, type Problem, type Severity } from './problem.ts';
export { readSchemas, type SchemaSet } from './schema/schema-set.ts';
export { locatedIn, locateFindings, type Revision, type Snapshot, stateOf } from './snapshot.ts';
export type { InstanceSource, LoadOptions } from './sources/instance-source.ts';
export { openInstance, type SourceParts } from './sources/open-instance.ts';
export type { QontractApi } from './sources/server.ts';
export {
  type AliasNode,
  type EntryNode,
  type LayoutNode,
  type MappingNode,
  type ScalarNode,
  type SequenceNode,
  yamlLayout,
} from './yaml/layout.ts';
export { type YamlModels, yamlModels } from './yaml/models.ts';
export { type KeyPath, lineAndColumn } from './yaml/source-tree.ts';
export { loadYamlDocuments, YamlFault } from './yaml/yaml11.ts';
