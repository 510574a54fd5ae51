import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { ReadableError } from '../readable-error.ts'
import { CopiedFile } from './copy-tree.ts'

export const manifestFile = 'manifest.json'

/** What a backup is, written last: a folder without it is none. */
export const Manifest = z.object({
  format: z.literal(1),
  taken_at: z.iso.datetime(),
  postgres_major: z.string(),
  /** The newest one that the release knew which made the backup. */
  newest_migration: z.string(),
  /** Every file but this one, in `postgres/`, `spill/` and beside them. */
  files: z.array(CopiedFile),
})
export type Manifest = z.infer<typeof Manifest>

/** @throws ReadableError when the folder is no backup */
export function readManifest(folder: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(readFileSync(path.join(folder, manifestFile), 'utf8')))
  } catch (cause) {
    throw new ReadableError(`${folder} is no whole backup: its ${manifestFile} is missing or not ours.`, { cause })
  }
}

/** What this release restores. */
export interface Release {
  readonly postgresMajor: string
  readonly migrations: readonly string[]
}

/** @throws ReadableError when this release cannot run on the backup */
export function checkManifest(manifest: Manifest, { postgresMajor, migrations }: Release): void {
  const { postgres_major: major, newest_migration: newest } = manifest
  if (major !== postgresMajor) {
    throw new ReadableError(`The backup is of Postgres ${major}; this release has ${postgresMajor}.`)
  }
  if (!migrations.includes(newest)) {
    throw new ReadableError(`The backup is of a newer release (migration ${newest}). Restore it with that one.`)
  }
}
