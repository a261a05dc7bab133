import type { Readable } from 'node:stream';
import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import { defined, EchelonError, messageOf, Secrets, type StateStore } from '../../base/index.ts';
import { CONNECT_MS, connectionsTo, environmentAgent, NOT_CONNECTED, type ProxyEnv, proxyFor } from '../http/index.ts';
import { checkKey, checkSize, type StateErrorCode, stateError } from './state-error.ts';

export interface S3StoreOptions {
  readonly bucket: string;
  /** Before every key, as a folder. */
  readonly prefix?: string;
  /** That of the environment when absent; `us-east-1` with an endpoint. */
  readonly region?: string;
  /** Of a server that is not AWS. */
  readonly endpoint?: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`; most servers that are not AWS need it. */
  readonly pathStyle?: boolean;
  /** Those of the environment, a profile or a role when absent. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** Of the process: which proxy leads to the server. */
  readonly env: ProxyEnv;
  /** Of one operation, repetitions included. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;
const ATTEMPT_TIMEOUT_MS = 20_000;
const ATTEMPTS = 3;
const NO_SUCH_VERSION = '"00000000000000000000000000000000"';

type Sdk = typeof import('@aws-sdk/client-s3');
type Client = InstanceType<Sdk['S3Client']>;

/** What one operation needs; `signal` ends it when its time is over. */
interface Operation {
  readonly sdk: Sdk;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** An object for each key, written with `If-Match` and `If-None-Match`. Its version is its ETag. */
export function createS3Store(options: S3StoreOptions): StateStore {
  const { bucket: Bucket, timeoutMs = TIMEOUT_MS } = options;
  const folder = folderOf(options.prefix);
  const name = `s3://${Bucket}/${folder}`;
  const nameOf = (key: string): string => `${name}${key}`;
  const objectOf = (key: string) => {
    checkKey(key);
    return { Bucket, Key: `${folder}${key}` };
  };

  let connection: Promise<{ sdk: Sdk; client: Client }> | undefined;
  const run = async <T>(action: string, what: string, act: (operation: Operation) => Promise<T>): Promise<T> => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      connection ??= connect(options);
      return await act({ ...(await connection), signal });
    } catch (thrown) {
      throw s3Error(action, what, thrown, { signal, secrets: await sentBy(connection, thrown) });
    }
  };

  let checked: Promise<void> | undefined;
  /** Once: a server that ignores the condition would let one writer overwrite another in silence. */
  const checkConditions = async (): Promise<void> => {
    checked ??= run('write', name, (operation) => proveConditions(operation, objectOf('echelon-conditional-write')));
    await checked.catch((thrown: unknown) => {
      checked = undefined;
      throw thrown;
    });
  };

  return {
    name,
    read: async (key) => {
      const object = objectOf(key);
      return run('read', nameOf(key), (operation) => readObject(operation, object, nameOf(key)));
    },
    write: async (key, value, expected) => {
      const object = objectOf(key);
      checkSize(`the value for ${nameOf(key)}`, value.byteLength);
      await checkConditions();
      const condition = expected === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: expected };
      const content = { Body: value, ContentLength: value.byteLength, ContentType: 'application/octet-stream' };
      return run('write', nameOf(key), (operation) =>
        writeObject(operation, { ...object, ...content, ...condition }, nameOf(key)),
      );
    },
  };
}

function folderOf(prefix = ''): string {
  const bare = prefix.replace(/^\/+|\/+$/g, '');
  return bare === '' ? '' : `${bare}/`;
}

