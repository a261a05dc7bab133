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
  let known: Promise<string> | undefined;
  let asking = false;
  const ask = (renew: boolean): Promise<string> => {
    asking = true;
    return token(renew).finally(() => {
      asking = false;
    });
  };
  return {
    ...place,
    credentials: async (renew) => {
      if (known === undefined || (renew && !asking)) known = ask(renew);
      try {
        return { headers: { Authorization: `Bearer ${await known}` } };
      } catch (thrown) {
        known = undefined;
        throw thrown;
      }
    },
  };
}
