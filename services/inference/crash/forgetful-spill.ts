import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { SpillRedis } from '../src/ledger/spill.ts'

/** A place for spilled closings, in a folder, that loses what requests without a row are charged by. */
export function createForgetfulSpill(dir: string): SpillRedis {
  const fileOf = (field: string) => path.join(dir, `${field}.json`)
  return {
    async hset(_key, field, value) {
      await mkdir(dir, { recursive: true })
      const text = JSON.stringify({ ...(JSON.parse(value) as object), escrow: null })
      await writeFile(`${fileOf(field)}.${process.pid}`, text)
      await rename(`${fileOf(field)}.${process.pid}`, fileOf(field))
    },
    hdel: (_key, field) => rm(fileOf(field), { force: true }),
    async hgetall() {
      const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.json'))
      const texts = names.map(
        async (name) => [name, await readFile(path.join(dir, name), 'utf8').catch(() => '')] as const,
      )
      return Object.fromEntries((await Promise.all(texts)).filter(([, text]) => text !== ''))
    },
  }
}
