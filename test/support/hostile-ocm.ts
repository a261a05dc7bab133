import {
  clusterRecords,
  found,
  type HostileCluster,
  labelRecords,
  type OcmRecord,
  type OrganizationLabels,
  organizationLabelRecords,
  subscriptionRecords,
} from './hostile-ocm-records.ts';
import { json, type LocalHttp, plain, type Reply, type SeenRequest, startLocalHttp } from './local-http.ts';

/** A misbehaviour: a reply instead of the right one, to this request, which comes for the `nth` time (from 1). */
export type Misbehaviour = (request: SeenRequest, nth: number, ocm: HostileOcm) => Reply | undefined;

/**
 * A second stand-in for OCM, written from its OpenAPI documents alone, so that it shares no mistake with the simulated
 * one. It does what the documents permit and what gateways do on top; it accepts a second policy of a cluster, so that a
 * test sees whether one was asked for.
 */
export interface HostileOcm extends LocalHttp {
  readonly tokenUrl: string;
  /** `NAME VERSION` of each policy that was made, in order. */
  readonly created: string[];
  misbehave(how: Misbehaviour): void;
  behave(): void;
  /** From now on the cluster does not exist. */
  vanish(name: string): void;
  /** From now on the organization has these labels and no others. */
  label(organization: string, aus: OrganizationLabels[string]): void;
  /** The reply to a list with the first half of the rows of its page, and the total of all. */
  half(request: SeenRequest): Reply;
  /** Carries out a request whose reply is lost. */
  commit(request: SeenRequest): void;
  /** Tokens that were given out are worth nothing. */
  expireTokens(): void;
}

interface Options {
  /** Rows per page, at most, whatever is asked for. */
  readonly pageLimit?: number;
  /** Seconds that a token says it lasts. */
  readonly expiresIn?: number;
  readonly organizationLabels?: OrganizationLabels;
  readonly gates?: readonly OcmRecord[];
}

const TOKEN = '/token';
const ACCOUNTS = '/api/accounts_mgmt/v1';
const CLUSTERS = '/api/clusters_mgmt/v1';

export async function startHostileOcm(clusters: readonly HostileCluster[], options: Options = {}): Promise<HostileOcm> {
  const world = new HostileWorld(clusters, options);
  const times = new Map<string, number>();
  let misbehaviour: Misbehaviour = () => undefined;
  let [tokens, oldest] = [0, 1];
  const grant = (): Reply => {
    tokens += 1;
    return json(200, { access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: options.expiresIn ?? 900 });
  };
  const isGood = ({ headers }: SeenRequest): boolean =>
    Number(/^Bearer token-(\d+)$/.exec(headers.authorization ?? '')?.[1]) >= oldest;
  const server = await startLocalHttp((response, request) => {
    const key = `${request.method} ${request.path} ${JSON.stringify(request.query)}`;
    const nth = (times.get(key) ?? 0) + 1;
    times.set(key, nth);
    const reply =
      misbehaviour(request, nth, ocm) ??
      (request.path === TOKEN
        ? grant()
        : isGood(request)
          ? world.reply(request)
          : error(401, 'Bearer token is expired'));
    return reply(response, request);
  });
  const ocm: HostileOcm = {
    ...server,
    tokenUrl: server.url + TOKEN,
    created: world.created,
    misbehave: (how) => {
      misbehaviour = how;
      times.clear();
    },
    behave: () => {
      misbehaviour = () => undefined;
    },
    vanish: (name) => world.vanish(name),
    label: (organization, aus) => world.label(organization, aus),
    half: (request) => world.half(request),
    commit: (request) => void world.reply(request),
    expireTokens: () => {
      oldest = tokens + 1;
    },
  };
  return ocm;
}

class HostileWorld {
  readonly created: string[] = [];
  readonly #pageLimit: number;
  readonly #policies = new Map<string, OcmRecord[]>();
  readonly #gates: readonly OcmRecord[];
  #clusters: readonly HostileCluster[];
  #organizationLabels: OrganizationLabels;
  #isHalf = false;

  constructor(clusters: readonly HostileCluster[], { pageLimit, organizationLabels, gates }: Options) {
    this.#clusters = clusters;
    this.#pageLimit = pageLimit ?? Number.POSITIVE_INFINITY;
    this.#organizationLabels = organizationLabels ?? {};
    this.#gates = gates ?? [];
  }

  vanish(name: string): void {
    this.#clusters = this.#clusters.filter((cluster) => cluster.name !== name);
  }

  label(organization: string, aus: OrganizationLabels[string]): void {
    this.#organizationLabels = { ...this.#organizationLabels, [organization]: aus };
  }

  half(request: SeenRequest): Reply {
    this.#isHalf = true;
    const reply = this.reply(request);
    this.#isHalf = false;
    return reply;
  }

