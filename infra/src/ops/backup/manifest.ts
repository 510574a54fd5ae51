import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { ReadableError } from '../../terminal/readable-error.ts'
import { CopiedFile } from './copy-tree.ts'

export const manifestFile = 'manifest.json'

/** Describes a backup. It is written last: a folder without it is not a complete backup. */
export const Manifest = z.object({
  format: z.literal(1),
  taken_at: z.iso.datetime(),
  postgres_major: z.string(),
  /** The newest migration of the release that made the backup. */
  newest_migration: z.string(),
  /** Every other file of the backup. */
  files: z.array(CopiedFile),
})
export type Manifest = z.infer<typeof Manifest>

/** @throws ReadableError when the folder is not a complete backup */
export function readManifest(folder: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(readFileSync(path.join(folder, manifestFile), 'utf8')))
  } catch (cause) {
    throw new ReadableError(`${folder} is not a complete backup: its ${manifestFile} is missing or invalid.`, { cause })
  }
}

/** The versions that decide what this release can restore. */
export interface Release {
  readonly postgresMajor: string
  readonly migrations: readonly string[]
}

/** @throws ReadableError when this release cannot run on the backup */
export function checkManifest(manifest: Manifest, { postgresMajor, migrations }: Release): void {
  const { postgres_major: major, newest_migration: newest } = manifest
  if (major !== postgresMajor) {
    throw new ReadableError(`The backup is from Postgres ${major}; this release has ${postgresMajor}.`)
  }
  if (!migrations.includes(newest)) {
    throw new ReadableError(`The backup is from a newer release (migration ${newest}). Restore it with that release.`)
  }
}
