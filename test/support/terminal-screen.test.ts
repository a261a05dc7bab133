import { describe, expect, it } from 'vitest';
import { terminalScreen } from './terminal-screen.ts';

const ESC = '\u001b[';
const TEXT = `before\r\n${ESC}?1049h${ESC}?25l${ESC}?7l${ESC}H${ESC}K${ESC}1mwaiting${ESC}22m\r\n${ESC}J${ESC}?7h${ESC}?25h${ESC}?1049l${ESC}2mdone${ESC}22m\r\n`;

describe('a terminal of tests', () => {
  it.each([1, 2, 3, 5, 7, TEXT.length])('shows the same when it gets %i characters at a time', (size) => {
    const terminal = terminalScreen(80, 5);
    for (let at = 0; at < TEXT.length; at += size) terminal.write(TEXT.slice(at, at + size));
    expect(terminal.shown()).toEqual(['before', 'done']);
    expect(terminal.modes()).toEqual({ alternate: false, cursor: true, wrap: true });
  });

  it.each(['\u0007', `${ESC}31;5x`, `${ESC}\u0007`, '\u001bc'])('refuses %j', (text) => {
    expect(() => terminalScreen(80, 5).write(`a${text}b`)).toThrow(/unexpected/);
  });
});
