import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { defined, EchelonError } from '../../../base/index.ts';
import { isInCluster } from '../../../clients/kube/index.ts';
import { prometheusQuery } from '../../../clients/prometheus.ts';
import { openStore } from '../../../clients/state/index.ts';
import { instantOf, MICROS } from '../../../gates/index.ts';
import type { ManagerFile } from '../../../instance/index.ts';
import { defaultRecordPlace, givenRecordPlace, operatedScope, type RolloutPorts } from '../../../manager/index.ts';
import { type RecordedScope, recordedScope, recordKey, rolloutRecords } from '../../../rollouts/index.ts';
import type { FlagsOf } from '../../command.ts';
import type { Context } from '../../context.ts';
import { readFile, rolloutsText } from '../../instance.ts';
import type { ROLLOUTS, SCOPE } from '../../options.ts';

export type RolloutFlags = Partial<FlagsOf<typeof ROLLOUTS> & FlagsOf<typeof SCOPE>> & {
  /** Seconds between two passes of the manager. */
  readonly poll?: number;
};

/** How often a manager looks at a fleet unless it is told otherwise. */
const DEFAULT_PERIOD_SECONDS = 60;

interface RolloutOptions {
  /** Whether shards may be moved: by the holder of the lease. */
  readonly mayMove: () => boolean;
  readonly periodSeconds?: number | undefined;
}

/** Rollouts with the record and the Prometheus of the flags. */
export function rolloutPorts(
  ctx: Context,
  flags: RolloutFlags,
  { mayMove, periodSeconds }: RolloutOptions,
): RolloutPorts {
  const given = givenRecordPlace(flags.rolloutRecord, ctx);
  const place = given ?? defaultRecordPlace({ ...ctx, home: homedir(), isInCluster: isInCluster(ctx.env) });
  let key = recordKey(operatedScope(flags, ctx.env));
  return {
    records: rolloutRecords(openStore(ctx, place), () => key),
    useScope: (scope) => {
      key = recordKey(scope);
    },
    isRequired: given !== undefined || flags.rollouts !== undefined,
    now: () => instantOf(ctx.clock.now().getTime()),
    period: (periodSeconds ?? flags.poll ?? DEFAULT_PERIOD_SECONDS) * MICROS.second,
    mayMove,
    ...defined({ file: fileOf(ctx, flags.rollouts), query: queryOf(ctx, flags) }),
  };
}

/** The records of a place that is given, for those who only forecast. */
export function recordedScopes(ctx: Context, flags: Pick<RolloutFlags, 'rolloutRecord'>): RecordedScope | undefined {
  const given = givenRecordPlace(flags.rolloutRecord, ctx);
  return given === undefined ? undefined : recordedScope(openStore(ctx, given));
}

/** The record of the manager that these flags and the defaults of a manager.yml describe. */
export function recordsOf(ctx: Context, flags: RolloutFlags, file: ManagerFile | undefined): RolloutPorts['records'] {
  const { records, useScope } = rolloutPorts(ctx, flags, { mayMove: () => false });
  useScope?.(operatedScope(flags, ctx.env, file));
  return records;
}

function fileOf(ctx: Context, name: string | undefined): RolloutPorts['file'] {
  if (name === undefined) return undefined;
  return async () => ({ ...rolloutsText(ctx, name), name });
}

function queryOf(ctx: Context, { prometheus, prometheusTokenFile }: RolloutFlags): RolloutPorts['query'] {
  const address = prometheus ?? (ctx.env['ECHELON_PROMETHEUS'] || undefined);
  if (address === undefined) return undefined;
  if (!URL.canParse(address)) {
    const hint = 'use the address of a Prometheus, such as https://prometheus.example.com';
    throw new EchelonError({ code: 'FLAG_INVALID', message: `--prometheus ${address} is not a URL`, hint });
  }
  const url = new URL('api/v1/query', address.endsWith('/') ? address : `${address}/`).href;
  const tokenFile = prometheusTokenFile ?? (ctx.env['ECHELON_PROMETHEUS_TOKEN_FILE'] || undefined);
  const credentials =
    tokenFile === undefined
      ? undefined
      : async () => ({ kind: 'access-token' as const, token: tokenIn(ctx, tokenFile) });
  const query = prometheusQuery({ url, env: ctx.env, signal: ctx.signal, ...defined({ credentials }) });
  return async (promql, stop) => (await query(promql, stop)).map(({ value }) => value);
}

/** Read for every query: tokens are renewed in their file. */
function tokenIn(ctx: Context, file: string): string {
  try {
    const token = readFile(resolve(ctx.cwd, file)).trim();
    ctx.onSecret?.(token);
    return token;
  } catch (thrown) {
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: `cannot read the token of the Prometheus, ${file}: ${(thrown as NodeJS.ErrnoException).code}`,
      hint: 'check --prometheus-token-file',
      cause: thrown,
    });
  }
}
