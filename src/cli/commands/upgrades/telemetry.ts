import * as z from 'zod';
import { EchelonError } from '../../../base/index.ts';
import { httpClient } from '../../../clients/http/index.ts';
import { DEFAULT_TOKEN_URL, type OcmCredentials } from '../../../clients/ocm/index.ts';
import type { HealthProvider } from '../../../upgrades/index.ts';

export interface TelemetryOptions {
  /** Of the instant query of a Prometheus. */
  readonly url: string;
  readonly tokenUrl?: string;
  readonly credentials: () => Promise<OcmCredentials>;
  /** `{organization}` stands for the id of the organization. Samples have the UUID of the cluster as `_id`. */
  readonly query?: string;
  readonly signal: AbortSignal;
}

const QUERY =
  'count by (_id) (alerts{alertstate="firing",severity="critical"} and on (_id) ocm_subscription{organization_id="{organization}"})';
const TIMEOUT_MS = 30_000;
const RENEW_BEFORE_MS = 60_000;
const ASSUMED_LIFETIME_S = 300;

const ANSWER = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.object({ _id: z.string() }), value: z.tuple([z.number(), z.string()]) })),
  }),
});
const TOKEN = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().exactOptional() });

/** Clusters with a critical alert, as a Prometheus that knows all clusters says. */
export function telemetry(options: TelemetryOptions): HealthProvider {
  const token = tokens(options);
  return {
    unhealthy: async ({ orgId }) => {
      const url = new URL(options.url);
      url.searchParams.set('query', (options.query ?? QUERY).replaceAll('{organization}', orgId));
      const headers = { authorization: `Bearer ${await token()}` };
      const { status, body } = await httpClient({ timeoutMs: TIMEOUT_MS, signal: options.signal }).json({
        url,
        headers,
      });
      if (status !== 200) throw failed(options.url, `it answered ${status}`);
      const answer = ANSWER.safeParse(body);
      if (!answer.success) throw failed(options.url, 'it did not answer as a Prometheus does');
      const firing = answer.data.data.result.filter(({ value: [, count] }) => Number(count) > 0);
      return new Map(
        firing.map(({ metric, value: [, count] }) => [metric._id, `critical alerts are firing: ${count}`]),
      );
    },
  };
}

/** One at a time; renewed before it expires. */
function tokens({ credentials, tokenUrl = DEFAULT_TOKEN_URL, signal }: TelemetryOptions): () => Promise<string> {
  let current: { readonly value: string; readonly until: number } | undefined;
  return async () => {
    const given = await credentials();
    if (given.kind === 'access-token') return given.token;
    if (current !== undefined && performance.now() < current.until) return current.value;
    const form = formOf(given);
    const { status, body } = await httpClient({ timeoutMs: TIMEOUT_MS, signal }).json({
      ...{ url: tokenUrl, method: 'POST', body: { form } },
      retry: { attempts: 3, when: 'any-failure' },
    });
    const answer = TOKEN.safeParse(body);
    if (status !== 200 || !answer.success) throw failed(tokenUrl, `it gave no token, but ${status}`);
    const { access_token: value, expires_in: seconds = ASSUMED_LIFETIME_S } = answer.data;
    current = { value, until: performance.now() + seconds * 1000 - RENEW_BEFORE_MS };
    return value;
  };
}

function formOf(given: Exclude<OcmCredentials, { kind: 'access-token' }>): Record<string, string> {
  if (given.kind === 'refresh-token') {
    return { grant_type: 'refresh_token', refresh_token: given.token, client_id: given.clientId ?? 'cloud-services' };
  }
  return { grant_type: 'client_credentials', client_id: given.clientId, client_secret: given.clientSecret };
}

function failed(url: string, why: string): EchelonError {
  return new EchelonError({
    code: 'TELEMETRY_FAILED',
    message: `${url}: ${why}`,
    hint: 'check the address of telemetry and its credentials',
  });
}
