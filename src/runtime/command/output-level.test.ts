import { describe, expect, it } from 'vitest';
import { outputEvent } from './output-level.ts';

describe('a line of output', () => {
  it.each([
    { line: 'created ns1', stream: 'stdout', level: 'info', text: 'created ns1' },
    { line: 'created ns1\r', stream: 'stdout', level: 'info', text: 'created ns1' },
    { line: 'sh: 1: nope: not found', stream: 'stderr', level: 'warn', text: 'sh: 1: nope: not found' },
    { line: '[ERROR] no token', stream: 'stdout', level: 'error', text: 'no token' },
    { line: 'ERROR: no token', stream: 'stderr', level: 'error', text: 'no token' },
    { line: 'INFO:root:applied', stream: 'stderr', level: 'info', text: 'root:applied' },
    { line: 'WARNING:x:y', stream: 'stderr', level: 'warn', text: 'x:y' },
    { line: '[CRITICAL] x', stream: 'stdout', level: 'error', text: 'x' },
    { line: 'DEBUG: x', stream: 'stdout', level: 'debug', text: 'x' },
    { line: 'ERRORS: 0', stream: 'stdout', level: 'info', text: 'ERRORS: 0' },
    { line: 'ERROR', stream: 'stdout', level: 'info', text: 'ERROR' },
    { line: '[ERROR]', stream: 'stderr', level: 'warn', text: '[ERROR]' },
    { line: 'URL: http://x', stream: 'stdout', level: 'info', text: 'URL: http://x' },
    { line: '[constructor] x', stream: 'stdout', level: 'info', text: '[constructor] x' },
    { line: '  indented', stream: 'stdout', level: 'info', text: '  indented' },
  ] as const)('$line on $stream is $level', ({ line, stream, level, text }) => {
    expect(outputEvent(line, stream)).toEqual({ level, text });
  });

  it.each(['', '   ', '\r'])('%j without text is none', (line) => {
    expect(outputEvent(line, 'stdout')).toBeUndefined();
  });
});
