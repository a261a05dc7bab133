import { byText, defined, isJson } from '../../base/index.ts';
import {
  type Instance,
  MANAGER_RESOURCE,
  type ManagerFile,
  managerFileOf,
  type Snapshot,
  type UpstreamImage,
} from '../../instance/index.ts';
import { type Node, parseSelectorPath, walkData } from '../targets/selector-path.ts';
import { type Discovered, type DiscoveryFacts, type DraftTarget, type DraftUpstream, formOf } from './initial-file.ts';
import { knownKeys, literals, repositoryName, sameRepository, unlessLink } from './known-keys.ts';

const ENVIRONMENT = '/app-sre/environment-1.yml';
const MOST_ALIKE = 50;
const DEFAULT_HASH_LENGTH = 7;

/** Every place in an instance that is known to hold a version of an upstream, in a stable order. */
export function discover(instance: Instance, read: (file: string) => Uint8Array | undefined): Discovered {
  const upstreams = upstreamsOf(instance);
  const facts: DiscoveryFacts = { instance, read, hashLength: instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH };
  const targets = upstreams.flatMap((upstream) => [
    ...envTargets(facts, upstream),
    ...resourceTargets(facts, upstream),
    ...(upstream.name === 'schemas' ? [] : tektonTargets(facts, upstream)),
    ...(upstream.name === 'schemas' ? [] : saasTargets(facts, upstream)),
    ...environmentTargets(facts, upstream),
    ...managerFileTargets(facts, upstream),
  ]);
  const used = new Set(targets.map(({ upstream }) => upstream));
  return { upstreams: upstreams.filter(({ name }) => used.has(name)), targets: withUniqueNames(targets) };
}

/** Two templates may have targets with the same name. */
function withUniqueNames(targets: readonly DraftTarget[]): DraftTarget[] {
  const seen = new Map<string, number>();
  return targets.map((target) => {
    const times = (seen.get(target.name) ?? 0) + 1;
    seen.set(target.name, times);
    return times === 1 ? target : { ...target, name: `${target.name}#${times}` };
  });
}

function upstreamsOf({ snapshot, environments }: Instance): DraftUpstream[] {
  const pinned = [...snapshot.env].flatMap(([key, url]): DraftUpstream[] => {
    const prefix = /^(\w+)_REPO$/.exec(key)?.[1];
    if (prefix === undefined) return [];
    const image = snapshot.env.get(`${prefix}_IMAGE`);
    return [{ name: prefix.toLowerCase().replaceAll('_', '-'), url, ...defined({ image }) }];
  });
  const named = environments
    .flatMap(({ parameters }) => reposOf(parameters['INTEGRATION_UPSTREAM_REPOS']))
    .map(({ repo }): DraftUpstream => ({ name: repositoryName(repo).toLowerCase(), url: repo }));
  const others = [...named, ...managerFileUpstreams(snapshot)].filter(
    ({ url }) => url === undefined || !pinned.some((known) => sameRepository(url, known.url)),
  );
  const distinct = new Map([...pinned, ...others].map((each) => [each.name, each]));
  return [...distinct.values()].sort((a, b) => rank(a) - rank(b) || byText(a.name, b.name));
}

/** The reconciler is promoted most often; schemas come next. */
function rank({ name }: DraftUpstream): number {
  return name === 'reconcile' ? 0 : name === 'schemas' ? 1 : 2;
}

function reposOf(value: unknown): { repo: string; ref: string }[] {
  return (Array.isArray(value) ? value : [])
    .filter(isJson)
    .flatMap(({ repo, ref }) => (typeof repo === 'string' ? [{ repo, ref: String(ref) }] : []));
}

function envTargets({ instance, hashLength }: DiscoveryFacts, upstream: DraftUpstream): DraftTarget[] {
  return knownKeys(upstream).flatMap((key): DraftTarget[] => {
    const form = formOf(instance.snapshot.env.get(key), hashLength);
    const comment = 'the version that PR checks run with';
    return form === undefined
      ? []
      : [{ name: `${upstream.name}-checks`, comment, upstream: upstream.name, file: '.env', key, ...form }];
  });
}

