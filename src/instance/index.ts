export { checkInstance } from './checks/check-instance.ts';
export { managedTwiceFinding } from './checks/managed-twice.ts';
export {
  errorsOf,
  notCheckedLines,
  type ValidationReport,
  validationDocument,
  validationMarkdown,
  validationReport,
  validationSummary,
} from './checks/validation-report.ts';
export type { Account, Cluster, ClusterAccess } from './domain/cluster.ts';
export { compileCron, FIVE_FIELDS_PATTERN, fiveFields } from './domain/cron.ts';
export { CRON_FIELDS, type CronField, type ParsedCron, parseCronRange } from './domain/cron-field.ts';
export type { CronFieldTexts, CronSchedule } from './domain/cron-schedule.ts';
export { type DatafileKind, datafileShape } from './domain/datafile-shapes.ts';
export type { Environment, EnvironmentContext } from './domain/environment.ts';
export type { Resources, VaultSecret } from './domain/fields.ts';
export type { Integration, IntegrationSpec, Managed, ShardOverride } from './domain/integration.ts';
export type { Namespace } from './domain/namespace.ts';
export type { OcmEnvironment, OcmLogin, Organization, OrgId, UpgradePolicyCluster } from './domain/ocm.ts';
export type { UnreadEntry } from './domain/ocm-entries.ts';
export { quantityValue } from './domain/quantity.ts';
export { environmentNames, type Instance, instanceSteps, readInstance } from './domain/read-instance.ts';
export type { SaasFile, SaasTarget, SaasTemplate } from './domain/saas-file.ts';
export type { ListingFilters } from './listings/filters.ts';
export { INSTANCE_LISTINGS } from './listings/instance-listings.ts';
export { foreignImages, managerFileCheck } from './manager-file/check-manager-file.ts';
export {
  DEFAULT_IMAGE,
  DEFAULT_UPSTREAM,
  declaredTag,
  MANAGER_RESOURCE,
  type ManagerFile,
  type UpstreamImage,
  upstreamImage,
  upstreamOf,
} from './manager-file/manager-file.ts';
export { managerFileOf, managerFileShape, readManagerFile } from './manager-file/read-manager-file.ts';
export { problemLine, readOwnFile } from './own-file.ts';
export { type Finding, keyPathText, type Problem, positionText } from './problem.ts';
export { readSchemas, type SchemaSet } from './schema/schema-set.ts';
export {
  locatedIn,
  locateFindings,
  OWN_RESOURCES,
  problemSteps,
  problemsIn,
  type Snapshot,
  stateOf,
} from './snapshot.ts';
export { INSTANCE_PATHS } from './sources/instance-paths.ts';
export type { InstanceSource, LoadOptions } from './sources/instance-source.ts';
export { openInstance } from './sources/open-instance.ts';
export {
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
