import { didYouMean, EchelonError } from '../../base/index.ts';
import { environmentNames } from '../../instance/index.ts';
import { errorsIn, type OperatedFleet } from './operated-fleet.ts';

/** A name that selects a part of the fleet, and that nothing in the instance has. */
interface UnknownName {
  readonly what: 'namespace' | 'upstream' | 'environment';
  readonly name: string;
  readonly known: readonly string[];
}

/**
 * Refuses mistyped namespaces, upstreams and environments of refs: they select nothing, which must not pass for "nothing to do". A name that the
 * instance has no more may still have objects, which a manager removes. With errors in the instance it is not known which names
 * it has; they are reported instead.
 */
export function requireKnownNames(fleet: OperatedFleet, isLive: (name: UnknownName) => boolean = () => false): void {
  const unknown = errorsIn(fleet).length > 0 ? [] : unknownNames(fleet);
  for (const one of unknown.filter((name) => !isLive(name))) {
    const { what, name, known } = one;
    throw new EchelonError({
      code: `${what.toUpperCase()}_UNKNOWN`,
      message: what === 'upstream' ? `no integration has the upstream ${name}` : `no ${what} ${name} in this instance`,
      hint: didYouMean(name, known, known.length === 0 ? NONE[what] : `use one of: ${some(known)}`),
    });
  }
}

const NONE = {
  namespace: 'omit --namespace: this instance has none',
  upstream: 'omit --upstream: no integration of this instance has one',
  environment: 'omit --image-tag-from-ref: this instance has no environment',
} as const;

function unknownNames({ instance, settings: { namespaces = [], scope, file, images } }: OperatedFleet): UnknownName[] {
  const all = {
    namespace: instance.namespaces.map(({ name }) => name),
    environment: environmentNames(instance),
    upstream: [
      ...instance.integrations.map(({ upstream }) => upstream),
      ...(file?.upstreams ?? []).map(({ url }) => url),
    ],
  };
  // What is not ENVIRONMENT=REF is refused where it is used.
  const environments = images.tagsFromRefs.flatMap((text) => /^([^=]+)=[^=]+$/.exec(text)?.[1] ?? []);
  const names = [
    ...environments.map((name) => ({ what: 'environment' as const, name })),
    ...namespaces.map((name) => ({ what: 'namespace' as const, name })),
    ...(scope.upstream === undefined ? [] : [{ what: 'upstream' as const, name: scope.upstream }]),
  ];
  return names.flatMap(({ what, name }) => {
    const known = [...new Set(all[what].flatMap((one) => one ?? []))];
    return known.includes(name) ? [] : [{ what, name, known }];
  });
}

const MOST_NAMES = 5;

function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
