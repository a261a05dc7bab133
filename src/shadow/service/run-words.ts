import { EchelonError, shellWords } from '../../base/index.ts';

/** Options that let a run leave out work, and whether a value follows. */
const LEFT_OUT: ReadonlyMap<string, boolean> = new Map([
  ['--enable-extended-early-exit', false],
  ['--early-exit-compare-sha', true],
  ['--check-only-affected-shards', false],
]);
/** Jobs of two runs with the same suffix would replace each other. */
const JOB_SUFFIX = '--dry-run-job-suffix';

/**
 * The arguments of a shard's pod without those that leave out work, and with a job suffix of its own. Throws for arguments
 * that turn off the dry run.
 */
export function dryRunWords(integration: string, extraArgs: string, suffix: string): string[] {
  const words = shellWords(extraArgs, `extraArgs of ${integration}`);
  if (words.some((word) => flagOf(word) === '--no-dry-run')) throw notDry(integration);
  const kept: string[] = [integration];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const flag = flagOf(word);
    const takesValue = flag === JOB_SUFFIX ? true : LEFT_OUT.get(flag);
    if (flag === JOB_SUFFIX) kept.push(JOB_SUFFIX, suffix);
    if (takesValue === undefined) kept.push(word);
    else if (takesValue && flag === word) at += 1;
  }
  return kept;
}

/** The program of a pod may have options, too. */
export function refuseCommand(integration: string, command: string | undefined): void {
  if (/--no-dry-run\b/.test(command ?? '')) throw notDry(integration);
}

function flagOf(word: string): string {
  return word.split('=', 1)[0] ?? '';
}

function notDry(integration: string): EchelonError {
  return new EchelonError({
    code: 'SHADOW_REFUSED',
    message: `extraArgs or command of ${integration} disable the dry run. Nothing was started`,
    hint: 'remove --no-dry-run',
  });
}
