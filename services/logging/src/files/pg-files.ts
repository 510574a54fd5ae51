import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import { createRunRead } from '../exchanges/pg-run-read.ts'
import type { FileKey, FileQuery, NewFile, StoredFile } from './file.ts'

type FileRow = Pick<Row<'file'>, 'id' | 'workspace_id' | 'filename' | 'purpose' | 'bytes' | 'created_at'>

interface FileEnd {
  readonly bytes: number
  readonly purpose: string
  readonly at: Date
}

export type FileStore = ReturnType<typeof createPgFiles>

/** Files in Postgres; the content is stored in pieces. */
export function createPgFiles(pool: Pool, places?: FairPlaces) {
  const runOf = createRunRead(pool, places)
  return {
    /** Begins a file, which is invisible until it is complete. */
    async begin({ id, workspaceId, filename, createdBy, createdAt }: Omit<NewFile, 'purpose'>): Promise<void> {
      await runOf(workspaceId)(fileStatements.begin, [id, workspaceId, filename, createdBy, createdAt])
    },
    /** Stores a piece and counts its bytes. @throws ServiceError `quota_exceeded` */
    async append({ workspaceId, id }: FileKey, position: number, content: Uint8Array): Promise<void> {
      const values = [id, position, content, workspaceId]
      const added = await withinQuota(() => runOf(workspaceId)(fileStatements.append, values))
      if (added.length === 0) throw new Error('the file was deleted while it was written')
    },
    async complete({ workspaceId, id }: FileKey, { bytes, purpose, at }: FileEnd): Promise<void> {
      await runOf(workspaceId)(fileStatements.complete, [id, bytes, purpose, at])
    },
    async get({ workspaceId, id }: FileKey): Promise<StoredFile | null> {
      const [row] = await runOf(workspaceId)<FileRow>(fileStatements.get, [workspaceId, id])
      return row === undefined ? null : toFile(row)
    },
    /** Files in the order of their age. */
    async list({ workspaceId, purpose, limit, order, after }: FileQuery): Promise<readonly StoredFile[]> {
      const values = [workspaceId, purpose ?? null, after ?? null, limit]
      const statement = order === 'asc' ? fileStatements.oldest : fileStatements.newest
      const rows = await runOf(workspaceId)<FileRow>(statement, values)
      return rows.map(toFile)
    },
    /** The content of a file, one piece in memory at a time. */
    async *content({ workspaceId, id }: FileKey): AsyncGenerator<Uint8Array> {
      for (let position = 0; ; position++) {
        const [row] = await runOf(workspaceId)<{ content: Buffer }>(fileStatements.content, [id, position])
        if (row === undefined) return
        yield row.content
      }
    },
    /** Deletes a file, also an incomplete one. */
    async delete({ workspaceId, id }: FileKey): Promise<boolean> {
      return (await runOf(workspaceId)(fileStatements.delete, [workspaceId, id])).length === 1
    },
  }
}

const columns = 'id, workspace_id, filename, purpose, bytes, created_at'

const visible = `SELECT ${columns} FROM file WHERE workspace_id = $1 AND completed_at IS NOT NULL`

const page = (comparison: '<' | '>', order: 'ASC' | 'DESC') => `
  ${visible} AND ($2::text IS NULL OR purpose = $2)
    AND ($3::uuid IS NULL OR (created_at, id) ${comparison} (SELECT created_at, id FROM file WHERE id = $3 AND workspace_id = $1))
  ORDER BY created_at ${order}, id ${order} LIMIT $4`

/** Every statement on files. Rows of another workspace never match. */
const fileStatements = {
  begin: `
    INSERT INTO file (id, workspace_id, filename, purpose, created_by, created_at) VALUES ($1, $2, $3, '', $4, $5)`,

  append: `
    WITH grown AS (UPDATE file SET bytes = bytes + octet_length($3::bytea) WHERE id = $1 AND workspace_id = $4 RETURNING id)
    INSERT INTO file_chunk (file_id, position, content) SELECT id, $2, $3 FROM grown RETURNING position`,

  complete: `UPDATE file SET bytes = $2, purpose = $3, completed_at = $4 WHERE id = $1`,

  get: `${visible} AND id = $2`,

  newest: page('<', 'DESC'),

  oldest: page('>', 'ASC'),

  content: `SELECT content FROM file_chunk WHERE file_id = $1 AND position = $2`,

  delete: `DELETE FROM file WHERE workspace_id = $1 AND id = $2 RETURNING id`,
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
