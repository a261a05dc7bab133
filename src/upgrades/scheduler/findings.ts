import type { Fault } from './fault.ts';
import type { Unread } from './upgrade-api.ts';

/** Unreadable records, by owner. */
export class Findings {
  /** By subscription. */
  readonly unreadLabels = new Map<string, string>();
  readonly #everybody: Fault[] = [];
  readonly #byOrganization = new Map<string, Fault[]>();

  add(orgId: string | undefined, what: string, { id, message }: Unread): void {
    const fault = {
      code: 'OCM_RECORD_UNREADABLE',
      message: `${id === undefined ? what : `${what} ${id}`} is unreadable: ${message}`,
      hint: 'the OCM response has an unexpected format: check what changed there; nothing is decided without it',
    };
    if (orgId === undefined) this.#everybody.push(fault);
    else this.#of(orgId).push(fault);
  }

  #of(orgId: string): Fault[] {
    const faults = this.#byOrganization.get(orgId) ?? [];
    this.#byOrganization.set(orgId, faults);
    return faults;
  }

  organizations(): Iterable<string> {
    return this.#byOrganization.keys();
  }

  faultsOf(orgId: string): Fault[] {
    return [...this.#everybody, ...(this.#byOrganization.get(orgId) ?? [])];
  }
}
