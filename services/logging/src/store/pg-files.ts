import type { Pool } from '@ratchet/db/connect-pool'
import type { FileStore, StoredFile } from '../domain/files/file-store.ts'
import { fileStatements as statements } from './file-statements.ts'
import { createRunRead } from './run-read.ts'

interface FileRow {
  readonly id: string
  readonly workspace_id: string
  readonly filename: string
  readonly purpose: string
  readonly bytes: string
  readonly created_at: Date
}

/** Hours after which a file that nobody finished is taken to be abandoned. */
const abandonedAfterHours = 6

/** Files in Postgres, their content in pieces. */
export function createPgFiles(pool: Pool): FileStore {
  const run = createRunRead(pool)
  return {
    async begin({ id, workspaceId, filename, createdBy, createdAt }) {
      await run(statements.sweep, [createdAt, abandonedAfterHours])
      await run(statements.begin, [id, workspaceId, filename, createdBy, createdAt])
    },
    async append(fileId, position, content) {
      await run(statements.append, [fileId, position, content])
    },
    async complete(fileId, { bytes, purpose, at }) {
      await run(statements.complete, [fileId, bytes, purpose, at])
    },
    async get({ workspaceId, id }) {
      const [row] = await run<FileRow>(statements.get, [workspaceId, id])
      return row === undefined ? null : toFile(row)
    },
    async list({ workspaceId, purpose, limit, order, after }) {
      const values = [workspaceId, purpose ?? null, after ?? null, limit]
      const rows = await run<FileRow>(order === 'asc' ? statements.oldest : statements.newest, values)
      return rows.map(toFile)
    },
    async *content(fileId) {
      for (let position = 0; ; position++) {
        const [row] = await run<{ content: Buffer }>(statements.content, [fileId, position])
        if (row === undefined) return
        yield row.content
      }
    },
    async delete({ workspaceId, id }) {
      return (await run(statements.delete, [workspaceId, id])).length === 1
    },
  }
}

function toFile(row: FileRow): StoredFile {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    filename: row.filename,
    purpose: row.purpose,
    bytes: Number(row.bytes),
    createdAt: row.created_at,
  }
}
