/** A line of a file of lines. */
export interface TextLine {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** A line is longer than anything that could stand in one. */
export class LineTooLong extends Error {
  override name = 'LineTooLong'
  readonly lineNumber: number

  constructor(lineNumber: number) {
    super(`line ${lineNumber} is too long`)
    this.lineNumber = lineNumber
  }
}

/**
 * Cuts bytes into lines that are not blank, holding one at a time. A byte-order mark and `\r` before `\n` go.
 *
 * @throws LineTooLong
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>, maxLineBytes: number): AsyncGenerator<TextLine> {
  for await (const { number, text } of allLines(chunks, maxLineBytes)) {
    if (text === null) throw new LineTooLong(number)
    yield { number, text }
  }
}

/** The same, where a line that is too long is told of, as null, and left out. */
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

/** A line under way; nothing is held of one that got too long. */
function createLine(maxBytes: number) {
  let pieces: Uint8Array[] = []
  let bytes = 0
  return {
    /** True once, when the line gets too long. */
    add(piece: Uint8Array): boolean {
      const wasTooLong = bytes > maxBytes
      bytes += piece.length
      if (bytes <= maxBytes) pieces.push(piece)
      else pieces = []
      return bytes > maxBytes && !wasTooLong
    },
    /** The text of the line, empty where it was blank or too long; the next one begins. */
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
