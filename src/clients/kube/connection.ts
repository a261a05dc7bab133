/** What authenticates a request. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** A client certificate and its key, in PEM. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** The certificate authority to trust, where it comes with them. */
  readonly ca?: string | Buffer;
}

/** The address of a cluster and how to authenticate. */
export interface KubeConnection {
  /** How messages name the cluster. */
  readonly name: string;
  readonly server: string;
  readonly ca?: string | Buffer;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** Reaches the server through it. */
  readonly proxy?: URL;
  /** With `renew` the server refused the last ones: they are read or created again. */
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

/**
 * Asks once for all concurrent callers and remembers the result until it is to be renewed; a failure is not remembered.
 */
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
