/** Below this number of characters the pieces of a text are left as they are. */
const looseMax = 4_096

/**
 * Appends a piece to a text that arrives in many. V8 stores the result as a tree of its pieces, each of which takes ten times
 * the memory of a short piece; reading a character makes it one string. That happens whenever the text has grown by a quarter,
 * so the time remains linear.
 */
export function appendText(text: string, piece: string): string {
  const whole = text + piece
  if (stepOf(text.length) !== stepOf(whole.length)) whole.charCodeAt(0)
  return whole
}

function stepOf(length: number): number {
  return length < looseMax ? 0 : 1 + Math.floor(Math.log(length / looseMax) / Math.log(1.25))
}
