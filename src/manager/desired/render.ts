import { count, EchelonError, humanBytes, mapLimited, sha256Of } from '../../base/index.ts';
import { readChartOutput } from './chart-output.ts';
import { type DesiredNamespace, desiredNamespace, type KubeObject, objectKey } from './desired-namespace.ts';
import { type ManagedShards, type NamespaceGroup, targetOf } from './group.ts';
import { identified, type ShardFault, shardFaults } from './identify.ts';
import { identityOf, isWorkload } from './identity.ts';
import { collectParameters, type ParameterSources } from './parameters.ts';
import { nameFaults } from './rendered-names.ts';
import { processTemplate, type TemplateParameter } from './template.ts';
import { type NamespaceValues, valuesOf } from './values.ts';

/** Renders a chart with values; declared here, implemented by the helm client. */
export interface ChartRenderer {
  /** Changes when the same values could render differently: another chart or helm version. */
  readonly identity: string;
  render(values: NamespaceValues): Promise<string>;
}

/** Caches results by a hash of their inputs; declared here, implemented in memory and by files. */
export interface RenderCache {
  get(key: string): unknown;
  set(key: string, value: object): void;
}

export interface RenderOptions {
  readonly chart: ChartRenderer;
  readonly cache?: RenderCache;
  /** The parameter sources of a namespace. */
  readonly parameters: (group: NamespaceGroup) => Promise<ParameterSources> | ParameterSources;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: string) => void;
}

/** A namespace, or a single entry of one, that could not be rendered. */
export interface RenderFailure {
  readonly target: string;
  readonly error: EchelonError;
}

export interface Rendered {
  readonly namespaces: readonly DesiredNamespace[];
  readonly failures: readonly RenderFailure[];
}

/** A values document with a thousand shards has half a megabyte. */
const MAX_VALUES_BYTES = 16 * 1024 * 1024;
const PARALLEL_RENDERS = 4;

/** The desired objects of every group, in group order. A group that fails does not affect the others. */
export async function renderGroups(groups: readonly NamespaceGroup[], options: RenderOptions): Promise<Rendered> {
  const results = await mapLimited(
    groups,
    PARALLEL_RENDERS,
    (group, _, signal) => {
      options.onProgress?.(`render ${targetOf(group.namespace)}`);
      return renderGroup(group, { ...options, signal });
    },
    options.signal,
  );
  return {
    namespaces: results.flatMap(({ namespaces }) => namespaces),
    failures: results.flatMap(({ failures }) => failures),
  };
}

async function renderGroup(group: NamespaceGroup, options: RenderOptions): Promise<Rendered> {
  const whole = await attempt(group, options);
  if (!(whole instanceof EchelonError)) return withoutFaults(group, whole);
  return isOneEntrysFault(whole) && group.entries.length > 1
    ? renderWithoutCulprits(group, whole, options)
    : { namespaces: [], failures: [failureOf(group, whole)] };
}

/** A chart that fails on a value fails for one entry; a missing or hanging helm is not an entry's fault. */
function isOneEntrysFault({ code }: EchelonError): boolean {
  return code === 'HELM_FAILED' || code === 'CHART_OUTPUT';
}

/** Renders each entry alone to find those that make the chart fail, then the others together. */
async function renderWithoutCulprits(
  group: NamespaceGroup,
  whole: EchelonError,
  options: RenderOptions,
): Promise<Rendered> {
  const failures: RenderFailure[] = [];
  const good: ManagedShards[] = [];
  const owner = new Map<string, ManagedShards>();
  for (const entry of group.entries) {
    const alone = { ...group, entries: [entry] };
    const result = await attempt(alone, options);
    const fault = result instanceof EchelonError ? result : collisionWith(owner, entry, result.namespace.objects);
    if (fault === undefined) good.push(entry);
    else failures.push(failureOf(alone, fault));
  }
  if (failures.length === 0 || good.length === 0) return { namespaces: [], failures: [failureOf(group, whole)] };
  const rest = await attempt({ ...group, entries: good }, options);
  return rest instanceof EchelonError
    ? { namespaces: [], failures: [...failures, failureOf({ ...group, entries: good }, rest)] }
    : withFailures(withoutFaults({ ...group, entries: good }, rest), failures);
}

function withFailures({ namespaces, failures }: Rendered, earlier: readonly RenderFailure[]): Rendered {
  return { namespaces, failures: [...earlier, ...failures] };
}

