import { byText, defined } from '../base/index.ts';
import { type Integration, MANAGER_RESOURCE } from '../instance/index.ts';
import type { EnvChange, ExplainedFile, Sides } from './changed-files.ts';

type SelectingRule = 'always-run' | 'own-file' | 'schema' | 'resource' | 'image';
type SkippingRule = 'not-affected' | 'disabled' | 'no-pr-check' | 'removed';

/** Why a check runs or skips an integration. */
export interface Reason {
  readonly rule: SelectingRule | SkippingRule;
  /** Human-readable, one clause. */
  readonly text: string;
  readonly schema?: string;
  /** The changed files that caused it. */
  readonly files?: readonly string[];
}

export interface Selection {
  readonly integration: string;
  /** Path of its file. */
  readonly file: string;
  readonly selected: boolean;
  readonly reasons: readonly Reason[];
}

interface SelectOptions {
  /** A changed integration file selects every integration that declares the integration schema, which all do. */
  readonly strict?: boolean;
  /** The images of runs at base and at head. */
  readonly images?: { readonly atBase: ImageText; readonly atHead: ImageText };
}

type ImageText = (run: { readonly integration: string; readonly imageRef?: string }) => string;

/** An integration at head, or at base if it is unreadable at head. */
interface IntegrationSide {
  readonly integration: Integration;
  readonly at: 'base' | 'head';
  readonly removed: boolean;
}

const INTEGRATION_SCHEMA = '/app-sre/integration-1.yml';

/**
 * Which integrations a change affects. Every integration declares the integration schema, because its runtime reads its own
 * file; so a changed integration file selects only that integration. All integrations read the settings, which select all.
 */
export function selectIntegrations(
  files: readonly ExplainedFile[],
  sides: Sides,
  options: SelectOptions = {},
): readonly Selection[] {
  const env = files.flatMap((file) => file.env ?? []);
  return integrationsOfBoth(sides).map((subject) => {
    const { name, file } = subject.integration;
    const skip = skipReason(subject);
    if (skip !== undefined) return { integration: name, file, selected: false, reasons: [skip] };
    const reasons = selectingReasons(subject.integration, files, env, options);
    return reasons.length > 0
      ? { integration: name, file, selected: true, reasons }
      : { integration: name, file, selected: false, reasons: [NOT_AFFECTED] };
  });
}

const NOT_AFFECTED: Reason = { rule: 'not-affected', text: 'no file of its schemas changes' };

/** Integrations of both sides, each once, ordered by name. */
export function integrationsOfBoth({ base, head }: Sides): IntegrationSide[] {
  const now = head.instance.integrations;
  const files = new Set(now.map(({ file }) => file));
  const names = new Set(now.map(({ name }) => name));
  const { datafiles, unreadable } = head.instance.snapshot;
  const before = base.instance.integrations
    .filter(({ file, name }) => !files.has(file) && !names.has(name))
    .map((integration) => {
      const removed = !datafiles.has(integration.file) && !unreadable.has(integration.file);
      return { integration, at: 'base' as const, removed };
    });
  const subjects: IntegrationSide[] = now.map((integration) => ({ integration, at: 'head', removed: false }));
  return [...subjects, ...before].sort((a, b) => byText(a.integration.name, b.integration.name));
}

function skipReason({ integration: { prCheck }, removed }: IntegrationSide): Reason | undefined {
  if (removed) return { rule: 'removed', text: 'the change removes it' };
  if (prCheck === undefined) return { rule: 'no-pr-check', text: 'its file has no pr_check' };
  return prCheck.disabled === true ? { rule: 'disabled', text: 'pr_check.disabled is set' } : undefined;
}

function selectingReasons(
  integration: Integration,
  files: readonly ExplainedFile[],
  env: readonly EnvChange[],
  { strict = false, images }: SelectOptions,
): Reason[] {
  const own = files.filter(({ area, path }) => area === 'data' && path === integration.file);
  const others = strict ? files : files.filter(({ schemas, area }) => area !== 'data' || !isIntegration(schemas));
  return [
    ...(integration.prCheck?.always_run === true
      ? [{ rule: 'always-run' as const, text: 'pr_check.always_run is set' }]
      : []),
    ...own.map(({ file }) => ({ rule: 'own-file' as const, text: 'its own file changes', files: [file] })),
    ...schemaReasons(integration, others),
    ...imageReasons(integration, env, files, images),
  ];
}

/** Including a file that was or becomes one. */
function isIntegration(schemas: readonly string[]): boolean {
  return schemas.length > 0 && schemas.every((schema) => schema === INTEGRATION_SCHEMA);
}

function schemaReasons({ schemas }: Integration, files: readonly ExplainedFile[]): Reason[] {
  return [...new Set(schemas)].sort(byText).flatMap((schema) => {
    const concerned = files.filter((file) => file.schemas.includes(schema));
    return [
      ...reasonFor('schema', `it reads ${schema}`, schema, concerned, 'data'),
      ...reasonFor('resource', `${schema} files use it`, schema, concerned, 'resource'),
    ];
  });
}

function reasonFor(
  rule: SelectingRule,
  text: string,
  schema: string,
  files: readonly ExplainedFile[],
  area: ExplainedFile['area'],
): Reason[] {
  const named = files.filter((file) => file.area === area).map(({ file }) => file);
  return named.length === 0 ? [] : [{ rule, text, schema, files: named }];
}

/** Every run uses the image in `.env` or that of manager.yml, except integrations with their own check image. */
function imageReasons(
  { name, prCheck }: Integration,
  env: readonly EnvChange[],
  files: readonly ExplainedFile[],
  images: SelectOptions['images'],
): Reason[] {
  const keys = prCheck?.imageRef === undefined ? ['RECONCILE_IMAGE', 'RECONCILE_IMAGE_TAG'] : ['RECONCILE_IMAGE'];
  const inEnv = env
    .filter(({ key }) => keys.includes(key))
    .map(({ key, from = 'nothing', to = 'nothing' }): Reason => {
      return { rule: 'image', text: `${key} changes from ${from} to ${to}`, files: ['.env'] };
    });
  if (inEnv.length > 0 || images === undefined) return inEnv;
  const run = { integration: name, ...defined({ imageRef: prCheck?.imageRef }) };
  const [from, to] = [images.atBase(run), images.atHead(run)];
  if (from === to) return [];
  const declared = files.filter(({ area, path }) => area === 'resource' && path === MANAGER_RESOURCE);
  return [{ rule: 'image', text: `its image changes from ${from} to ${to}`, files: declared.map(({ file }) => file) }];
}
