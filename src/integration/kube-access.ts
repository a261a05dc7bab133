import { EchelonError } from '../base/index.ts';
import { currentCluster, kubeTransport } from '../clients/kube/index.ts';
import type { KubeReads, KubeWrites } from './contexts.ts';

type KubeHost = Parameters<typeof currentCluster>[0];
type Send = (method: Method, path: string, more?: Sent) => Promise<unknown>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** One API server, connected with its first use. The client that reads cannot write. */
export interface KubeAccess {
  reads(signal: AbortSignal): KubeReads;
  writes(signal: AbortSignal): KubeWrites;
  close(): void;
}

export function kubeAccess(host: KubeHost): KubeAccess {
  const opened: { close(): void }[] = [];
  const transport = async (readOnly: boolean) => {
    const open = kubeTransport(await currentCluster(host), { readOnly });
    opened.push(open);
    return open;
  };
  const [reading, writing] = [once(() => transport(true)), once(() => transport(false))];
  const sender =
    (open: typeof reading, signal: AbortSignal): Send =>
    async (method, path, more = {}) => {
      const request = { method, path, ...more, idempotent: method !== 'POST', signal };
      return (await (await open()).request(request)).body;
    };
  const reads = (signal: AbortSignal): KubeReads => ({ get: getter(sender(reading, signal)) });
  return {
    reads,
    writes: (signal) => {
      const send = sender(writing, signal);
      return {
        ...reads(signal),
        patch: (path, body) => send('PATCH', path, { body, contentType: 'application/merge-patch+json' }),
        post: (path, body) => send('POST', path, { body }),
        put: (path, body) => send('PUT', path, { body }),
        delete: (path) => unlessMissing(send('DELETE', path)),
      };
    },
    close: () => {
      for (const one of opened) one.close();
    },
  };
}

function getter(send: Send): KubeReads['get'] {
  return (path, query = {}) => unlessMissing(send('GET', path, { query }));
}

/** A failure to connect is not remembered. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= open();
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}

const MISSING: ReadonlySet<string> = new Set(['KUBE_NOT_FOUND', 'KUBE_NO_NAMESPACE']);

async function unlessMissing(reply: Promise<unknown>): Promise<unknown> {
  try {
    return await reply;
  } catch (thrown) {
    if (thrown instanceof EchelonError && MISSING.has(thrown.code)) return undefined;
    throw thrown;
  }
}
