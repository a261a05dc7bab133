import { EchelonError } from '../base/index.ts';
import { asker, type Io } from './io.ts';

export interface ConsentQuestion {
  /** `Apply 3 changes`. */
  readonly question: string;
  /** The value of `--yes`. */
  readonly yes: boolean | undefined;
  /** Without a terminal: the error to throw, or to proceed. */
  readonly unattended: 'proceed' | { readonly message: string; readonly hint: string };
}

/** Whether a change may be made: `--yes` confirms, else the user on the terminal. The variable CI is not consent: many shells export it. */
export async function consent(io: Io, { question, yes, unattended }: ConsentQuestion): Promise<boolean> {
  if (yes === true) return true;
  const ask = asker(io);
  if (ask === undefined) {
    if (unattended === 'proceed') return true;
    throw new EchelonError({ code: 'CONSENT_MISSING', ...unattended });
  }
  const answer = await ask(`${question}? Only "yes" is accepted: `);
  if (answer?.trim().toLowerCase() === 'yes') return true;
  io.stderr.write('nothing was changed\n');
  return false;
}
