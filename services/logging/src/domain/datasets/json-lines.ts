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

/** Cuts bytes into lines that are not blank, holding one at a time. A byte-order mark and `\r` before `\n` go. */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>, maxLineBytes: number): AsyncGenerator<TextLine> {
  let pieces: Uint8Array[] = []
  let bytes = 0
  let number = 0
  const takeLine = (): TextLine => {
    const text = Buffer.concat(pieces)
      .toString()
      .replace(/^\uFEFF/, '')
      .trim()
    pieces = []
    bytes = 0
    return { number, text }
  }
  const add = (piece: Uint8Array) => {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > maxLineBytes) throw new LineTooLong(number + 1)
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, end))
      from = end + 1
      number += 1
      const line = takeLine()
      if (line.text !== '') yield line
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
  number += 1
  const line = takeLine()
  if (line.text !== '') yield line
}
