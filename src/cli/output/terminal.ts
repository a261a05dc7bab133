import { escapeControls, escapeControlsInText } from '../../base/index.ts';

/** Stands for ESC in what Echelon itself writes, until the output turns it into one. Data cannot contain it: it is random. */
const OWN_ESCAPE = `\u001b(${Math.random().toString(36).slice(2)})`;

/** A control sequence of Echelon's own, such as a colour. */
export function ownSequence(code: string): string {
  return `${OWN_ESCAPE}[${code}`;
}

/** One line, whatever it contains; colours are kept. */
export function line(text: string): string {
  return `${text.split(OWN_ESCAPE).map(escapeControls).join(OWN_ESCAPE)}\n`;
}

/** What all output passes: only our own sequences steer the terminal. */
export function shownText(text: string): string {
  return text.split(OWN_ESCAPE).map(escapeControlsInText).join('\u001b');
}