/** Two entries may both be right alone, and have an object in common. The first one stays. */
function collisionWith(
  owner: Map<string, ManagedShards>,
  entry: ManagedShards,
  objects: readonly KubeObject[],
): EchelonError | undefined {
  const keys = objects.filter(isWorkload).map(objectKey);
  const taken = keys.find((key) => owner.has(key));
  const first = taken === undefined ? undefined : owner.get(taken);
  if (first === undefined) {
    for (const key of keys) owner.set(key, entry);
    return undefined;
  }
  return new EchelonError({
    code: 'CHART_OUTPUT',
    message: `${first.integration.name} (data${first.integration.file}) has an object ${taken} too`,
    hint: 'rename one of the integrations, or manage it in one place',
  });
}

/**
 * Leaves out entries without exactly one workload for each shard: what they lack would count as no longer declared. If there
 * is no workload at all, no single entry is at fault.
 */
function withoutFaults(group: NamespaceGroup, { namespace, faults }: CheckedNamespace): Rendered {
  const { objects } = namespace;
  const entries = faults.map(({ managed }) => managed);
  if (objects.length === 0 || (faults.length > 0 && !objects.some(isWorkload))) {
    const concerns = faults.length === 0 ? group : { ...group, entries };
    return { namespaces: [], failures: [failureOf(concerns, wroteNothing(objects))] };
  }
  if (faults.length === 0) return withoutInvalidNames(group, namespace);
  const faulty = new Set<string | undefined>(entries.map(({ integration }) => integration.name));
  const rest = objects.filter((object) => !faulty.has(identityOf(object)?.integration));
  const failures = faults.map((fault) => failureOf({ ...group, entries: [fault.managed] }, wrongShards(fault)));
  return withFailures(withoutInvalidNames(group, { ...namespace, objects: rest }), failures);
}

function wrongShards({ shards }: ShardFault): EchelonError {
  const missing = shards.filter(({ workloads }) => workloads.length === 0).map(({ name }) => name);
  const counted = shards.filter(({ workloads }) => workloads.length > 0).map(countedWorkloads);
  const none = `no workload for ${missing.length === 1 ? 'shard' : 'shards'} ${namedFew(missing)}`;
  const parts = [...(missing.length === 0 ? [] : [none]), ...(counted.length === 0 ? [] : [namedFew(counted)])];
  return new EchelonError({
    code: 'CHART_OUTPUT',
    message: `the chart rendered ${parts.join(', ')}`,
    hint: 'let the chart render one Deployment, StatefulSet or CronJob for each item of shard_specs; until then nothing in this namespace is deleted',
  });
}

function countedWorkloads({ name, asked, workloads }: ShardFault['shards'][number]): string {
  const of = asked === 1 ? `shard ${name}` : `the ${asked} shards named ${name}`;
  return `${count(workloads.length, 'workload')} for ${of} (${namedFew(workloads)})`;
}

/** Leaves out integrations with an object that Kubernetes would reject; checked as rendered, by whichever chart. */
function withoutInvalidNames(group: NamespaceGroup, namespace: DesiredNamespace): Rendered {
  const faults = nameFaults(namespace.objects);
  const failures = faults.map(({ integration, message }) => {
    const entries = group.entries.filter(
      ({ integration: { name } }) => integration === undefined || name === integration,
    );
    return failureOf({ ...group, entries }, badName(message));
  });
  if (faults.length === 0) return { namespaces: [namespace], failures };
  if (faults.some(({ integration }) => integration === undefined)) return { namespaces: [], failures };
  const invalid = new Set(faults.map(({ integration }) => integration));
  const objects = namespace.objects.filter((object) => !invalid.has(identityOf(object)?.integration));
  return { namespaces: [{ ...namespace, objects }], failures };
}

function badName(message: string): EchelonError {
  return new EchelonError({
    code: 'OBJECT_NAME_INVALID',
    message,
    hint: 'shorten or rename the integration, or the account, cluster or other resource of the shard, or use a chart that names its objects differently',
  });
}

/** Returns user errors; rethrows everything else. */
async function attempt(group: NamespaceGroup, options: RenderOptions): Promise<CheckedNamespace | EchelonError> {
  try {
    return await renderWhole(group, options);
  } catch (thrown) {
    if (thrown instanceof EchelonError) return thrown;
    throw thrown;
  }
}

function failureOf(group: NamespaceGroup, error: EchelonError): RenderFailure {
  const target = targetOf(group.namespace);
  const { code, message, hint } = error;
  return {
    target,
    error: new EchelonError({ code, message: `${target}, ${concerned(group)}: ${message}`, hint, cause: error }),
  };
}

