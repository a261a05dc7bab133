import type { Fault } from './fault.ts';
import type { Unread } from './upgrade-api.ts';

const ELSEWHERE =
  'no cluster that has labels, and no organization of one, owns it, so all others are served: find and delete it in OCM';

/** Unreadable records, by owner. */
export class Findings {
  /** By subscription. */
  readonly unreadLabels = new Map<string, string>();
  /** Of owners that are not in view. */
  readonly elsewhere: Fault[] = [];
  readonly #everybody: Fault[] = [];
  readonly #byOrganization = new Map<string, Fault[]>();

  add(orgId: string | undefined, what: string, { id, message, elsewhere }: Unread): void {
    const fault = {
      code: 'OCM_RECORD_UNREADABLE',
      message: `${id === undefined ? what : `${what} ${id}`} is unreadable: ${message}`,
      hint: 'the OCM response has an unexpected format: check what changed there; nothing is decided without it',
    };
    if (elsewhere === true) this.elsewhere.push({ ...fault, hint: ELSEWHERE });
    else if (orgId === undefined) this.#everybody.push(fault);
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
