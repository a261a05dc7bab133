import { EchelonError, isImageDigest, isImageTag } from '../base/index.ts';
import {
  fixedHostToken,
  type HttpClient,
  HttpFailure,
  type HttpRequest,
  type HttpText,
  httpClient,
  type ProxyEnv,
  systemHttpClock,
} from './http/index.ts';

interface ImageQuestion {
  /** `quay.io/app-sre/qontract-reconcile`; `http://` before it for a registry without TLS. */
  readonly image: string;
  readonly tag: string;
  /** Polls until then; once when absent. */
  readonly waitSeconds?: number;
  /** Of the process: which proxy leads to the registry. */
  readonly env: ProxyEnv;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const ASK_EVERY_MS = 10_000;
const MAX_TOKEN_BYTES = 64 * 1024;
const MAX_REDIRECTS = 5;
const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const HEAD = { method: 'HEAD', headers: { accept: ACCEPT } } as const;

/** The digest of an image that the registry has; an error when it has not, or not in time. */
export async function imageDigest(question: ImageQuestion, everyMs: number = ASK_EVERY_MS): Promise<string> {
  const end = performance.now() + (question.waitSeconds ?? 0) * 1000;
  for (;;) {
    const answer = await askPatiently(question);
    if (typeof answer === 'string') return answer;
    if (performance.now() + everyMs > end) throw answer;
    await systemHttpClock.sleep(everyMs, question.signal);
  }
}

/** The digest, or what to say when there is no time left to ask again. What will not pass by itself is thrown at once. */
async function askPatiently(question: ImageQuestion): Promise<string | EchelonError> {
  try {
    return (await askOnce(question)) ?? missing(question);
  } catch (thrown) {
    const passes = thrown instanceof EchelonError && ['REGISTRY_UNREACHABLE', 'REGISTRY_BUSY'].includes(thrown.code);
    if (!passes || question.signal.aborted) throw thrown;
    return thrown;
  }
}

async function askOnce(question: ImageQuestion): Promise<string | undefined> {
  const url = manifestUrl(question);
  const http = clientFor(question);
  const first = await request(http, url, HEAD);
  const challenge = first.headers.get('www-authenticate');
  const answer = first.status === 401 && challenge !== null ? await withToken(http, url, challenge) : first;
  if (answer.status === 404) return undefined;
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (answer.status === 200 && isImageDigest(digest)) return digest;
  const busy = answer.status === 429 || answer.status >= 500;
  throw new EchelonError({
    code: busy ? 'REGISTRY_BUSY' : 'REGISTRY_REFUSED',
    message:
      answer.status === 200
        ? `${url.host} returned no digest for ${question.image}:${question.tag}`
        : `${url.host} answered ${answer.status} about ${question.image}:${question.tag}`,
    hint: busy
      ? 'try again later, or wait for it with --wait 10m'
      : 'check the image repository with --image; only public images can be checked',
  });
}

function manifestUrl({ image, tag }: ImageQuestion): URL {
  const found = /^(https?:\/\/)?([^/]+)\/([a-z0-9._/-]+)$/.exec(image);
  if (found === null || !isImageTag(tag)) {
    throw new EchelonError({
      code: 'FLAG_INVALID',
      message: `${image}:${tag} is not a valid image`,
      hint: 'use an image repository such as quay.io/owner/name',
    });
  }
  const [, scheme = 'https://', host = '', path = ''] = found;
  return new URL(`${scheme}${host}/v2/${path}/manifests/${tag}`);
}

function clientFor({ env, signal }: ImageQuestion): HttpClient {
  const redirects = { most: MAX_REDIRECTS, to: 'anywhere' } as const;
  return httpClient({ readOnly: true, timeoutMs: TIMEOUT_MS, maxBytes: MAX_TOKEN_BYTES, redirects, env, signal });
}

/** Requested once: a caller that waits requests it again. */
async function request(http: HttpClient, url: URL, how: Omit<HttpRequest, 'url'>): Promise<HttpText> {
  try {
    return await http.text({ ...how, url, retry: { attempts: 1, when: 'never' } });
  } catch (thrown) {
    if (!(thrown instanceof HttpFailure) || thrown.fault === undefined) throw thrown;
    throw new EchelonError({
      code: 'REGISTRY_UNREACHABLE',
      message: `the registry ${url.host} did not respond: ${thrown.fault.text}`,
      hint: 'check the network, or omit --check-image and pass the digest with --digest',
    });
  }
}

/** The way of anonymous pulls: the registry names who gives tokens, that one gives one, the question is asked again. */
async function withToken(http: HttpClient, url: URL, challenge: string): Promise<HttpText> {
  const fields = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]));
  const realm = fields.get('realm') ?? '';
  if (!/^Bearer /i.test(challenge) || !URL.canParse(realm) || !isAllowed(new URL(realm), url)) throw odd(url);
  const asked = new URL(realm);
  for (const key of ['service', 'scope']) if (fields.has(key)) asked.searchParams.set(key, fields.get(key) ?? '');
  const authorization = `Bearer ${tokenIn((await request(http, asked, {})).text) ?? raise(odd(url))}`;
  return request(http, url, { ...HEAD, token: fixedHostToken(url.origin, { authorization }) });
}

/** A token asked for over TLS does not go over a plain line. */
function isAllowed(realm: URL, registry: URL): boolean {
  return realm.protocol === 'https:' || registry.protocol === 'http:';
}

function tokenIn(body: string): string | undefined {
  try {
    const { token, access_token: other } = JSON.parse(body) as { token?: unknown; access_token?: unknown };
    const found = token ?? other;
    return typeof found === 'string' && found !== '' ? found : undefined;
  } catch {
    return undefined;
  }
}

function raise(error: EchelonError): never {
  throw error;
}

function odd(url: URL): EchelonError {
  return new EchelonError({
    code: 'REGISTRY_REFUSED',
    message: `${url.host} issues no token for anonymous pulls`,
    hint: 'only public images can be checked',
  });
}

function missing({ image, tag, waitSeconds }: ImageQuestion): EchelonError {
  const waited = waitSeconds === undefined ? '' : ` after ${waitSeconds} s`;
  return new EchelonError({
    code: 'IMAGE_MISSING',
    message: `the registry has no image ${image}:${tag}${waited}. Nothing is promoted`,
    hint: waitSeconds === undefined ? 'wait for the build, such as with --wait 10m' : 'check the build of the image',
  });
}
