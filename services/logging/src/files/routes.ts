import {
  createFile,
  deleteFile,
  type FileObject,
  FilePurpose,
  getFile,
  getFileContent,
  listFiles,
  maxFileBytes,
} from '@ratchet/contracts/files'
import { writeFilePiece } from '@ratchet/contracts/internal-batches'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { isForm, readForm } from '@ratchet/service-kit/http/read-form'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import type { Router } from 'express'
import { z } from 'zod'
import type { DataUse } from '../datasets/data-use.ts'
import type { StoredFile } from './file.ts'
import type { FileStore } from './pg-files.ts'
import { type StoreFileDeps, storeFile } from './store-file.ts'
import { writePiece } from './write-piece.ts'

const FormFields = z.strictObject({ purpose: FilePurpose })

export interface FileRouteDeps extends StoreFileDeps {
  readonly dataUse: Pick<DataUse, 'byTraining'>
}

/** Uploads, lists, reads and deletes files, with the shapes of OpenAI's API. */
export function fileRoutes(router: Router, deps: FileRouteDeps): void {
  const { files, dataUse } = deps
  mountRaw(router, createFile, async ({ identity, request }, response) => {
    if (!isForm(request)) {
      const message = 'Send the file as multipart/form-data.'
      throw new ServiceError('unsupported_media_type', message, { param: 'Content-Type' })
    }
    const file = await readForm(request, {
      fields: ['purpose'],
      maxFileBytes,
      onFile: ({ filename, content }, fields) => {
        const purpose = fields.then((read) => parseInput(FormFields, read).purpose)
        purpose.catch(() => undefined)
        return storeFile(deps, { identity, filename, content, purpose })
      },
    })
    response.json(createFile.reply.parse(fileReply(file)))
  })
  mountRaw(router, listFiles, async ({ query: { after, ...query }, identity: { workspaceId }, request }, response) => {
    const last =
      after === undefined ? undefined : (await requireFile(files, { workspaceId, fileId: after, param: 'after' })).id
    const expectsList = isOpenAiSdk(request.headers['user-agent'])
    // One more than a page shows whether there are more.
    const limit = expectsList ? query.limit + 1 : query.limit
    const found = listFiles.reply.parse(
      (await files.list({ ...query, limit, workspaceId, after: last })).map(fileReply),
    )
    response.json(expectsList ? listOf(found, query.limit) : found)
  })
  mount(router, getFile, async ({ params, identity: { workspaceId } }) =>
    fileReply(await requireFile(files, { workspaceId, fileId: params.id })),
  )
  mountRaw(router, getFileContent, async ({ params, identity: { workspaceId } }, response) => {
    const { id, filename, bytes } = await requireFile(files, { workspaceId, fileId: params.id })
    response.attachment(filename).set('content-length', String(bytes))
    await writePieces(response, 'application/octet-stream', files.content({ workspaceId, id })[Symbol.asyncIterator]())
  })
  mountJson(router, writeFilePiece, async ({ params, body, identity }) => ({
    reply: { bytes: await writePiece(deps, { identity, fileId: params.file_id, ...body }) },
  }))
  mount(router, deleteFile, async ({ params, identity }) => {
    const { workspaceId } = identity
    const { id } = await requireFile(files, { workspaceId, fileId: params.id })
    if (await dataUse.byTraining(identity, params.id)) {
      throw new ServiceError('conflict', 'A fine-tuning job still has to read this file.')
    }
    if (!(await files.delete({ workspaceId, id }))) throw notFound('file')
    return { id: params.id, object: 'file' as const, deleted: true as const }
  })
}

/** The clients of OpenAI read a list object only: an array looks empty to them, or fails. */
function isOpenAiSdk(userAgent = ''): boolean {
  return /^(?:Async)?(?:Azure)?OpenAI\//.test(userAgent)
}

function listOf(found: readonly FileObject[], limit: number): object {
  const data = found.slice(0, limit)
  const ids = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
  return { object: 'list', data, ...ids, has_more: found.length > limit }
}

interface FileRequest {
  readonly workspaceId: string
  readonly fileId: string
  readonly param?: string
}

/** @throws ServiceError `not_found`, with the parameter that names the file */
export async function requireFile(
  files: FileStore,
  { workspaceId, fileId, param = 'id' }: FileRequest,
): Promise<StoredFile> {
  const id = uuidOf('file', fileId)
  const found = id === null ? null : await files.get({ workspaceId, id })
  if (found === null) throw notFound('file', param)
  return found
}

function fileReply(file: StoredFile): FileObject {
  return {
    id: publicId('file', file.id),
    object: 'file',
    bytes: file.bytes,
    created_at: Math.floor(file.createdAt.getTime() / 1_000),
    filename: file.filename,
    purpose: file.purpose,
    status: 'processed',
  }
}
