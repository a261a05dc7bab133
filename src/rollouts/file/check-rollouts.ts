import { count, imageRefParts, namesMatching, suggestions } from '../../base/index.ts';
import { type Finding, type Problem, problemsIn } from '../../instance/index.ts';
import type { ScopeFacts, ShardFacts } from '../facts.ts';
import { unknownName } from './read-rollouts.ts';
import type { Match, RolloutFile, Track } from './rollout-file.ts';
import { namesOf, wavesOf } from './waves.ts';

/** What an instance declares in one environment and upstream. */
export interface DeclaredScope extends Pick<ScopeFacts, 'environment' | 'upstream'> {
  /** The tag of the target, with its digest if it has one; absent where it is not known. */
  readonly version?: string;
  readonly shards: readonly Pick<ShardFacts, 'id' | 'integration' | 'shard' | 'parent'>[];
}

export interface DeclaredNames {
  readonly environments: readonly string[];
  readonly integrations: readonly string[];
  readonly scopes: readonly DeclaredScope[];
}

type Found = Omit<Finding, 'path'>;

/** Checks a file against the instance: names that nothing has, waves and tracks without shards, targets that move (F3). */
export function checkRollouts(file: RolloutFile, content: string, name: string, declared: DeclaredNames): Problem[] {
  const taken = new Set<string>();
  const findings = [
    ...file.tracks.flatMap((track, at) => [
      ...unknownNames(track.match, ['tracks', at, 'match'], declared),
      ...trackFindings(track, at, reached(track, declared.scopes, taken)),
    ]),
    ...file.freezes.flatMap(({ match }, at) => unknownNames(match, ['freezes', at, 'match'], declared)),
  ];
  return problemsIn(name, content, findings);
}

/** Every pattern must match a name. */
function unknownNames(match: Match, keys: Finding['keys'], { environments, integrations }: DeclaredNames): Found[] {
  const suggest = suggestions();
  const check = (what: string, key: keyof Match, known: readonly string[]): Found[] =>
    (match[key] ?? []).flatMap((pattern, at) => {
      if (known.some(namesMatching([pattern]))) return [];
      return unknownName(what, pattern, new Set(known), { keys: [...keys, key, at], suggest });
    });
  return [...check('environment', 'environments', environments), ...check('integration', 'integrations', integrations)];
}

/** The shards of a track in each scope; those of an earlier track are not its own. */
function reached({ match }: Track, scopes: readonly DeclaredScope[], taken: Set<string>): DeclaredScope[] {
  const [inEnvironment, inTrack] = [namesMatching(match.environments), namesMatching(match.integrations)];
  return scopes.flatMap((scope) => {
    if (!inEnvironment(scope.environment)) return [];
    const key = (id: string): string => JSON.stringify([scope.environment, scope.upstream, id]);
    const shards = scope.shards.filter(({ id, integration }) => inTrack(integration) && !taken.has(key(id)));
    for (const { id } of shards) taken.add(key(id));
    return shards.length === 0 ? [] : [{ ...scope, shards }];
  });
}

function trackFindings(track: Track, at: number, scopes: readonly DeclaredScope[]): Found[] {
  if (scopes.length === 0) {
    const hint = 'widen match, or move the track before the one that has its shards';
    return [found('no-shards', ['tracks', at, 'match'], `no shard reaches the track ${track.name}`, hint)];
  }
  return [
    ...listedFindings(track, at, scopes),
    ...scopes.flatMap((scope) => [...waveFindings(track, at, scope), ...targetFindings(at, scope)]),
  ];
}

/** A name in a wave must be that of a shard in one of the scopes. */
function listedFindings({ waves }: Track, at: number, scopes: readonly DeclaredScope[]): Found[] {
  const known = new Set(scopes.flatMap(({ shards }) => shards.flatMap(namesOf)));
  const suggest = suggestions();
  return waves.flatMap(({ shards: listed = [] }, wave) =>
    listed.flatMap((name, place) =>
      unknownName('shard', name, known, { keys: ['tracks', at, 'waves', wave, 'shards', place], suggest }),
    ),
  );
}

/** A wave without a shard stays closed, and with it all that follow; a shard of no wave never moves. */
function waveFindings(track: Track, at: number, { environment, shards }: DeclaredScope): Found[] {
  const waves = wavesOf(track, shards);
  const empty = waves.flatMap((members, wave): Found[] => {
    if (members.length > 0) return [];
    const message = `wave ${track.waves[wave]?.name} selects no shard in ${environment}`;
    const isLast = wave === waves.length - 1;
    const hint = isLast ? 'remove it' : 'name shards of this environment: later waves never open';
    return [
      { ...found('empty-wave', ['tracks', at, 'waves', wave], message, hint), severity: isLast ? 'warning' : 'error' },
    ];
  });
  const left = shards.length - waves.reduce((sum, members) => sum + members.length, 0);
  const hint = 'end with a wave that has neither shards nor percent';
  const message = `no wave selects ${count(left, 'shard')} of the track ${track.name} in ${environment}`;
  return left === 0 ? empty : [...empty, found('no-wave', ['tracks', at, 'waves'], message, hint)];
}

/** A tag such as `latest` means another image tomorrow, which no wave would see. */
function targetFindings(at: number, { environment, version }: DeclaredScope): Found[] {
  const { tag, digest } = imageRefParts(version ?? '');
  if (version === undefined || digest !== undefined || /^[0-9a-f]{7,40}$/.test(tag)) return [];
  const message = `${environment} declares the tag ${tag}, which is neither a commit nor has a digest`;
  return [
    {
      ...found('moving-target', ['tracks', at, 'match'], message, 'declare a commit or add the digest'),
      severity: 'warning',
    },
  ];
}

function found(rule: string, keys: Finding['keys'], message: string, hint: string): Found {
  return { rule, severity: 'error', keys, message, hint };
}
