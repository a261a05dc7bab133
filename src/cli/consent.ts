import { EchelonError } from '../base/index.ts';
import type { Io } from './io.ts';

export interface ConsentQuestion {
  /** `Apply 3 changes`. */
  readonly question: string;
  /** What `--yes` says. */
  readonly yes: boolean | undefined;
  /** Where there is no terminal to ask at: the reason to refuse, or that it goes on. */
  readonly unattended: 'proceed' | { readonly message: string; readonly hint: string };
}

/** Whether a change may be made: `--yes` and CI say so, else the person at the terminal does. */
export async function consent(io: Io, { question, yes, unattended }: ConsentQuestion): Promise<boolean> {
  if (yes === true || (io.env['CI'] ?? '') !== '') return true;
  if (io.ask === undefined) {
    if (unattended === 'proceed') return true;
    throw new EchelonError({ code: 'CONSENT_MISSING', ...unattended });
  }
  const answer = await io.ask(`${question}? Only "yes" is taken: `);
  if (answer.trim().toLowerCase() === 'yes') return true;
  io.stderr.write('nothing was changed\n');
  return false;
}
