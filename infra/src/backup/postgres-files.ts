import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { CopiedFile } from './copy-tree.ts'

/** Folders whose contents a server makes anew; the write-ahead log is copied apart. */
const emptied =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/|\/pgsql_tmp[^/]*/
const left = /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?)$|(^|\/)pg_internal\.init(\.\d+)?$/

/** What a copy of a running server's files must not have, as pg_basebackup has it. */
export function isLeftOut(file: string): boolean {
  return emptied.test(file) || left.test(file)
}

/** Of a server that was stopped everything is copied but the note that it runs. */
export function isRunNote(file: string): boolean {
  return /^postmaster\.(pid|opts)$/.test(file)
}

/** A small file that was written rather than copied. */
export async function describeFile(folder: string, file: string): Promise<CopiedFile> {
  const content = await readFile(path.join(folder, file))
  return { path: file, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}
