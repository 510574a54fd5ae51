import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'

/** A copied file, with its size and hash. */
export const CopiedFile = z.object({
  /** Path relative to the copied folder, with `/`. */
  path: z.string(),
  bytes: z.number(),
  sha256: z.string(),
})
export type CopiedFile = z.infer<typeof CopiedFile>

export interface CopyOptions {
  /** Whether to leave out a file or folder; its path is relative to the copied folder, with `/`. */
  readonly skip?: (path: string) => boolean
  /** Called with the number of bytes after each copied piece. */
  readonly onBytes?: (count: number) => void
}

/**
 * Copies a folder whose files may change or disappear meanwhile. The copy is readable by its owner only. A folder whose
 * files are all left out is created empty.
 *
 * @throws Error for anything that is neither a file nor a folder
 */
export async function copyTree(from: string, to: string, options: CopyOptions = {}): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = []
  await copyFolder({ from, to, options, copied }, '')
  return copied
}

interface Copying {
  readonly from: string
  readonly to: string
  readonly options: CopyOptions
  readonly copied: CopiedFile[]
}

async function copyFolder(copying: Copying, folder: string): Promise<void> {
  const { from, to, options, copied } = copying
  await mkdir(path.join(to, folder), { recursive: true, mode: 0o700 })
  for (const name of (await orAbsent(readdir(path.join(from, folder)))) ?? []) {
    const inside = folder === '' ? name : `${folder}/${name}`
    if (options.skip?.(inside) === true) continue
    const stats = await orAbsent(lstat(path.join(from, inside)))
    if (stats?.isDirectory()) await copyFolder(copying, inside)
    else if (stats?.isFile()) {
      const file = await orAbsent(copyFile(path.join(from, inside), path.join(to, inside), options.onBytes))
      if (file !== null) copied.push({ path: inside, ...file })
    } else if (stats !== null) throw new Error(`${path.join(from, inside)} is neither a file nor a folder`)
  }
}

/** Copies one file, and returns its size and hash. */
export async function copyFile(
  from: string,
  to: string,
  onBytes: (count: number) => void = () => undefined,
): Promise<Omit<CopiedFile, 'path'>> {
  const hash = createHash('sha256')
  let bytes = 0
  const watch = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      bytes += chunk.length
      onBytes(chunk.length)
      done(null, chunk)
    },
  })
  await pipeline(createReadStream(from), watch, createWriteStream(to, { mode: 0o600 }))
  return { bytes, sha256: hash.digest('hex') }
}

async function orAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
