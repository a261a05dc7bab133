import { byText, isJson } from '../../base/index.ts';
import type { Instance } from '../../instance/index.ts';
import { parseSelectorPath } from '../targets/selector-path.ts';
import { type Node, walkData } from '../targets/walk-data.ts';
import { knownKeys, repositoryName, sameRepository } from './known-keys.ts';

/** An entry of a first `promotion.yml`, with a line that says what it is. */
export interface DraftTarget {
  readonly name: string;
  readonly comment: string;
  readonly environment?: string;
  readonly upstream: string;
  readonly file?: string;
  readonly schema?: string;
  readonly selector?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly path?: string;
  readonly digest?: string;
  readonly form: 'short' | 'full';
  readonly length?: number;
  readonly matches?: { readonly min?: number; readonly max?: number };
}

export interface DraftUpstream {
  readonly name: string;
  readonly url: string;
  readonly image?: string;
}

export interface Discovered {
  /** The reconciler first. */
  readonly upstreams: readonly DraftUpstream[];
  readonly targets: readonly DraftTarget[];
}

const SAAS = '/app-sre/saas-file-2.yml';
const ENVIRONMENT = '/app-sre/environment-1.yml';
const MOST_ALIKE = 50;
const DEFAULT_HASH_LENGTH = 7;

/** Every place of an instance that is known to carry a version of an upstream, in a stable order. */
export function discover(instance: Instance, read: (file: string) => Uint8Array | undefined): Discovered {
  const upstreams = upstreamsOf(instance);
  const facts: Facts = { instance, read, hashLength: instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH };
  const targets = upstreams.flatMap((upstream) => [
    ...envTargets(facts, upstream),
    ...resourceTargets(facts, upstream),
    ...(upstream.name === 'schemas' ? [] : tektonTargets(facts, upstream)),
    ...(upstream.name === 'schemas' ? [] : saasTargets(facts, upstream)),
    ...environmentTargets(facts, upstream),
  ]);
  const used = new Set(targets.map(({ upstream }) => upstream));
  return { upstreams: upstreams.filter(({ name }) => used.has(name)), targets: withUniqueNames(targets) };
}

/** Two templates may have targets of one name. */
function withUniqueNames(targets: readonly DraftTarget[]): DraftTarget[] {
  const seen = new Map<string, number>();
  return targets.map((target) => {
    const times = (seen.get(target.name) ?? 0) + 1;
    seen.set(target.name, times);
    return times === 1 ? target : { ...target, name: `${target.name}#${times}` };
  });
}

interface Facts {
  readonly instance: Instance;
  readonly read: (file: string) => Uint8Array | undefined;
  readonly hashLength: number;
}

function upstreamsOf({ snapshot, environments }: Instance): DraftUpstream[] {
  const pinned = [...snapshot.env].flatMap(([key, url]): DraftUpstream[] => {
    const prefix = /^(\w+)_REPO$/.exec(key)?.[1];
    if (prefix === undefined) return [];
    const image = snapshot.env.get(`${prefix}_IMAGE`);
    return [{ name: prefix.toLowerCase().replaceAll('_', '-'), url, ...(image === undefined ? {} : { image }) }];
  });
  const others = environments
    .flatMap(({ parameters }) => reposOf(parameters['INTEGRATION_UPSTREAM_REPOS']))
    .filter(({ repo }) => !pinned.some(({ url }) => sameRepository(url, repo)))
    .map(({ repo }): DraftUpstream => ({ name: repositoryName(repo).toLowerCase(), url: repo }));
  const distinct = new Map([...pinned, ...others].map((each) => [each.name, each]));
  return [...distinct.values()].sort((a, b) => rank(a) - rank(b) || byText(a.name, b.name));
}

/** The reconciler is what is promoted most; schemas are the other thing that people promote by hand. */
function rank({ name }: DraftUpstream): number {
  return name === 'reconcile' ? 0 : name === 'schemas' ? 1 : 2;
}

function reposOf(value: unknown): { repo: string; ref: string }[] {
  return (Array.isArray(value) ? value : [])
    .filter(isJson)
    .flatMap(({ repo, ref }) => (typeof repo === 'string' ? [{ repo, ref: String(ref) }] : []));
}

function envTargets({ instance, hashLength }: Facts, upstream: DraftUpstream): DraftTarget[] {
  return knownKeys(upstream).flatMap((key): DraftTarget[] => {
    const form = formOf(instance.snapshot.env.get(key), hashLength);
    const comment = 'the version that a check of a change runs with';
    return form === undefined
      ? []
      : [{ name: `${upstream.name}-checks`, comment, upstream: upstream.name, file: '.env', key, ...form }];
  });
}

