import type { Agent } from 'node:http';

/** What goes with a request so that the server knows who asks. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** A client certificate and its key, in PEM. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** The authority to believe, where it comes with them. */
  readonly ca?: string | Buffer;
  /** Reaches the server through a proxy. */
  readonly proxy?: Agent;
}

/** Where a cluster is and how to be let in. */
export interface KubeConnection {
  /** How messages name the cluster. */
  readonly name: string;
  readonly server: string;
  readonly ca?: string | Buffer;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** With `renew` the server refused the last ones: they are read or made anew. */
  credentials(renew: boolean): Promise<Credentials>;
}

/** A server and a token from somewhere else; `token` is asked again when the server refuses the last one. */
export function tokenConnection(options: {
  readonly name: string;
  readonly server: string;
  readonly ca?: string | Buffer;
  readonly insecureSkipTlsVerify?: boolean;
  readonly token: (renew: boolean) => Promise<string>;
}): KubeConnection {
  const { token, ...place } = options;
  const ask = askedOnce(token);
  return { ...place, credentials: async (renew) => ({ headers: { Authorization: `Bearer ${await ask(renew)}` } }) };
}

/** Asks once for all who wait meanwhile, and remembers the answer until it is to be renewed; a failure is not remembered. */
export function askedOnce<T>(ask: (renew: boolean) => Promise<T>): (renew: boolean) => Promise<T> {
  let known: Promise<T> | undefined;
  let asking = false;
  const fresh = async (renew: boolean): Promise<T> => {
    asking = true;
    try {
      return await ask(renew);
    } finally {
      asking = false;
    }
  };
  return (renew) => {
    if (known !== undefined && (asking || !renew)) return known;
    known = fresh(renew);
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}
