import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { migrationNames } from '@ratchet/db/migration-names'
import type { DataPaths } from '../../fleet/data-paths.ts'
import { readFleetFile } from '../../fleet/fleet-file.ts'
import { claimRun, releaseRun } from '../../fleet/run-record.ts'
import { postgresMajor } from '../../stores/postgres-folder.ts'
import { ReadableError } from '../../terminal/readable-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { copyRunningPostgres } from './copy-running-postgres.ts'
import { type CopiedFile, copyTree } from './copy-tree.ts'
import { type Manifest, manifestFile } from './manifest.ts'
import { describeFile, isRunNote } from './postgres-files.ts'
import { byteWatch, formatBytes } from './show-bytes.ts'

export interface BackupOptions {
  readonly data: DataPaths
  /** Folder of the backup; must not exist. */
  readonly into: string
  readonly terminal: Terminal
  readonly now: () => Date
}

/**
 * Copies the data of `npm start` into a new folder: the database, the spill files, checkpoints of models, and the secrets. The fleet may be
 * running. The folder gets its name only when the backup is complete.
 *
 * @throws ReadableError when the folder exists, or there is nothing to copy
 */
export async function takeBackup(options: BackupOptions): Promise<Manifest> {
  const { data, into } = options
  if (existsSync(into)) throw new ReadableError(`${into} exists already. Name a new folder.`)
  if (!existsSync(data.postgres)) {
    throw new ReadableError(`${data.folder} has no database. Back up the one at DATABASE_URL with pg_dump.`)
  }
  const draft = `${into}.partial`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true, mode: 0o700 })
  try {
    const manifest: Manifest = {
      format: 1,
      taken_at: options.now().toISOString(),
      postgres_major: postgresMajor,
      newest_migration: (await migrationNames()).at(-1) ?? '',
      files: await copyEverything(options, draft),
    }
    writeFileSync(path.join(draft, manifestFile), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600 })
    renameSync(draft, into)
    return manifest
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function copyEverything({ data, terminal }: BackupOptions, draft: string): Promise<CopiedFile[]> {
  const beside: CopiedFile[] = []
  const copyBeside = async () => {
    const spill = await copyTree(data.spill, path.join(draft, 'spill'))
    beside.push(...spill.map((file) => ({ ...file, path: `spill/${file.path}` })))
    // Each file has the name of its hash and never changes; a checkpoint that is completed later may lack its files.
    const artifacts = await copyTree(data.artifacts, path.join(draft, 'artifacts'))
    beside.push(...artifacts.map((file) => ({ ...file, path: `artifacts/${file.path}` })))
  }
  const to = path.join(draft, 'postgres')
  const database = await terminal.step(
    'database',
    () => copyDatabase({ data, to, terminal, copyBeside }),
    (files) => `${formatBytes(files.reduce((sum, { bytes }) => sum + bytes, 0))} in ${files.length} files`,
  )
  await copySecrets(data, draft)
  return [
    ...database.map((file) => ({ ...file, path: `postgres/${file.path}` })),
    ...beside,
    ...(await secretsOf(draft)),
  ]
}

interface DatabaseCopy {
  readonly data: DataPaths
  readonly to: string
  readonly terminal: Terminal
  /** Copies the spill files and checkpoints before the database's backup ends: a settlement that is committed later is still among them. */
  readonly copyBeside: () => Promise<void>
}

async function copyDatabase({ data, to, terminal, copyBeside }: DatabaseCopy): Promise<CopiedFile[]> {
  const onBytes = byteWatch((text) => terminal.line(`  ${text}`))
  const claim = await claimRun(data.runFile, (text) => terminal.line(`▸ ${text}`))
  if (claim.kind === 'claimed') {
    // The claim keeps a fleet from starting on the folder until the copy is done.
    try {
      await copyBeside()
      return await copyTree(data.postgres, to, { skip: isRunNote, onBytes })
    } finally {
      releaseRun(data.runFile)
    }
  }
  const fleet = readFleetFile(data.fleetFile)
  if (fleet === null) throw new ReadableError('The fleet is starting or stopping. Try again in a moment.')
  return copyRunningPostgres({ url: fleet.database_url, folder: data.postgres }, to, { onBytes, beforeEnd: copyBeside })
}

async function copySecrets(data: DataPaths, draft: string): Promise<void> {
  await copyTree(data.folder, draft, { skip: (file) => file !== path.basename(data.secretsFile) })
}

async function secretsOf(draft: string): Promise<CopiedFile[]> {
  return [await describeFile(draft, 'secrets.json')]
}
