export {
  checkInstance,
  errorsOf,
  notCheckedLines,
  type ValidationReport,
  validationDocument,
  validationMarkdown,
  validationReport,
  validationSummary,
} from './checks/check-instance.ts';
export { managedTwiceFinding } from './checks/instance-rules.ts';
export type { Account, Cluster, ClusterAccess } from './domain/cluster.ts';
export { quantityValue, type Resources, type VaultSecret } from './domain/fields.ts';
export type { Integration, IntegrationSpec, Managed, ShardOverride } from './domain/integration.ts';
export { datafileShape, type KindName } from './domain/kinds.ts';
export type { Environment, EnvironmentContext, Namespace } from './domain/namespace.ts';
export type { OcmEnvironment, OcmLogin, Organization, OrgId, UnreadEntry, UpgradePolicyCluster } from './domain/ocm.ts';
export { environmentNames, type Instance, loadInstance, readInstance } from './domain/read-instance.ts';
export type { SaasFile, SaasTarget, SaasTemplate } from './domain/saas-file.ts';
export { readEchelonFile } from './echelon-file.ts';
export { INSTANCE_LISTINGS, type ListingFilters } from './listings.ts';
export { locatedIn, locateFindings, problemSteps, problemsIn } from './locate.ts';
export {
  DEFAULT_IMAGE,
  DEFAULT_UPSTREAM,
  declaredTag,
  foreignImages,
  MANAGER_RESOURCE,
  type ManagerFile,
  managerFileCheck,
  managerFileOf,
  managerFileShape,
  type UpstreamImage,
  upstreamImage,
  upstreamOf,
} from './manager-file.ts';
export { type Finding, type KeyPath, keyPathText, type Problem, positionText, problemLine } from './problem.ts';
export { readSchemas, type SchemaSet } from './schema/schema-set.ts';
export { ECHELON_FILES, type InstanceSource, type LoadOptions, revisionKey, type Snapshot } from './snapshot.ts';
export { openInstance } from './sources/open-instance.ts';
export {
  type EntryNode,
  type LayoutNode,
  lineAndColumn,
  type MappingNode,
  type ScalarNode,
  type SequenceNode,
  yamlLayout,
} from './yaml/layout.ts';
export { loadYamlDocuments, YamlFault, type YamlModels, yamlModels } from './yaml/yaml11.ts';