  reply(request: SeenRequest): Reply {
    const { path, method } = request;
    const lists: Readonly<Record<string, () => OcmRecord[]>> = {
      [`${ACCOUNTS}/labels`]: () => [
        ...labelRecords(this.#clusters),
        ...organizationLabelRecords(this.#organizationLabels),
      ],
      [`${ACCOUNTS}/subscriptions`]: () => subscriptionRecords(this.#clusters),
      [`${ACCOUNTS}/organizations`]: () => [{ kind: 'Organization', id: 'org-1', name: 'First' }],
      [`${CLUSTERS}/clusters`]: () => clusterRecords(this.#clusters),
      [`${CLUSTERS}/version_gates`]: () => [...this.#gates],
    };
    const list = lists[path];
    if (list !== undefined && method === 'GET') return this.#page(request, list());
    if (path === `${ACCOUNTS}/current_account`)
      return json(200, { kind: 'Account', id: 'me', username: 'robot', organization: { id: 'org-1', name: 'First' } });
    const [, owner, key] = /^\/api\/accounts_mgmt\/v1\/organizations\/([^/]+)\/labels(?:\/([^/]+))?$/.exec(path) ?? [];
    if (owner !== undefined) return this.#labelsOf(owner, key, request);
    return this.#replyOfCluster(request);
  }

  #replyOfCluster(request: SeenRequest): Reply {
    const { path, method } = request;
    const [, id = '', rest = ''] = /^\/api\/clusters_mgmt\/v1\/clusters\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const cluster = this.#clusters.find(({ name }) => id === `${name}-id`);
    if (cluster === undefined) return error(404, `${path} does not exist`);
    if (rest === 'gate_agreements') return this.#page(request, []);
    const policies = this.#policies.get(id) ?? [];
    if (rest === 'upgrade_policies' && method === 'POST') return this.#create(cluster.name, id, request);
    if (rest === 'upgrade_policies') return this.#page(request, policies);
    const removed = policies.find((each) => rest === `upgrade_policies/${each['id']}` && method === 'DELETE');
    if (removed !== undefined) return this.#remove(id, removed);
    const policy = policies.find((each) => rest === `upgrade_policies/${each['id']}/state`);
    return policy === undefined ? error(404, `${path} does not exist`) : json(200, { value: 'scheduled' });
  }

  #labelsOf(owner: string, key: string | undefined, request: SeenRequest): Reply {
    const own = this.#organizationLabels[owner] ?? {};
    const ofOwner = (labels: typeof own): OcmRecord[] => organizationLabelRecords({ [owner]: labels });
    if (request.method === 'GET' && key === undefined) return this.#page(request, ofOwner(own));
    if (request.method !== 'POST' && request.method !== 'PATCH') return error(405, `${request.method} ${request.path}`);
    const { key: full, value } = JSON.parse(request.body) as { key: string; value: string };
    const changed = { [full.replace('sre-capabilities.aus.', '')]: value };
    this.label(owner, { ...own, ...changed });
    return json(request.method === 'POST' ? 201 : 200, ofOwner(changed)[0]);
  }

  #create(name: string, id: string, { body }: SeenRequest): Reply {
    const { version, next_run } = JSON.parse(body) as { version: string; next_run: string };
    const policies = this.#policies.get(id) ?? [];
    const kind = { kind: 'UpgradePolicy', id: `${name}-policy-${policies.length + 1}`, cluster_id: id };
    const policy = { ...kind, version, next_run, schedule_type: 'manual', upgrade_type: 'OSD' };
    this.#policies.set(id, [...policies, policy]);
    this.created.push(`${name} ${version}`);
    return json(201, policy);
  }

  #remove(id: string, policy: OcmRecord): Reply {
    this.#policies.set(
      id,
      (this.#policies.get(id) ?? []).filter((each) => each !== policy),
    );
    return plain(204);
  }

  #page({ query }: SeenRequest, records: readonly OcmRecord[]): Reply {
    const all = found(records, query['search']);
    const size = Math.min(Number(query['size'] ?? 100), this.#pageLimit);
    const page = Number(query['page'] ?? 1);
    const rows = all.slice((page - 1) * size, page * size);
    const items = this.#isHalf ? rows.slice(0, rows.length >> 1) : rows;
    return json(200, { kind: 'List', page, size: items.length, total: all.length, items });
  }
}

export function error(status: number, reason: string, headers: Record<string, string> = {}): Reply {
  return json(status, { kind: 'Error', id: String(status), code: `CLUSTERS-MGMT-${status}`, reason }, headers);
}

/** What a proxy sends in place of OCM. */
export function proxyPage(status: number): Reply {
  return plain(status, '<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>', { 'content-type': 'text/html' });
}

/** Each different request fails this often before it gets its reply: the same whatever the order of arrival. */
export function firstTimes(times: number, reply: Reply, applies = (_: SeenRequest): boolean => true): Misbehaviour {
  return (request, nth) => (nth <= times && request.path !== TOKEN && applies(request) ? reply : undefined);
}
