import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { checkedBytes } from '../artifacts/checked-bytes.ts'
import type { Adapter } from './engines.ts'

export interface AdapterFolders {
  /** @returns the absolute path of the folder @throws Error when a file is missing or is not what it should be */
  place(engine: string, adapter: Adapter): Promise<string>
  discard(engine: string, adapter: string): Promise<void>
  /** Removes all folders of an engine. */
  remove(engine: string): Promise<void>
}

/** Adapters of engines on this machine: a folder for each engine, and in it one for each adapter. */
export function createAdapterFolders(root: string): AdapterFolders {
  const base = resolve(root)
  const folderOf = (engine: string, adapter: string) => join(base, requirePlain(engine), requirePlain(adapter))
  const remove = (folder: string) => rm(folder, { recursive: true, force: true })
  return {
    async place(engine, { name, files, read }) {
      const folder = folderOf(engine, name)
      if (await exists(folder)) return folder
      // It gets its name when it is complete. What a killed worker left behind is made again.
      const unfinished = `${folder}.unfinished`
      await remove(unfinished)
      await mkdir(unfinished, { recursive: true })
      for (const file of files) {
        const path = join(unfinished, requirePlain(file.name))
        await pipeline(await read(file.sha256), checkedBytes(file), createWriteStream(path, { flags: 'wx' }))
      }
      await rename(unfinished, folder)
      return folder
    },
    discard: (engine, adapter) => remove(folderOf(engine, adapter)),
    remove: (engine) => remove(join(base, requirePlain(engine))),
  }
}

async function exists(folder: string): Promise<boolean> {
  return await stat(folder).then(
    () => true,
    () => false,
  )
}

function requirePlain(name: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(name)) throw new RangeError('not a plain name of a file')
  return name
}
