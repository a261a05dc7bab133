import { defined } from '../../base/index.ts';
import {
  MANAGER_RESOURCE,
  type ManagerFile,
  managerFileOf,
  type Snapshot,
  type UpstreamImage,
} from '../../instance/index.ts';
import { type DraftTarget, type DraftUpstream, type Facts, formOf } from './draft.ts';
import { repositoryName, sameRepository } from './known-keys.ts';

const ENVIRONMENT = '/app-sre/environment-1.yml';

/** Upstreams whose images manager.yml declares. One without a repository is promoted from tag to tag. */
export function managerFileUpstreams(snapshot: Snapshot): DraftUpstream[] {
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
export function managerFileTargets(facts: Facts, upstream: DraftUpstream): DraftTarget[] {
  const file = managerFileOf(facts.instance.snapshot);
  return (file?.upstreams ?? []).flatMap((entry, at) => {
    if (file === undefined || !isOf(entry, upstream)) return [];
    return entry.tagParameter === undefined
      ? ownTargets(facts, upstream, file, at)
      : parameterTargets(facts, upstream, entry.tagParameter);
  });
}

function isOf({ url, image }: UpstreamImage, upstream: DraftUpstream): boolean {
  if (url === undefined || upstream.url === undefined) return url === upstream.url && image === upstream.image;
  return sameRepository(url, upstream.url);
}

function ownTargets({ hashLength }: Facts, upstream: DraftUpstream, file: ManagerFile, at: number): DraftTarget[] {
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

function parameterTargets({ instance, hashLength }: Facts, upstream: DraftUpstream, parameter: string): DraftTarget[] {
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
