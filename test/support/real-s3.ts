import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3StoreOptions } from '../../src/clients/state/s3-store.ts';
import { freePorts } from './real-kube-ports.ts';
import { guardedServers, type ServerProcess } from './real-kube-process.ts';
import { builtS3Server } from './real-s3-build.ts';
import { until } from './until.ts';

/** A real S3 server on the loopback interface, with a folder and credentials of its own. */
export interface RealS3 {
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Of the server and of what watches over it. */
  readonly pids: readonly number[];
  /** A new empty bucket, as a store is opened on it. */
  newBucket(): Promise<S3StoreOptions & Required<Pick<S3StoreOptions, 'credentials'>>>;
  /** Ends the server and removes its folder. It also ends when this process does, however that ends. */
  stop(): Promise<void>;
}

const READY_TIMEOUT_SECONDS = 60;

export async function startRealS3(): Promise<RealS3> {
  const binary = await builtS3Server();
  const [port = 0] = await freePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: randomText(), secretAccessKey: randomText() };
  const folder = mkdtempSync(join(tmpdir(), 'echelon-s3-'));
  mkdirSync(join(folder, 'data'));
  const servers = guardedServers(folder);
  const admin = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 });
  try {
    const access = ['--access', credentials.accessKeyId, '--secret', credentials.secretAccessKey];
    const server = servers.start('s3', binary, ['--port', `127.0.0.1:${port}`, ...access, '--quiet', 'posix', 'data']);
    await untilReady(server, admin);
  } catch (error) {
    await servers.close();
    throw error;
  }
  return {
    ...{ endpoint, credentials, pids: servers.pids() },
    newBucket: async () => {
      const bucket = `b-${randomText()}`;
      await admin.send(new CreateBucketCommand({ Bucket: bucket }));
      return { env: {}, bucket, endpoint, credentials, pathStyle: true };
    },
    stop: async () => {
      admin.destroy();
      await servers.close();
    },
  };
}

/** Only this server knows these credentials: an answer is its own, whoever else may have taken the port. */
async function untilReady(server: ServerProcess, admin: S3Client): Promise<void> {
  const ready = async (): Promise<boolean> => {
    if (server.hasExited()) return true;
    await admin.send(new ListBucketsCommand({}));
    return true;
  };
  await until(ready, { timeoutSeconds: READY_TIMEOUT_SECONDS, what: 'the S3 server answers' });
  if (server.hasExited()) throw new Error(`the S3 server has ended:\n${server.tail()}`);
}

function randomText(): string {
  return randomBytes(12).toString('hex');
}
