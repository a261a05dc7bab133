import { byText, defined, isJson } from '../../base/index.ts';
import type { Instance } from '../../instance/index.ts';
import { type Node, parseSelectorPath, walkData } from '../targets/selector-path.ts';
import { type DraftTarget, type DraftUpstream, type Facts, formOf } from './draft.ts';
import { knownKeys, repositoryName, sameRepository } from './known-keys.ts';
import { literals } from './literals.ts';
import { managerFileTargets, managerFileUpstreams } from './manager-file-places.ts';
import { saasTargets } from './saas-places.ts';
import { unlessLink } from './unless-link.ts';

export interface Discovered {
  /** The reconciler first. */
  readonly upstreams: readonly DraftUpstream[];
  readonly targets: readonly DraftTarget[];
}

const ENVIRONMENT = '/app-sre/environment-1.yml';
const MOST_ALIKE = 50;
const DEFAULT_HASH_LENGTH = 7;

/** Every place in an instance that is known to hold a version of an upstream, in a stable order. */
export function discover(instance: Instance, read: (file: string) => Uint8Array | undefined): Discovered {
  const upstreams = upstreamsOf(instance);
  const facts: Facts = { instance, read, hashLength: instance.settings?.hashLength ?? DEFAULT_HASH_LENGTH };
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

function envTargets({ instance, hashLength }: Facts, upstream: DraftUpstream): DraftTarget[] {
  return knownKeys(upstream).flatMap((key): DraftTarget[] => {
    const form = formOf(instance.snapshot.env.get(key), hashLength);
    const comment = 'the version that PR checks run with';
    return form === undefined
      ? []
      : [{ name: `${upstream.name}-checks`, comment, upstream: upstream.name, file: '.env', key, ...form }];
  });
}

/** Keys with a version in resource files, which have no schema. */
function resourceTargets({ instance, read, hashLength }: Facts, upstream: DraftUpstream): DraftTarget[] {
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

function tektonTargets({ instance, hashLength }: Facts, upstream: DraftUpstream): DraftTarget[] {
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

function environmentTargets({ instance }: Facts, upstream: DraftUpstream): DraftTarget[] {
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
