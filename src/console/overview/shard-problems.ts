import { count, defined } from '../../base/index.ts';
import { type Instant, instantOf, MICROS, parseInstant } from '../../gates/index.ts';
import { filteredHref } from '../query.ts';
import { integrationOf } from '../shards/shards.ts';
import type { ConsolePin, ConsoleShard, ShardsData } from '../state.ts';
import { type FleetProblem, faultProblem } from './fleet-problem.ts';

/** A pin that is older keeps a shard from every fix since. */
const OLD_PIN_DAYS = 14;

/** What Kubernetes says of a container that does not come up by itself. */
const CRASH =
  /^(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainer\w*Error|RunContainerError|Error|OOMKilled)$/;

/** Clusters that cannot be observed with the number of shards that are unknown; shards that crash, lag or are missing; errors. */
export function shardProblems({ shards, faults, errors }: ShardsData): FleetProblem[] {
  const unknown = Map.groupBy(
    shards.filter(({ state }) => state === 'unknown'),
    ({ reason }) => reason ?? '',
  );
  return [
    ...faults.map((fault) => withUnknown(faultProblem('shards', fault), unknown.get(fault.message) ?? [])),
    ...(errors === 0 ? [] : [invalid(errors)]),
    ...unsettled(shards),
  ];
}

function withUnknown(problem: FleetProblem, shards: readonly ConsoleShard[]): FleetProblem {
  const [first] = shards;
  if (first === undefined) return problem;
  const { cluster } = first;
  return {
    ...problem,
    where: cluster,
    message: `${count(shards.length, 'shard')} unknown: ${problem.message}`,
    href: `${filteredHref('/shards', 'state', 'unknown')}&${new URLSearchParams({ cluster })}`,
  };
}

function invalid(errors: number): FleetProblem {
  return {
    id: 'instance',
    where: 'instance',
    message: `${count(errors, 'error')} in the instance`,
    hint: 'run echelon validate',
    severity: 'error',
  };
}

type Trouble = 'crashing' | 'missing' | 'lagging' | 'unexpected';

const TROUBLES: Readonly<Record<Trouble, Pick<FleetProblem, 'hint' | 'severity'> & { readonly state: string }>> = {
  crashing: { state: 'lagging', severity: 'error', hint: 'read the logs of the shards' },
  missing: { state: 'missing', severity: 'error', hint: 'check the log of the manager' },
  lagging: { state: 'lagging', severity: 'warning', hint: 'if it lasts, check the pods and the log of the manager' },
  unexpected: { state: 'unexpected', severity: 'warning', hint: 'check the log of the manager' },
};

function troubleOf({ state, reason }: ConsoleShard): Trouble | undefined {
  if (state === 'lagging') return CRASH.test(reason ?? '') ? 'crashing' : 'lagging';
  return state === 'missing' || state === 'unexpected' ? state : undefined;
}

/** One problem for all shards of an integration that have the same. */
function unsettled(shards: readonly ConsoleShard[]): FleetProblem[] {
  const troubled = shards.flatMap((shard) => {
    const trouble = troubleOf(shard);
    return trouble === undefined ? [] : [{ trouble, shard, integration: integrationOf(shard) }];
  });
  const groups = Map.groupBy(troubled, ({ trouble, integration }) => JSON.stringify([trouble, integration]));
  return [...groups].map(([id, own]): FleetProblem => {
    const [{ trouble, shard, integration }] = own as [(typeof own)[number]];
    const { state, severity, hint } = TROUBLES[trouble];
    const since = sinceOf(own.map((one) => one.shard));
    const reason = shard.reason === undefined ? '' : `: ${shard.shard ?? shard.name}: ${shard.reason}`;
    return {
      ...{ id: `shards ${id}`, where: integration, severity, hint },
      message: `${count(own.length, 'shard')} ${trouble}${reason}`,
      href: `${filteredHref('/shards', 'state', state)}&${new URLSearchParams({ integration })}`,
      ...defined({ since }),
    };
  });
}

/** The first that is known. */
function sinceOf(shards: readonly ConsoleShard[]): Instant | undefined {
  const known = shards.flatMap(({ since }) => (since === undefined ? [] : (parseInstant(since) ?? [])));
  return known.sort((a, b) => a - b)[0];
}

/** Pins that are old, or past their date. */
export function pinProblems({ pins }: ShardsData, asOf: Instant): FleetProblem[] {
  return pins.flatMap((pin) => {
    const isOld = pin.since !== undefined && asOf - instantOf(pin.since.getTime()) > OLD_PIN_DAYS * MICROS.day;
    return isOld || pin.expired ? [pinProblem(pin)] : [];
  });
}

function pinProblem({ pin, since, expired }: ConsolePin): FleetProblem {
  const { integration, shard, imageRef, reason, until } = pin;
  const why = reason === undefined ? ', without a reason' : `: ${reason}`;
  return {
    id: `pin ${integration}/${shard} ${pin.cluster}/${pin.namespace} ${imageRef}`,
    where: `${integration}/${shard}`,
    message: `pinned to ${imageRef}${expired ? ` until ${until}, which is over` : ''}${why}`,
    hint: `remove it with echelon unpin, or give it a later date`,
    severity: 'warning',
    href: `/shards?${new URLSearchParams({ integration, q: shard })}`,
    ...(since === undefined ? {} : { since: instantOf(since.getTime()) }),
  };
}