const NAMED = 3;

function concerned({ entries }: NamespaceGroup): string {
  return namedFew(entries.map(({ integration }) => `${integration.name} (data${integration.file})`));
}

function namedFew(names: readonly string[]): string {
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ');
}

interface CheckedNamespace {
  readonly namespace: DesiredNamespace;
  readonly faults: readonly ShardFault[];
}

/**
 * The parameters that a template declares depend on chart and values only; the objects also depend on the values of those
 * parameters. So an unchanged namespace is served from the cache without helm, whatever else the environment contains. A
 * rendering without exactly one workload for each shard is not cached, and is rendered again if it was.
 */
async function renderWhole(group: NamespaceGroup, options: RenderOptions): Promise<CheckedNamespace> {
  const sources = await options.parameters(group);
  const values = valuesOf(group, sources);
  const text = JSON.stringify(values);
  if (Buffer.byteLength(text) > MAX_VALUES_BYTES) throw valuesTooLarge(text);
  const templateKey = hashOf(options.chart.identity, text);
  const objectsKey = (declared: readonly TemplateParameter[]): string =>
    hashOf(templateKey, group.namespace, shardNames(group), [...collectParameters(declared, sources)]);
  const declared = options.cache?.get(templateKey) as readonly TemplateParameter[] | undefined;
  const cached = declared === undefined ? undefined : options.cache?.get(objectsKey(declared));
  const known = cached === undefined ? undefined : checked(group, cached as DesiredNamespace);
  if (known?.faults.length === 0) return known;

  const { parameters, desired } = await renderOnce(group, values, sources, options);
  const renderKeys = (part: NamespaceGroup) => keysOf(part, sources, options);
  const rendered = checked(group, { ...desired, objects: await identified(group, desired.objects, renderKeys) });
  if (rendered.faults.length === 0) {
    options.cache?.set(templateKey, parameters);
    options.cache?.set(objectsKey(parameters), rendered.namespace);
  }
  return rendered;
}

function checked(group: NamespaceGroup, namespace: DesiredNamespace): CheckedNamespace {
  return { namespace, faults: shardFaults(group, namespace.objects) };
}

interface RenderedOnce {
  readonly parameters: readonly TemplateParameter[];
  readonly desired: DesiredNamespace;
}

async function renderOnce(
  group: NamespaceGroup,
  values: NamespaceValues,
  sources: ParameterSources,
  { chart }: RenderOptions,
): Promise<RenderedOnce> {
  const output = readChartOutput(await chart.render(values));
  const parameters = output.kind === 'Template' ? output.parameters : [];
  const objects =
    output.kind === 'Template' ? processTemplate(output, collectParameters(parameters, sources)) : output.objects;
  return { parameters, desired: desiredNamespace(group.namespace, objects) };
}

/** A part that the chart cannot render gives no information; only rendering the whole must succeed. */
async function keysOf(
  part: NamespaceGroup,
  sources: ParameterSources,
  options: RenderOptions,
): Promise<ReadonlySet<string>> {
  options.signal?.throwIfAborted();
  try {
    const { desired } = await renderOnce(part, valuesOf(part, sources), sources, options);
    return new Set(desired.objects.map(objectKey));
  } catch (thrown) {
    if (thrown instanceof EchelonError) return new Set();
    throw thrown;
  }
}

function shardNames({ entries }: NamespaceGroup): string[][] {
  return entries.map(({ shards }) => shards.map(({ name }) => name));
}

/** Increase when the shape of cached values changes, or when wrong ones may have been cached. */
const SHAPE = 4;

function hashOf(...parts: readonly unknown[]): string {
  return sha256Of(JSON.stringify([SHAPE, ...parts]));
}

function wroteNothing(objects: readonly KubeObject[]): EchelonError {
  return new EchelonError({
    code: 'CHART_OUTPUT',
    message: `the chart rendered no ${objects.length === 0 ? 'objects' : 'workloads'}`,
    hint: 'check that --helm is a helm binary and that --chart is a chart for integrations',
  });
}

function valuesTooLarge(text: string): EchelonError {
  return new EchelonError({
    code: 'VALUES_TOO_LARGE',
    message: `the values are ${humanBytes(Buffer.byteLength(text))}; the limit is ${humanBytes(MAX_VALUES_BYTES)}`,
    hint: 'distribute the integrations over several namespaces, or use fewer shards',
  });
}
