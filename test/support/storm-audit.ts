import type { AuditEvent } from './real-kube-audit.ts';

/** What managers of one namespace did, by the server's own record. */
export interface StormAudit {
  /** Writes that the server carried out, leases aside. */
  readonly writes: number;
  readonly changesOfLeader: number;
  /** Writes that the server got when another held the lease, and carried out. */
  readonly byNonLeaders: readonly AuditEvent[];
  /** Writes, carried out or not, to objects that are not the managers'. */
  readonly foreign: readonly AuditEvent[];
}

export interface StormFacts {
  readonly namespace: string;
  /** Users. */
  readonly managers: ReadonlySet<string>;
  /** `deployments/name` of objects that are not the managers'. */
  readonly foreign: ReadonlySet<string>;
  /** Writes that were held on their way until another led, as `user verb path`: they count neither way. */
  readonly late: readonly string[];
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** The events are all so far. */
export function auditStorm(events: readonly AuditEvent[], facts: StormFacts): StormAudit {
  const ours = events.filter(
    ({ user, verb, namespace }) => facts.managers.has(user) && WRITES.has(verb) && namespace === facts.namespace,
  );
  const terms = ours.filter(takesLease);
  const writes = ours.filter(({ resource, dryRun }) => resource !== 'leases' && dryRun === undefined);
  const done = writes.filter(({ code = 0 }) => code < 300);
  const late = [...facts.late];
  const isLate = (event: AuditEvent): boolean => {
    const at = late.indexOf(lateKey(event.user, event.verb, event.requestURI));
    return at !== -1 && late.splice(at, 1).length > 0;
  };
  return {
    writes: done.length,
    changesOfLeader: terms.filter(({ user }, index) => index > 0 && terms[index - 1]?.user !== user).length,
    byNonLeaders: done.filter((event) => !leads(terms, event) && !isLate(event)),
    foreign: writes.filter(({ resource, name }) => facts.foreign.has(`${resource}/${name}`)),
  };
}

/** Who writes the lease holds it: those who wait only read it, and rehearse writing it. */
export function takesLease({ resource, verb, code = 0, dryRun }: AuditEvent): boolean {
  return resource === 'leases' && WRITES.has(verb) && code < 300 && dryRun === undefined;
}

export function lateKey(user: string, verb: string, uri: string): string {
  return `${user} ${verb} ${uri.replace(/\?.*/, '')}`;
}

/** The last that took or renewed the lease before the server got the write is the one that writes. */
function leads(terms: readonly AuditEvent[], { user, received }: AuditEvent): boolean {
  const last = terms.findLast(({ answered }) => answered < received);
  return last?.user === user;
}
