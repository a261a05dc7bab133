import { describe, expect, it } from 'vitest';
import { escapeControls, escapeControlsInText } from './controls.ts';

describe('control characters', () => {
  it.each([
    { given: 'plain text', text: 'ü 日本 العربية 👍', line: 'ü 日本 العربية 👍', whole: 'ü 日本 العربية 👍' },
    { given: 'an escape sequence', text: 'a\u001b[2Jb', line: 'a\\u001b[2Jb', whole: 'a\\u001b[2Jb' },
    { given: 'line ends and tabs', text: 'a\n\tb\r\n', line: 'a\\n\\u0009b\\u000d\\n', whole: 'a\n\tb\r\n' },
    { given: 'a carriage return', text: 'a\rb', line: 'a\\u000db', whole: 'a\\u000db' },
    { given: 'DEL and C1', text: '\u007f\u009b31m', line: '\\u007f\\u009b31m', whole: '\\u007f\\u009b31m' },
    { given: 'line separators', text: '\u2028\u2029', line: '\\u2028\\u2029', whole: '\\u2028\\u2029' },
    { given: 'bidi overrides', text: 'a\u202eb\u2066', line: 'a\\u202eb\\u2066', whole: 'a\u202eb\u2066' },
  ])('of $given are escaped', ({ text, line, whole }) => {
    expect([escapeControls(text), escapeControlsInText(text)]).toEqual([line, whole]);
  });
});
