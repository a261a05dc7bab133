import { describe, expect, it } from 'vitest';
import { fileNamePart } from './file-name-part.ts';

describe('part of a file name', () => {
  it.each(['../../etc/passwd', '..', '.', '-rf', 'a b', '$(x)', 'a/b', 'a\\b', '', 'ä', 'a\0b', 'x'.repeat(500)])(
    'of %j is one safe name',
    (hostile) => {
      expect(fileNamePart(hostile)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
      expect(fileNamePart(hostile).length).toBeLessThanOrEqual(80);
    },
  );
});
