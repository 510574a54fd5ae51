import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { CopiedFile } from './copy-tree.ts'

/** Folders whose contents a server creates again, and the write-ahead log, which is copied separately. */
const emptied =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/|\/pgsql_tmp[^/]*/
const excluded =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?)$|(^|\/)pg_internal\.init(\.\d+)?$/

/** Whether a copy of a running server must not contain the file; the same rules as in pg_basebackup. */
export function isLeftOut(file: string): boolean {
  return emptied.test(file) || excluded.test(file)
}

/** Whether the file only says that the server runs: the one file that a copy of a stopped server must not contain. */
export function isRunNote(file: string): boolean {
  return /^postmaster\.(pid|opts)$/.test(file)
}

/** Size and hash of a file that was written instead of copied. */
export async function describeFile(folder: string, file: string): Promise<CopiedFile> {
  const content = await readFile(path.join(folder, file))
  return { path: file, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}
