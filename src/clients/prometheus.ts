import * as z from 'zod';
import { defined, EchelonError, Secrets } from '../base/index.ts';
import { type HttpClock, httpClient, type ProxyEnv, systemHttpClock } from './http/index.ts';
import {
  DEFAULT_TOKEN_URL,
  hostTokenFrom,
  type OAuthCredentials,
  OAuthFailure,
  type TokenSource,
  tokenSource,
} from './oauth.ts';

export interface PrometheusOptions {
  /** Of the instant query. */
  readonly url: string;
  readonly tokenUrl?: string;
  /** Called before each query, so that new ones are used; none are sent when absent. */
  readonly credentials?: () => Promise<OAuthCredentials>;
  /** Of the process: which proxy leads to these servers. */
  readonly env: ProxyEnv;
  readonly signal: AbortSignal;
  readonly clock?: HttpClock;
}

interface PrometheusSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

const TIMEOUT_MS = 30_000;

const ANSWER = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});

const REFUSAL = z.object({ status: z.literal('error'), error: z.string().min(1) });

/** Runs an instant query on a Prometheus behind OAuth; a signal ends only this query. */
export function prometheusQuery(
  options: PrometheusOptions,
): (expression: string, stop?: AbortSignal) => Promise<PrometheusSample[]> {
  const { url: address, env, signal, clock = systemHttpClock } = options;
  const http = httpClient({ readOnly: true, timeoutMs: TIMEOUT_MS, clock, env, signal });
  const tokens = tokensFor(options, clock);
  return async (expression, stop) => {
    const url = new URL(address);
    url.searchParams.set('query', expression);
    const source = await tokens.current();
    const token = source === undefined ? undefined : hostTokenFrom(source, url.origin);
    const { status, body } = await http.json({ url, ...defined({ token, signal: stop }) }).catch((thrown: unknown) => {
      if (!(thrown instanceof OAuthFailure)) throw thrown;
      tokens.forget();
      throw failed(address, thrown.message);
    });
    if (status !== 200) throw failed(address, `it returned ${status}${reasonIn(body, source)}`);
    const answer = ANSWER.safeParse(body);
    if (!answer.success) throw failed(address, 'the response is not that of a Prometheus');
    return answer.data.data.result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
  };
}

interface Tokens {
  current(): Promise<TokenSource | undefined>;
  /** After a refusal: a fixed token is not tried again by its source, but may be accepted later. */
  forget(): void;
}

/** Tokens are kept for as long as the credentials are the same. */
function tokensFor(options: PrometheusOptions, clock: HttpClock): Tokens {
  const { tokenUrl = DEFAULT_TOKEN_URL, env, signal } = options;
  let known: { readonly key: string; readonly source: TokenSource } | undefined;
  return {
    current: async () => {
      const credentials = await options.credentials?.();
      if (credentials === undefined) return undefined;
      const key = JSON.stringify(credentials);
      if (known?.key !== key) {
        const how = { random: Math.random, timeoutMs: TIMEOUT_MS, onAttempt: () => {} };
        known = { key, source: tokenSource({ credentials, tokenUrl, clock, env, signal, ...how }) };
      }
      return known.source;
    },
    forget: () => {
      known = undefined;
    },
  };
}

const LONGEST_REASON = 300;

/** Why a Prometheus refuses a query, such as an error in it. */
function reasonIn(body: unknown, tokens: Pick<TokenSource, 'quote'> = new Secrets()): string {
  const said = REFUSAL.safeParse(body);
  return said.success ? `: ${tokens.quote(said.data.error, { longest: LONGEST_REASON })}` : '';
}

function failed(url: string, why: string): EchelonError {
  return new EchelonError({
    code: 'TELEMETRY_FAILED',
    message: `${url}: ${why}`,
    hint: 'check the telemetry URL, its credentials and the query',
  });
}