/** Keys with a version in resource files, which have no schema. */
function resourceTargets({ instance, read, hashLength }: DiscoveryFacts, upstream: DraftUpstream): DraftTarget[] {
  const keys = knownKeys(upstream);
  return [...(instance.snapshot.resources ?? [])].sort(byText).flatMap((path) => {
    const file = `resources${path}`;
    const found = literals(unlessLink(read, file), keys);
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
        comment: 'a resource file without a schema: found by key name',
        upstream: upstream.name,
        file,
        key: first.key,
        ...form,
        ...(own === 1 ? {} : { matches: { min: own, max: own } }),
      },
    ];
  });
}

const TEKTON = [
  { schema: '/app-sre/tekton-provider-defaults-1.yml', list: 'taskTemplates', name: 'tekton-defaults' },
  { schema: '/openshift/shared-resources-1.yml', list: 'openshiftResources', name: 'shared-resources' },
];

function tektonTargets({ instance, hashLength }: DiscoveryFacts, upstream: DraftUpstream): DraftTarget[] {
  return TEKTON.flatMap(({ schema, list, name }) =>
    knownKeys(upstream).flatMap((key): DraftTarget[] => {
      const path = `${list}[].variables.${key}`;
      const [first] = nodesOf(instance, schema, path);
      const form = formOf(first?.value, hashLength);
      if (form === undefined) return [];
      const comment = 'every file of this schema with the variable, including files added later';
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

function environmentTargets({ instance }: DiscoveryFacts, upstream: DraftUpstream): DraftTarget[] {
  return instance.environments.flatMap(({ name, parameters }) =>
    reposOf(parameters['INTEGRATION_UPSTREAM_REPOS'])
      .filter(({ repo, ref }) => sameRepository(repo, upstream.url) && /^[0-9a-f]{40}$/.test(ref))
      .map(({ repo }) => ({
        name: `${name}/${upstream.name}`,
        comment: 'the version of this upstream that the environment runs',
        environment: name,
        upstream: upstream.name,
        schema: ENVIRONMENT,
        selector: { name },
        path: `parameters.INTEGRATION_UPSTREAM_REPOS[repo=${repo}].ref`,
        form: 'full' as const,
      })),
  );
}

const SAAS = '/app-sre/saas-file-2.yml';

/** Upstream commits that saas files deploy, and template parameters that hold its version. */
function saasTargets(facts: DiscoveryFacts, upstream: DraftUpstream): DraftTarget[] {
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

function templateTargets(facts: DiscoveryFacts, upstream: DraftUpstream, own: Template): DraftTarget[] {
  const template = String(own.template['name']);
  const base = `resourceTemplates[name=${template}]`;
  const isUpstream = sameRepository(String(own.template['url']), upstream.url);
  const shared = templateParameterTargets(facts, upstream, own, {
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
  facts: DiscoveryFacts,
  upstream: DraftUpstream,
  own: Template,
  { base, isUpstream, value }: OneTarget,
): DraftTarget[] {
  const { name, ref, promotion } = value;
  if (typeof name !== 'string' || value['delete'] === true) return [];
  const environment = environmentOf(facts, value);
  const path = `${base}.targets[name=${name}]`;
  const keys = isUpstream ? [...knownKeys(upstream), 'IMAGE_TAG'] : knownKeys(upstream);
  const drafts = templateParameterTargets(facts, upstream, own, {
    name: `${own.saas}/${name}`,
    base: path,
    keys,
    parameters: value['parameters'],
    ...defined({ environment }),
  });
  const isAutomatic = isJson(promotion) && promotion['auto'] === true;
  if (!isUpstream || isAutomatic || !/^[0-9a-f]{40}$/.test(String(ref))) return isAutomatic ? [] : drafts;
  return [
    {
      name: `${own.saas}/${name}`,
      comment: 'the deployed commit',
      ...defined({ environment }),
      upstream: upstream.name,
      schema: SAAS,
      selector: { name: own.saas },
      path: `${path}.ref`,
      form: 'full',
    },
    ...drafts,
  ];
}

/** A manager operates the environment in its parameters, wherever it runs. */
function environmentOf(
  { instance }: DiscoveryFacts,
  { namespace, parameters }: Readonly<Record<string, unknown>>,
): string | undefined {
  const declared = isJson(parameters) ? parameters['ENVIRONMENT_NAME'] : undefined;
  if (typeof declared === 'string') return declared;
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

function templateParameterTargets(
  { hashLength }: DiscoveryFacts,
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
        ...defined({ environment: given.environment }),
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

/** Upstreams whose images manager.yml declares. One without a repository is promoted from tag to tag. */
function managerFileUpstreams(snapshot: Snapshot): DraftUpstream[] {
  return (managerFileOf(snapshot)?.upstreams ?? []).map(({ url, image }) => ({
    name: repositoryName(url ?? image)
      .toLowerCase()
      .replaceAll(/[^\w-]+/g, '-')
      .replace(/^[_-]+/, ''),
    image,
    ...defined({ url }),
  }));
}

/** Where manager.yml holds the version of an upstream, or says which parameter of environments does. */
function managerFileTargets(facts: DiscoveryFacts, upstream: DraftUpstream): DraftTarget[] {
  const file = managerFileOf(facts.instance.snapshot);
  return (file?.upstreams ?? []).flatMap((entry, at) => {
    if (file === undefined || !isOf(entry, upstream)) return [];
    return entry.tagParameter === undefined
      ? ownTargets(facts, upstream, file, at)
      : environmentParameterTargets(facts, upstream, entry.tagParameter);
  });
}

function isOf({ url, image }: UpstreamImage, upstream: DraftUpstream): boolean {
  if (url === undefined || upstream.url === undefined) return url === upstream.url && image === upstream.image;
  return sameRepository(url, upstream.url);
}

function ownTargets(
  { hashLength }: DiscoveryFacts,
  upstream: DraftUpstream,
  file: ManagerFile,
  at: number,
): DraftTarget[] {
  const entry = file.upstreams[at];
  const key = entry?.tagRef === undefined ? 'tag' : 'tagRef';
  const form = formIn(entry?.[key], key, upstream, hashLength);
  if (entry === undefined || form === undefined) return [];
  const comment = 'the image that all environments run';
  const path = `upstreams[${selectorOf(entry, file, at)}].${key}`;
  return [
    { name: upstream.name, comment, upstream: upstream.name, file: `resources${MANAGER_RESOURCE}`, path, ...form },
  ];
}

/** A ref that is a branch is meant to move; a tag with a digest is neither form. */
function formIn(
  value: string | undefined,
  key: 'tag' | 'tagRef',
  { url }: DraftUpstream,
  hashLength: number,
): Pick<DraftTarget, 'form' | 'length'> | undefined {
  if (value === undefined || value.includes('@')) return undefined;
  if (key === 'tagRef') return /^[0-9a-f]{40}$/.test(value) ? { form: 'full' } : undefined;
  return (url === undefined ? undefined : formOf(value, hashLength)) ?? { form: 'tag' };
}

/** By what the entry alone has; else by its place. */
function selectorOf({ url, image }: UpstreamImage, { upstreams }: ManagerFile, at: number): string {
  if (url !== undefined) return `url=${url}`;
  return upstreams.filter((other) => other.image === image).length === 1 ? `image=${image}` : String(at);
}

function environmentParameterTargets(
  { instance, hashLength }: DiscoveryFacts,
  upstream: DraftUpstream,
  parameter: string,
): DraftTarget[] {
  const { datafiles } = instance.snapshot;
  return instance.environments
    .filter(({ file }) => datafiles.get(file)?.schema === ENVIRONMENT)
    .flatMap(({ name, parameters }): DraftTarget[] => {
      const value = parameters[parameter];
      const form = typeof value === 'string' ? formIn(value, 'tag', upstream, hashLength) : undefined;
      if (form === undefined || !/^[A-Za-z_$][\w$-]*$/.test(parameter)) return [];
      const comment = 'the image that the environment runs';
      const place = { schema: ENVIRONMENT, selector: { name }, path: `parameters.${parameter}` };
      return [
        { name: `${name}/${upstream.name}`, comment, environment: name, upstream: upstream.name, ...place, ...form },
      ];
    });
}
