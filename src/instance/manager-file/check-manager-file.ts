import { didYouMean, suggestions } from '../../base/index.ts';
import type { Integration } from '../domain/integration.ts';
import { environmentNames, type Instance } from '../domain/read-instance.ts';
import type { Finding, Problem } from '../problem.ts';
import { locateFindings, problemsIn } from '../snapshot.ts';
import {
  DEFAULT_IMAGE,
  DEFAULT_UPSTREAM,
  declaredTag,
  MANAGER_RESOURCE,
  type ManagerFile,
  type UpstreamImage,
  upstreamImage,
} from './manager-file.ts';
import { readManagerFile } from './read-manager-file.ts';

type Found = Omit<Finding, 'path'>;

/** Finds the problems of an instance's manager.yml, for validation; none where there is no file. */
export function managerFileCheck(instance: Instance): readonly Problem[] {
  const content = instance.snapshot.own.get(MANAGER_RESOURCE);
  if (content === undefined) return [];
  const { file, problems } = readManagerFile(content);
  if (file === undefined) return problems;
  const findings = [
    ...defaultFindings(file, instance),
    ...file.upstreams.flatMap((entry, at) => entryFindings(entry, at, instance)),
  ];
  return [
    ...problemsIn(`resources${MANAGER_RESOURCE}`, content, findings),
    ...locateFindings(instance.snapshot, foreignImages(file, instance.integrations)),
  ];
}

function defaultFindings({ defaults: { environment, upstream }, upstreams }: ManagerFile, instance: Instance): Found[] {
  const unknown = (what: 'environment' | 'upstream', name: string | undefined, known: readonly string[]): Found[] => {
    if (name === undefined || known.includes(name)) return [];
    const hint = didYouMean(name, known, `use one of this instance, or remove it`);
    return [found(`unknown-${what}`, 'error', ['defaults', what], `no ${what} ${name} in this instance`, hint)];
  };
  const urls = [...upstreams.flatMap(({ url }) => url ?? []), ...upstreamsOf(instance)];
  return [
    ...unknown('environment', environment, environmentNames(instance)),
    ...unknown('upstream', upstream, [...new Set(urls)]),
  ];
}

function entryFindings(entry: UpstreamImage, at: number, { integrations }: Instance): Found[] {
  const own = integrations.filter(({ upstream }) => upstream === entry.url);
  if (own.length === 0) {
    const message = entry.url === undefined ? 'every integration has an upstream' : `no integration of ${entry.url}`;
    const known = new Set(integrations.flatMap(({ upstream }) => upstream ?? []));
    const hint = didYouMean(entry.url ?? '', known, 'remove the entry, or add its integrations');
    const keys = entry.url === undefined ? ['upstreams', at] : ['upstreams', at, 'url'];
    return [found('unused-upstream', 'warning', keys, message, hint)];
  }
  return tagFindings(entry, at, own);
}

/** Every environment that runs an integration of the upstream needs the parameter. */
function tagFindings(entry: UpstreamImage, at: number, own: readonly Integration[]): Found[] {
  const { tagParameter } = entry;
  if (tagParameter === undefined) return [];
  const environments = new Map(
    own.flatMap(({ managed }) =>
      managed.map(({ namespace: { environment } }) => [environment.name, environment] as const),
    ),
  );
  return [...environments.values()]
    .filter((environment) => declaredTag(entry, environment) === undefined)
    .map(({ name, parameters }) => {
      const message = `environment ${name} has no parameter ${tagParameter}`;
      const hint = didYouMean(tagParameter, Object.keys(parameters), `add it to the parameters of ${name}`);
      return found('unknown-parameter', 'error', ['upstreams', at, 'tagParameter'], message, hint);
    });
}

/**
 * Integrations whose image nobody declares: they would run that of another upstream. Those of the default upstream, and those
 * without one, run the default image as ever.
 */
export function foreignImages(file: ManagerFile | undefined, integrations: readonly Integration[]): Finding[] {
  const suggest = suggestions();
  const known = new Set(file?.upstreams.flatMap(({ url }) => url ?? []));
  return integrations.flatMap(({ file: path, upstream, managed }): Finding[] => {
    if (upstream === undefined || upstream === DEFAULT_UPSTREAM || managed.length === 0) return [];
    if (upstreamImage(file, upstream) !== undefined) return [];
    const message = `no image is declared for the upstream ${upstream}: it would run ${DEFAULT_IMAGE}`;
    const hint = suggest(upstream, known, `declare it in resources${MANAGER_RESOURCE}, or pass --image`);
    return [{ ...found('foreign-image', 'warning', ['upstream'], message, hint), path }];
  });
}

function upstreamsOf({ integrations }: Instance): string[] {
  return integrations.flatMap(({ upstream }) => upstream ?? []);
}

function found(
  rule: string,
  severity: Finding['severity'],
  keys: Finding['keys'],
  message: string,
  hint: string,
): Found {
  return { rule, severity, keys, message, hint };
}
