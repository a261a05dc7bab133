import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilFilesAreLater } from '../../test/support/file-clock.ts';
import { answerAbout } from './answers.ts';
import { directorySource } from './sources/directory.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-asked-'));
  mkdirSync(join(folder, 'instance/data'), { recursive: true });
  mkdirSync(join(folder, 'schemas'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Asks what a file beside the instance says: it is hashed before `read`. */
function asker() {
  const values = new Map<string, unknown>();
  const store = {
    get: (key: string) => values.get(key),
    set: (key: string, value: object) => values.set(key, value),
    getBytes: () => undefined,
    setBytes: () => {},
  };
  const source = directorySource(join(folder, 'instance'), { describe: async () => undefined });
  return async (file: string, read: () => string): Promise<{ answer: { text: string }; isKept: boolean }> => {
    let isKept = true;
    const { answer } = await answerAbout(source, {
      ...{ question: {}, files: [join(folder, file)], code: 'code', store, load: {} },
      answer: async () => {
        isKept = false;
        return { text: read() };
      },
    });
    return { answer, isKept };
  };
}

describe('an answer about files beside the instance', () => {
  const put = (text: string) => writeFileSync(join(folder, 'schemas/a.yml'), text);

  it.each(['schemas', 'schemas/a.yml'])('is kept while %s stays the same', async (file) => {
    const ask = asker();
    put('old');
    await ask(file, () => 'old');
    expect(await ask(file, () => 'again')).toEqual({ answer: { text: 'old' }, isKept: true });
    put('new');
    expect(await ask(file, () => 'new')).toEqual({ answer: { text: 'new' }, isKept: false });
  });

  it.each(['schemas', 'schemas/a.yml'])('is not kept when %s is edited while it is given', async (file) => {
    const ask = asker();
    put('old');
    const edited = () => {
      put('new');
      return 'new';
    };
    await ask(file, edited);
    put('old');
    expect(await ask(file, () => 'old')).toEqual({ answer: { text: 'old' }, isKept: false });
  });

  it.each(['schemas', 'schemas/a.yml'])(
    'is not kept when %s is edited and edited back while it is given',
    async (file) => {
      const ask = asker();
      put('old');
      untilFilesAreLater(folder);
      const edited = () => {
        put('new');
        put('old');
        return 'new';
      };
      await ask(file, edited);
      expect(await ask(file, () => 'old')).toEqual({ answer: { text: 'old' }, isKept: false });
    },
  );

  it('is not kept when schemas is a link that leads elsewhere while it is given', async () => {
    const ask = asker();
    put('old');
    const linkTo = (target: string) => {
      rmSync(join(folder, 'link'), { force: true });
      symlinkSync(target, join(folder, 'link'));
    };
    linkTo('schemas');
    untilFilesAreLater(folder);
    const edited = () => {
      linkTo('elsewhere');
      linkTo('schemas');
      return 'new';
    };
    await ask('link', edited);
    expect(await ask('link', () => 'old')).toEqual({ answer: { text: 'old' }, isKept: false });
  });

  it('is not kept when a schema is there only while it is given', async () => {
    const ask = asker();
    put('old');
    untilFilesAreLater(folder);
    const edited = () => {
      writeFileSync(join(folder, 'schemas/b.yml'), 'new');
      rmSync(join(folder, 'schemas/b.yml'));
      return 'new';
    };
    await ask('schemas', edited);
    expect(await ask('schemas', () => 'old')).toEqual({ answer: { text: 'old' }, isKept: false });
  });

  it('is not kept when one of them does not exist', async () => {
    const ask = asker();
    await ask('none', () => 'first');
    expect(await ask('none', () => 'second')).toEqual({ answer: { text: 'second' }, isKept: false });
  });
});
