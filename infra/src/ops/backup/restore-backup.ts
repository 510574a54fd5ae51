import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { migrationNames } from '@ratchet/db/migration-names'
import { createDataFolder, type DataPaths } from '../../fleet/data-paths.ts'
import { claimRun, releaseRun } from '../../fleet/run-record.ts'
import { postgresBinaries } from '../../stores/postgres-binaries.ts'
import { postgresMajor } from '../../stores/postgres-folder.ts'
import { postgresUser } from '../../stores/postgres-user.ts'
import { ReadableError } from '../../terminal/readable-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { copyFile } from './copy-tree.ts'
import { checkManifest, type Manifest, readManifest } from './manifest.ts'
import { byteWatch, formatBytes } from './show-bytes.ts'

export interface RestoreOptions {
  readonly data: DataPaths
  readonly from: string
  readonly terminal: Terminal
}

/**
 * Restores a backup into a data folder without data, for the next `npm start`. Every file is copied and compared with the
 * manifest before the first one is moved into its place.
 *
 * @throws ReadableError when a fleet runs on the folder, the folder has data, or the backup is damaged or does not fit
 * this release
 */
export async function restoreBackup({ data, from, terminal }: RestoreOptions): Promise<Manifest> {
  const manifest = readManifest(from)
  checkManifest(manifest, { postgresMajor, migrations: await migrationNames() })
  createDataFolder(data)
  const claim = await claimRun(data.runFile, (text) => terminal.line(`▸ ${text}`))
  if (claim.kind === 'taken') throw new ReadableError(`A fleet runs on ${data.folder}. Run \`npm stop\` first.`)
  const staging = mkdtempSync(path.join(data.folder, 'restore-'))
  try {
    checkEmpty(data)
    await terminal.step(
      'files',
      () => copyChecked(manifest, { from, staging, onBytes: byteWatch((text) => terminal.line(`  ${text}`)) }),
      (bytes) => `${formatBytes(bytes)} in ${manifest.files.length} files, all verified`,
    )
    moveIntoPlace(staging, data)
    return manifest
  } finally {
    rmSync(staging, { recursive: true, force: true })
    releaseRun(data.runFile)
  }
}

/** @throws ReadableError when a fleet has left data in the folder */
function checkEmpty(data: DataPaths): void {
  const found = [data.postgres, data.redis, data.spill, data.artifacts, data.secretsFile].filter((place) =>
    existsSync(place),
  )
  if (found.length === 0) return
  const names = found.map((place) => path.basename(place)).join(', ')
  throw new ReadableError(
    `${data.folder} has data (${names}). Move the folder away first, or name an empty one in RATCHET_DATA_DIR.`,
  )
}

interface Copying {
  readonly from: string
  readonly staging: string
  readonly onBytes: (count: number) => void
}

/** @returns bytes copied */
async function copyChecked({ files }: Manifest, { from, staging, onBytes }: Copying): Promise<number> {
  makeFolders(from, staging)
  let total = 0
  for (const expected of files) {
    const place = path.join(staging, expected.path)
    if (!place.startsWith(staging + path.sep))
      throw new ReadableError(`The backup names a path outside its folder: ${expected.path}.`)
    mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 })
    const { bytes, sha256 } = await copyOne(from, expected.path, place, onBytes)
    if (bytes !== expected.bytes || sha256 !== expected.sha256) {
      throw new ReadableError(`The backup is damaged: ${expected.path} does not match its hash.`)
    }
    total += bytes
  }
  return total
}

async function copyOne(from: string, file: string, place: string, onBytes: (count: number) => void) {
  try {
    return await copyFile(path.join(from, file), place, onBytes)
  } catch (cause) {
    throw new ReadableError(`The backup is damaged: ${file} cannot be read (${(cause as Error).message}).`, { cause })
  }
}

/** Creates empty folders as well: no file names them, and Postgres requires them. */
function makeFolders(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) makeFolders(path.join(from, entry.name), path.join(to, entry.name))
  }
}

/** Moves the database last, so that an interrupted restore leaves no database. */
function moveIntoPlace(staging: string, data: DataPaths): void {
  giveToServer(path.join(staging, 'postgres'), data.folder)
  renameSync(path.join(staging, 'secrets.json'), data.secretsFile)
  if (existsSync(path.join(staging, 'spill'))) renameSync(path.join(staging, 'spill'), data.spill)
  if (existsSync(path.join(staging, 'artifacts'))) renameSync(path.join(staging, 'artifacts'), data.artifacts)
  renameSync(path.join(staging, 'postgres'), data.postgres)
}

/** Postgres may run as another user, and refuses files that this user does not own. */
function giveToServer(folder: string, parent: string): void {
  const { own } = postgresUser(postgresBinaries().postgres, parent)
  own(folder)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    own(path.join(entry.parentPath, entry.name))
  }
}
