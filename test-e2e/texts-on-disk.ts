import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { zstdDecompressSync } from 'node:zlib'

export interface FileText {
  /** Path from the folder. */
  readonly file: string
  readonly text: string
}

/**
 * Reads every file below a folder: its bytes, and what zstd compressed in them, such as blocks of the log in the pages and
 * the write-ahead log of Postgres. Files that are removed meanwhile are left out.
 */
export async function* textsOnDisk(folder: string): AsyncGenerator<FileText> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const bytes = await readFile(file).catch(() => Buffer.alloc(0))
    for (const text of textsIn(bytes)) yield { file: path.relative(folder, file), text }
  }
}

/** The files below a folder that contain a text, also as a part of something compressed. */
export async function filesWith(folder: string, searched: string): Promise<readonly string[]> {
  const files = new Set<string>()
  for await (const { file, text } of textsOnDisk(folder)) if (text.includes(searched)) files.add(file)
  return [...files].toSorted()
}

function* textsIn(bytes: Buffer): Generator<string> {
  yield bytes.toString('latin1')
  for (let at = bytes.indexOf(magic); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    const text = decompressed(bytes, at)
    if (text !== null) yield text
  }
}

/** The first bytes of everything that zstd compressed. */
const magic = Buffer.from('28b52ffd', 'hex')

/** Null when what begins there is no complete frame. */
function decompressed(bytes: Buffer, start: number): string | null {
  const end = endOfFrame(bytes, start)
  if (end === null) return null
  try {
    return zstdDecompressSync(bytes.subarray(start, end)).toString()
  } catch {
    return null
  }
}

/** The frame's length is not written in it; it ends with its last block (RFC 8878, section 3.1.1). */
function endOfFrame(bytes: Buffer, start: number): number | null {
  const descriptor = bytes[start + magic.length] ?? 0
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  let at = start + magic.length + 1 + (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes
  for (;;) {
    if (at + 3 > bytes.length) return null
    const header = bytes.readUIntLE(at, 3)
    const isRepeatedByte = ((header >> 1) & 3) === 1
    at += 3 + (isRepeatedByte ? 1 : header >> 3)
    if ((header & 1) === 1) break
  }
  const end = at + ((descriptor & 4) === 0 ? 0 : 4)
  return end > bytes.length ? null : end
}