/** Also `latest`: it is promoted from there on. */
function formOf(value: unknown, hashLength: number): Pick<DraftTarget, 'form' | 'length'> | undefined {
  const text = String(value ?? '');
  if (/^[0-9a-f]{40}$/.test(text)) return { form: 'full' };
  if (text === 'latest') return { form: 'short' };
  if (!/^[0-9a-f]{7,39}$/.test(text)) return undefined;
  return text.length === hashLength ? { form: 'short' } : { form: 'short', length: text.length };
}

/** Keys with a version in resource files, which no schema describes. */
function resourceTargets({ instance, read, hashLength }: Facts, upstream: DraftUpstream): DraftTarget[] {
  const keys = knownKeys(upstream);
  return [...(instance.snapshot.resources ?? [])].sort(byText).flatMap((path) => {
    const file = `resources${path}`;
    const found = literals(read(file), keys);
    const [first] = found;
    const form = first === undefined ? undefined : formOf(first.value, hashLength);
    if (first === undefined || form === undefined) return [];
    const own = found.filter(({ key }) => key === first.key).length;
    const name = path
      .replace(/^\//, '')
      .replace(/\.[^/]*$/, '')
      .replaceAll('/', '-');
    return [
      {
        name,
        comment: 'a resource file, outside of any schema: found by the name of its key',
        upstream: upstream.name,
        file,
        key: first.key,
        ...form,
        ...(own === 1 ? {} : { matches: { min: own, max: own } }),
      },
    ];
  });
}

const MAX_RESOURCE_BYTES = 1024 * 1024;

/** Lines `key: value` with a value and not an expression of a template. */
export function literals(
  bytes: Uint8Array | undefined,
  keys: readonly string[],
): { readonly key: string; readonly value: string; readonly line: number }[] {
  if (bytes === undefined || bytes.byteLength > MAX_RESOURCE_BYTES) return [];
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  return lines.flatMap((text, index) => {
    const found = /^\s*(?:- +)*(?:export +)?([\w.-]+)(?::\s+|=)(["']?)([\w.-]+)\2\s*(?:#.*)?$/.exec(text);
    const [, key = '', , value = ''] = found ?? [];
    return keys.includes(key) ? [{ key, value, line: index + 1 }] : [];
  });
}

const TEKTON = [
  { schema: '/app-sre/tekton-provider-defaults-1.yml', list: 'taskTemplates', name: 'tekton-defaults' },
  { schema: '/openshift/shared-resources-1.yml', list: 'openshiftResources', name: 'shared-resources' },
];

function tektonTargets({ instance, hashLength }: Facts, upstream: DraftUpstream): DraftTarget[] {
  return TEKTON.flatMap(({ schema, list, name }) =>
    knownKeys(upstream).flatMap((key): DraftTarget[] => {
      const path = `${list}[].variables.${key}`;
      const [first] = nodesOf(instance, schema, path);
      const form = formOf(first?.value, hashLength);
      if (form === undefined) return [];
      const comment = 'wherever files of this schema have the variable: one that is added later is promoted too';
      return [{ name, comment, upstream: upstream.name, schema, path, ...form, matches: { min: 1, max: MOST_ALIKE } }];
    }),
  );
}

function nodesOf({ snapshot }: Instance, schema: string, path: string): Node[] {
  const steps = parseSelectorPath(path);
  return [...snapshot.datafiles.values()]
    .filter((file) => file.schema === schema)
    .sort((a, b) => byText(a.path, b.path))
    .flatMap((file) => walkData(snapshot, file.path, steps).found);
}

function saasTargets(facts: Facts, upstream: DraftUpstream): DraftTarget[] {
  const { snapshot } = facts.instance;
  const files = [...snapshot.datafiles.values()].filter(({ schema }) => schema === SAAS);
  return files
    .sort((a, b) => byText(a.path, b.path))
    .flatMap(({ path, content }) =>
      walkData(snapshot, path, parseSelectorPath('resourceTemplates[]')).found.flatMap(({ value }) =>
        isJson(value)
          ? templateTargets(facts, upstream, { file: path, saas: String(content['name']), template: value })
          : [],
      ),
    );
}

interface Template {
  /** Path of the saas file. */
  readonly file: string;
  readonly saas: string;
  readonly template: Readonly<Record<string, unknown>>;
}

function templateTargets(facts: Facts, upstream: DraftUpstream, own: Template): DraftTarget[] {
  const template = String(own.template['name']);
  const base = `resourceTemplates[name=${template}]`;
  const isUpstream = sameRepository(String(own.template['url']), upstream.url);
  const shared = parameterTargets(facts, upstream, own, {
    name: `${own.saas}/${template}`,
    base,
    keys: knownKeys(upstream),
    parameters: own.template['parameters'],
  });
  const targets = walkData(facts.instance.snapshot, own.file, parseSelectorPath(`${base}.targets[]`)).found;
  return [
    ...shared,
    ...targets.flatMap(({ value }) =>
      isJson(value) ? targetDrafts(facts, upstream, own, { base, isUpstream, value }) : [],
    ),
  ];
}

interface OneTarget {
  readonly base: string;
  readonly isUpstream: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

function targetDrafts(
  facts: Facts,
  upstream: DraftUpstream,
  own: Template,
  { base, isUpstream, value }: OneTarget,
): DraftTarget[] {
  const { name, ref, promotion } = value;
  if (typeof name !== 'string' || value['delete'] === true) return [];
  const environment = environmentOf(facts, value);
  const path = `${base}.targets[name=${name}]`;
  const keys = isUpstream ? [...knownKeys(upstream), 'IMAGE_TAG'] : knownKeys(upstream);
  const drafts = parameterTargets(facts, upstream, own, {
    name: `${own.saas}/${name}`,
    base: path,
    keys,
    parameters: value['parameters'],
    ...(environment === undefined ? {} : { environment }),
  });
  const isAutomatic = isJson(promotion) && promotion['auto'] === true;
  if (!isUpstream || isAutomatic || !/^[0-9a-f]{40}$/.test(String(ref))) return isAutomatic ? [] : drafts;
  return [
    {
      name: `${own.saas}/${name}`,
      comment: 'the commit that is deployed',
      ...(environment === undefined ? {} : { environment }),
      upstream: upstream.name,
      schema: SAAS,
      selector: { name: own.saas },
      path: `${path}.ref`,
      form: 'full',
    },
    ...drafts,
  ];
}

/** A manager works for the environment that it is told, wherever it runs. */
function environmentOf(
  { instance }: Facts,
  { namespace, parameters }: Readonly<Record<string, unknown>>,
): string | undefined {
  const told = isJson(parameters) ? parameters['ENVIRONMENT_NAME'] : undefined;
  if (typeof told === 'string') return told;
  const file = isJson(namespace) ? namespace['$ref'] : undefined;
  return instance.namespaces.find((each) => each.file === file)?.environment.name;
}

interface Parameters {
  readonly name: string;
  readonly base: string;
  readonly keys: readonly string[];
  readonly parameters: unknown;
  readonly environment?: string;
}

function parameterTargets(
  { hashLength }: Facts,
  upstream: DraftUpstream,
  own: Template,
  given: Parameters,
): DraftTarget[] {
  const { parameters } = given;
  if (!isJson(parameters)) return [];
  return given.keys.flatMap((key): DraftTarget[] => {
    const form = formOf(parameters[key], hashLength);
    if (form === undefined || parameters[key] === 'latest') return [];
    const digest = key.replace(/_TAG$/, '_DIGEST').replace(/_tag$/, '_digest');
    const isPair = digest !== key && typeof parameters[digest] === 'string';
    return [
      {
        name: `${given.name}/${key}`,
        comment: isPair ? 'a tag and its digest: both change or neither' : 'a parameter of the template',
        ...(given.environment === undefined ? {} : { environment: given.environment }),
        upstream: upstream.name,
        schema: SAAS,
        selector: { name: own.saas },
        path: `${given.base}.parameters.${key}`,
        ...(isPair ? { digest } : {}),
        ...form,
      },
    ];
  });
}

function environmentTargets({ instance }: Facts, upstream: DraftUpstream): DraftTarget[] {
  return instance.environments.flatMap(({ name, parameters }) =>
    reposOf(parameters['INTEGRATION_UPSTREAM_REPOS'])
      .filter(({ repo, ref }) => sameRepository(repo, upstream.url) && /^[0-9a-f]{40}$/.test(ref))
      .map(({ repo }) => ({
        name: `${name}/${upstream.name}`,
        comment: 'what the environment runs of this upstream',
        environment: name,
        upstream: upstream.name,
        schema: ENVIRONMENT,
        selector: { name },
        path: `parameters.INTEGRATION_UPSTREAM_REPOS[repo=${repo}].ref`,
        form: 'full' as const,
      })),
  );
}
