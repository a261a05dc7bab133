import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { generateInstance } from '../generate-instance.ts';
import { bareParsing, installedIn, started } from '../installed.ts';
import { REPO } from '../part.ts';
import type { Row } from '../row.ts';

const ROUNDS = 5;
const FILES = 5_000;
const SCHEMAS = join(REPO, '../shared/contracts/qontract/schemas');

/**
 * What a user waits for when the instance is known: after an edit, with files beside each other, and in a clone of git, which is asked
 * what changed.
 */
export function benchAgain(folder: string): Row[] {
  const bin = installedIn(folder);
  const large = join(folder, 'large');
  const files = generateInstance(join(REPO, 'examples/instance'), large, FILES);
  const beside = join(folder, 'beside');
  generateInstance(join(REPO, 'examples/instance'), beside, FILES, 'beside');
  const edit = (): void => appendFileSync(join(large, 'data/aws/payments/account.yml'), '\n');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: large });
  const validate = (
    what: string,
    flags: readonly string[],
    more: { arrange?: () => void; atMost?: number },
    root = large,
  ): Row =>
    started(folder, {
      ...{ what, bin, args: ['validate', '--data', root, ...flags], ...more },
      ...{ peer: bareParsing(root), rounds: ROUNDS },
    });
  const edited = [
    validate(`echelon validate installed, one file of ${files} changed`, [], { arrange: edit }),
    ...(existsSync(SCHEMAS)
      ? [
          validate(`echelon validate --schemas installed, one file of ${files} changed`, ['--schemas', SCHEMAS], {
            ...{ arrange: edit, atMost: 3 },
          }),
        ]
      : []),
  ];
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'all');
  const unchanged = `echelon validate installed, ${files} unchanged files`;
  return [
    ...edited,
    validate(`${unchanged} laid out as instances are`, [], {}, beside),
    validate(`${unchanged} in a clone of git`, [], {}),
  ];
}