/** Loaded when it is needed: the library takes longer to load than most commands to run. */
async function connect(options: S3StoreOptions): Promise<{ sdk: Sdk; client: Client }> {
  const sdk = await import('@aws-sdk/client-s3');
  const { endpoint, pathStyle, credentials } = options;
  const region = options.region ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new sdk.S3Client({
    ...defined({ region, endpoint, forcePathStyle: pathStyle, credentials }),
    maxAttempts: ATTEMPTS,
    // Not every S3 server understands unsolicited checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      ...agentsOf(options),
      connectionTimeout: CONNECT_MS,
      requestTimeout: ATTEMPT_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
  return { sdk, client };
}

/** Connections as those of all other clients; an endpoint with plain http is one server. */
function agentsOf({ endpoint, env }: S3StoreOptions) {
  const agent = { keepAlive: true };
  const server = URL.parse(endpoint ?? '');
  const isPlain = server?.protocol === 'http:';
  const plain = isPlain
    ? connectionsTo({ isPlain, proxy: proxyFor(server, env), connectMs: CONNECT_MS, agent })
    : undefined;
  return { httpsAgent: environmentAgent(env, agent, CONNECT_MS), ...defined({ httpAgent: plain?.agent }) };
}

/** The credentials that a server has seen. Not asked for where none has answered: to find them may take as long as it did. */
async function sentBy(connection: Promise<{ client: Client }> | undefined, thrown: unknown): Promise<Secrets> {
  if (!isAnswered(thrown)) return new Secrets();
  const credentials = await connection?.then(({ client }) => client.config.credentials()).catch(() => undefined);
  return new Secrets([credentials?.accessKeyId, credentials?.secretAccessKey, credentials?.sessionToken]);
}

interface ObjectId {
  readonly Bucket: string;
  readonly Key: string;
}

async function readObject(operation: Operation, object: ObjectId, name: string): ReturnType<StateStore['read']> {
  const { sdk, client, signal } = operation;
  try {
    const { Body, ETag } = await client.send(new sdk.GetObjectCommand(object), { abortSignal: signal });
    const value = await bytesOf(Body as Readable, name);
    return { value, version: versionIn(ETag, name) };
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

async function bytesOf(body: Readable, name: string): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += (part as Buffer).byteLength;
    checkSize(name, size);
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

type Written = { readonly version: string } | 'lost-race';

async function writeObject(
  operation: Operation,
  input: PutObjectCommandInput & ObjectId,
  name: string,
): Promise<Written> {
  const { sdk, client, signal } = operation;
  try {
    const { ETag } = await client.send(new sdk.PutObjectCommand(input), { abortSignal: signal });
    return { version: versionIn(ETag, name) };
  } catch (thrown) {
    if (!isUnmet(thrown)) throw thrown;
    return wasRepeated(thrown) ? ownWrite(operation, input, name) : 'lost-race';
  }
}

/** The library may have written at its first attempt, lost the answer, and then found its own value in the way. */
async function ownWrite(operation: Operation, input: PutObjectCommandInput & ObjectId, name: string): Promise<Written> {
  const { Bucket, Key, Body } = input;
  const current = await readObject(operation, { Bucket, Key }, name);
  const isOwn = current !== undefined && Buffer.from(current.value).equals(Body as Uint8Array);
  return isOwn ? { version: current.version } : 'lost-race';
}

function wasRepeated(thrown: unknown): boolean {
  return ((thrown as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1) > 1;
}

/** Asks to replace a version that no object has. */
async function proveConditions({ sdk, client, signal }: Operation, object: ObjectId): Promise<void> {
  const refused = await client
    .send(new sdk.PutObjectCommand({ ...object, Body: '', ContentLength: 0, IfMatch: NO_SUCH_VERSION }), {
      abortSignal: signal,
    })
    .then(
      () => false,
      (thrown: unknown) => {
        if (isUnmet(thrown)) return true;
        throw thrown;
      },
    );
  if (refused) return;
  await client.send(new sdk.DeleteObjectCommand(object), { abortSignal: signal });
  throw stateError(
    'STATE_NO_CONDITIONAL_WRITES',
    `the server of s3://${object.Bucket} ignores If-Match: writers would overwrite each other`,
    'use a server with conditional writes, or keep the state in a directory',
  );
}

function versionIn(etag: string | undefined, name: string): string {
  if (etag !== undefined && etag !== '') return etag;
  throw stateError('STATE_FAILED', `the server returns no ETag for ${name}`, 'use a server that implements S3');
}

interface Fault {
  readonly name: string;
  readonly code: string;
  readonly status: number | undefined;
}

function faultOf(thrown: unknown): Fault {
  const { name, code, $metadata } = (thrown ?? {}) as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  return { name: String(name ?? ''), code: String(code ?? ''), status: $metadata?.httpStatusCode };
}

/** Whether it is what a server said. */
function isAnswered(thrown: unknown): boolean {
  return faultOf(thrown).status !== undefined;
}

function isMissing(thrown: unknown): boolean {
  return faultOf(thrown).name === 'NoSuchKey';
}

/** The condition of a write does not hold: another value, none any more, or another writer at the same moment. */
function isUnmet(thrown: unknown): boolean {
  const { name, status } = faultOf(thrown);
  return status === 412 || name === 'ConditionalRequestConflict' || name === 'NoSuchKey';
}

const UNREACHABLE = /^(?:NOT_CONNECTED|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT)/;
const REFUSED = /AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|Forbidden/;

const LONGEST_NAME = 200;

/** Named by its code, which the server gave it, or by our own words: what the library throws has the request in it. */
function s3Error(
  action: string,
  what: string,
  thrown: unknown,
  { signal, secrets }: { readonly signal: AbortSignal; readonly secrets: Secrets },
): unknown {
  if (thrown instanceof EchelonError) return thrown;
  const fault = faultOf(thrown);
  if (signal.aborted || (fault.name === 'TimeoutError' && fault.code === ''))
    return failed(action, what, 'timed out', 'STATE_UNREACHABLE', 'check the endpoint and the network');
  const { code, hint } = kindOf(fault);
  const status = fault.status === undefined ? '' : ` (${fault.status})`;
  const own = fault.code === NOT_CONNECTED ? messageOf(thrown) : undefined;
  const name = secrets.quote(own ?? (fault.code || fault.name || 'failed'), { longest: LONGEST_NAME });
  return failed(action, what, `${name}${status}`, code, hint);
}

function kindOf({ name, code, status }: Fault): { code: StateErrorCode; hint: string } {
  if (UNREACHABLE.test(code)) return { code: 'STATE_UNREACHABLE', hint: 'check the endpoint and the network' };
  if (name === 'NoSuchBucket') return { code: 'STATE_NO_BUCKET', hint: 'create the bucket, or correct its name' };
  if (name === 'CredentialsProviderError')
    return {
      code: 'STATE_NO_CREDENTIALS',
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role',
    };
  if (REFUSED.test(name) || status === 401 || status === 403)
    return { code: 'STATE_FORBIDDEN', hint: 'check the credentials and that they allow read, write and list' };
  return { code: 'STATE_FAILED', hint: 'check the bucket, the region and the endpoint' };
}

function failed(action: string, what: string, why: string, code: StateErrorCode, hint: string): EchelonError {
  return stateError(code, `cannot ${action} ${what}: ${why}`, hint);
}
