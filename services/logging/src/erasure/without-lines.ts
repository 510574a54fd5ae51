/** Takes lines out of a content that comes in pieces, with one piece and the beginning of a line in memory. */
export function createLineFilter(isTakenOut: (line: string) => boolean) {
  let begun: Buffer = Buffer.alloc(0)
  let removed = 0
  const keep = (lines: readonly string[]) =>
    lines.filter((line) => {
      const isOut = isTakenOut(line)
      if (isOut) removed += 1
      return !isOut
    })
  return {
    /** The lines of the piece that stay, without one that has not ended. */
    add(piece: Uint8Array): Buffer {
      const all = Buffer.concat([begun, piece])
      const end = all.lastIndexOf(10) + 1
      begun = all.subarray(end)
      if (end === 0) return Buffer.alloc(0)
      const lines = all.toString('utf8', 0, end - 1).split('\n')
      const kept = keep(lines)
      if (kept.length === lines.length) return all.subarray(0, end)
      return Buffer.from(kept.map((line) => `${line}\n`).join(''))
    },
    /** The last line, when the content does not end with the end of a line. */
    end(): Buffer {
      const last = begun
      begun = Buffer.alloc(0)
      return last.length > 0 && keep([last.toString('utf8')]).length === 0 ? Buffer.alloc(0) : last
    },
    removed: () => removed,
  }
}
