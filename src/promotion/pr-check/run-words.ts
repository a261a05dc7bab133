import { defined, EchelonError, imageRefParts, shellText, shellWords } from '../../base/index.ts';
import type { PlannedRun } from './report.ts';
import type { RunImage } from './run-images.ts';

/** The command line of a run: the integration's subcommand and its arguments. */
export function wordsOf(run: PlannedRun): string[] {
  const words = [...shellWords(run.command, `pr_check.cmd of ${run.integration}`), ...run.args];
  refuseOptions(run, words);
  return words;
}

/** The data under check must not be able to turn a dry run into a real one. */
function refuseOptions({ integration }: PlannedRun, words: readonly string[]): void {
  const [name = ''] = words;
  if (/^[A-Za-z0-9]/.test(name) && !words.some((word) => /^--no-dry-run(?:=|$)/.test(word))) return;
  throw new EchelonError({
    code: 'CHECK_COMMAND_INVALID',
    message: `pr_check.cmd of ${integration} ${name === '' ? 'is empty' : 'starts with an option, or disables dry-run'}`,
    hint: 'start it with the subcommand, and remove --no-dry-run',
  });
}

/** The environment variables of pods, so that images and commands need no support for checks. */
export function variablesOf(run: PlannedRun, words: readonly string[], image: RunImage): Record<string, string> {
  const [name = '', ...args] = words;
  const { tag, digest } = imageRefParts(image.tag);
  return {
    ...run.environment,
    INTEGRATION_NAME: name,
    INTEGRATION_EXTRA_ARGS: shellText(args),
    DRY_RUN: '--dry-run',
    MANAGER_DRY_RUN: '--dry-run',
    RUN_ONCE: 'true',
    IMAGE: image.repository,
    IMAGE_TAG: tag,
    ...defined({ IMAGE_DIGEST: digest }),
  };
}
