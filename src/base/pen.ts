export type Colour = 'red' | 'yellow' | 'green' | 'cyan' | 'dim' | 'bold';

/** How a text for a terminal is written. */
export interface Pen {
  /** Colours text, or returns it unchanged. Colour never carries information of its own. */
  readonly paint: (colour: Colour, text: string) => string;
  /** One line with its end, whatever the text contains; colours are kept. */
  readonly line: (text: string) => string;
  /** The columns of the terminal; absent where nothing is cut. */
  readonly width?: number;
}
