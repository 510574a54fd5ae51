/** A line of a file of lines. */
export interface TextLine {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** A line exceeds the maximum length. */
export class LineTooLong extends Error {
  override name = 'LineTooLong'
  readonly lineNumber: number

  constructor(lineNumber: number) {
    super(`line ${lineNumber} is too long`)
    this.lineNumber = lineNumber
  }
}

/**
 * Divides bytes into lines without blank ones, one in memory at a time. Removes a byte-order mark and `\r` before `\n`.
 *
 * @throws LineTooLong
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>, maxLineBytes: number): AsyncGenerator<TextLine> {
  for await (const { number, text } of allLines(chunks, maxLineBytes)) {
    if (text === null) throw new LineTooLong(number)
    yield { number, text }
  }
}

/** The same, with null for a line that is too long. */
export async function* allLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Omit<TextLine, 'text'> & { readonly text: string | null }> {
  const line = createLine(maxLineBytes)
  let number = 1
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      if (line.add(chunk.subarray(from, end))) yield { number, text: null }
      const text = line.take()
      if (text !== '') yield { number, text }
      from = end + 1
      number += 1
    }
    if (line.add(chunk.subarray(from))) yield { number, text: null }
  }
  const text = line.take()
  if (text !== '') yield { number, text }
}

/** A line that is being read; empty if it became too long. */
function createLine(maxBytes: number) {
  let pieces: Uint8Array[] = []
  let bytes = 0
  return {
    /** True once, when the line becomes too long. */
    add(piece: Uint8Array): boolean {
      const wasTooLong = bytes > maxBytes
      bytes += piece.length
      if (bytes <= maxBytes) pieces.push(piece)
      else pieces = []
      return bytes > maxBytes && !wasTooLong
    },
    /** Returns the text, empty for a blank or too long line, and begins the next line. */
    take(): string {
      const text = Buffer.concat(pieces)
        .toString()
        .replace(/^\uFEFF/, '')
        .trim()
      pieces = []
      bytes = 0
      return text
    },
  }
}
