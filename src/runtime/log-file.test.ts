import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogFile } from './log-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the log file', () => {
  it('is appended to, also by the next process', () => {
    const path = join(folder, 'a.log');
    for (const line of ['one\n', 'two\n']) {
      const file = openLogFile(path);
      expect(file.write(line)).toBeUndefined();
      file.close();
    }
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('starts anew before it outgrows its limit', () => {
    const path = join(folder, 'a.log');
    const file = openLogFile(path, 10);
    for (const line of ['12345\n', '123\n', 'é\n', 'x\n']) file.write(line);
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('é\nx\n');
  });

  it.skipIf(!existsSync('/dev/full'))('says once what is wrong when it cannot be written', () => {
    const file = openLogFile('/dev/full');
    expect([file.write('x\n'), file.write('y\n')]).toEqual([expect.stringContaining('/dev/full: ENOSPC'), undefined]);
    file.close();
  });

  it('takes nothing after it was closed', () => {
    const path = join(folder, 'a.log');
    const file = openLogFile(path);
    file.close();
    file.close();
    file.write('late\n');
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('that cannot be opened is an error that says what to do', () => {
    expect(() => openLogFile(join(folder, 'no/such/a.log'))).toThrow(
      expect.objectContaining({
        code: 'LOG_FILE_UNWRITABLE',
        message: expect.stringContaining('no/such/a.log'),
        hint: expect.stringContaining('LOG_FILE'),
      }),
    );
  });
});
