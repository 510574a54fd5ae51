import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  ArtifactMissing,
  type ArtifactStore,
  type Content,
  contentKey,
  requireScope,
  type Upload,
} from './artifact-store.ts'
import { checkedBytes, streamOf } from './checked-bytes.ts'
import { measuredBytes } from './measured-bytes.ts'
import type { PathSigner } from './signed-path.ts'

export interface DirectoryOptions {
  /** An existing folder, or one that can be made. All processes of `training` have the same one. */
  readonly root: string
  readonly signer: PathSigner
  readonly newId: () => string
}

/**
 * Artifacts in a folder. `training` serves it: an upload is measured as it arrives, and waits under the name of its uploader
 * only if it is what was announced.
 */
export function createDirectoryArtifacts({ root, signer, newId }: DirectoryOptions): ArtifactStore {
  const pathOf = (sha256: string) => join(root, contentKey(sha256))
  const unfinished = join(root, 'unfinished')
  const uploadPath = ({ scope, sha256 }: Upload) =>
    join(unfinished, `${requireScope(scope)}-${basename(pathOf(sha256))}`)
  /** Writes content that is checked under a name of its own, and then gives it its name. */
  async function write(content: Content, bytes: Readable, path: string) {
    const temporary = join(unfinished, newId())
    await mkdir(unfinished, { recursive: true })
    try {
      await pipeline(bytes, checkedBytes(content), createWriteStream(temporary, { flags: 'wx', flush: true }))
      await publish(temporary, path)
    } finally {
      await rm(temporary, { force: true })
    }
  }
  const sizeOf = async (sha256: string) => {
    const found = await stat(pathOf(sha256)).catch(nullIfAbsent)
    return found === null ? null : { bytes: found.size }
  }
  return {
    async put(content, bytes) {
      if (await sizeOf(content.sha256)) return
      await write(content, streamOf(bytes), pathOf(content.sha256))
    },
    async stage(bytes) {
      const temporary = join(unfinished, newId())
      await mkdir(unfinished, { recursive: true })
      const measured = measuredBytes()
      const discard = () => rm(temporary, { force: true })
      try {
        await pipeline(measured.through(bytes), createWriteStream(temporary, { flags: 'wx', flush: true }))
      } catch (error) {
        await discard()
        throw error
      }
      const content = measured.read()
      return { ...content, keep: () => publish(temporary, pathOf(content.sha256)), discard }
    },
    receive: (upload, bytes) => write(upload, bytes, uploadPath(upload)),
    async get(sha256, maxBytes) {
      const file = await open(pathOf(sha256)).catch(nullIfAbsent)
      if (file === null) throw new ArtifactMissing(sha256)
      return file.createReadStream(maxBytes === undefined ? {} : { start: 0, end: maxBytes - 1 })
    },
    stat: sizeOf,
    delete: (sha256) => rm(pathOf(sha256), { force: true }),
    signUpload: async ({ sha256, bytes, scope }, expiresAt) => ({
      url: signer.sign({ method: 'put', sha256, bytes, scope, expires: secondsOf(expiresAt) }),
      headers: {},
    }),
    async accept(upload) {
      const path = uploadPath(upload)
      if ((await stat(path).catch(nullIfAbsent)) === null) return 'missing'
      await publish(path, pathOf(upload.sha256))
      return 'stored'
    },
    signDownload: async ({ sha256, bytes }, expiresAt) => ({
      url: signer.sign({ method: 'get', sha256, bytes, scope: '', expires: secondsOf(expiresAt) }),
      headers: {},
    }),
    async sweepUploads(before) {
      for (const name of (await readdir(unfinished).catch(nullIfAbsent)) ?? []) {
        const path = join(unfinished, name)
        const found = await stat(path).catch(nullIfAbsent)
        if (found !== null && found.mtime < before) await rm(path, { force: true })
      }
    },
  }
}

/** After this, the file survives a crash of the machine under its final name. */
async function publish(temporary: string, path: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  await rename(temporary, path)
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function secondsOf(time: Date): number {
  return Math.ceil(time.getTime() / 1_000)
}

function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
