import { UploadFormat } from '@ratchet/contracts/dataset-format'
import { curateFromEvals } from '@ratchet/contracts/dataset-from-evals'
import {
  CreateDataset,
  type CurateFromLogs,
  createDataset,
  curateFromLogs,
  type DatasetCuration,
  DatasetDescription,
  DatasetName,
} from '@ratchet/contracts/datasets'
import { maxFileBytes } from '@ratchet/contracts/files'
import type { Identity } from '@ratchet/contracts/identity'
import type { DatasetPreview } from '@ratchet/contracts/log-overview'
import {
  answerBytesOnce,
  answerJsonOnce,
  answerOnce,
  type OnceDeps,
  type OnceResult,
} from '@ratchet/service-kit/http/answer-once'
import type { BodyDigest } from '@ratchet/service-kit/http/body-digest'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson, readJsonBytes } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { type FormFields, isForm, readForm } from '@ratchet/service-kit/http/read-form'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { splitList } from '@ratchet/service-kit/json/split-list'
import type { Request, Response, Router } from 'express'
import { z } from 'zod'
import type { FileStore } from '../files/pg-files.ts'
import { requireFile } from '../files/routes.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import { type FromEvalsDeps, curateFromEvals as pairsOf } from './curate-from-evals.ts'
import { type CurateDeps, curateFromLogs as curate } from './curate-from-logs.ts'
import { curationReply, previewReply, uploadReply } from './dataset-reply.ts'
import {
  type DatasetTitle,
  type ImportDeps,
  importDataset,
  maxExampleBytes,
  readExamples,
  readListed,
} from './import-dataset.ts'

export interface CreateDatasetDeps extends CurateDeps, ImportDeps, OnceDeps, FromEvalsDeps {
  readonly files: FileStore
  readonly workspaces: WorkspaceReads
}

/** Creates datasets from the log, from a JSON body, from a form and from an uploaded file. */
export function createDatasetRoutes(router: Router, deps: CreateDatasetDeps): void {
  mountJson(router, curateFromLogs, async ({ body, identity, request }) => {
    refuseVerdictAlone(body)
    await requireLogging(deps.workspaces, identity.workspaceId)
    const make = async () => curationReply(await curate(deps, { body, identity }))
    if (body.dry_run) return { status: 200, reply: await make() }
    const order = { request, identity, endpoint: curateFromLogs.path, body }
    const { answer: reply, headers } = await answerJsonOnce(deps, order, make)
    return { reply, headers }
  })

  mountJson(router, curateFromEvals, async ({ body, identity, request }) => {
    const order = { request, identity, endpoint: curateFromEvals.path, body }
    const make = () => pairsOf(deps, { body, identity })
    const { answer: reply, headers } = await answerJsonOnce(deps, order, make)
    return { reply, headers }
  })

  mountRaw(router, createDataset, async ({ identity, request }, response) => {
    const { answer, headers } = isForm(request)
      ? await importForm(deps, identity, request)
      : await importJson(deps, identity, { request, response })
    response.status(createDataset.status).set(headers).json(createDataset.reply.parse(answer))
  })
}

/** Counts what a curation would keep and drop. */
export async function previewCuration(
  deps: CurateDeps,
  { body, identity }: { readonly body: Omit<CurateFromLogs, 'name' | 'dry_run'>; readonly identity: Identity },
): Promise<DatasetPreview> {
  refuseVerdictAlone(body)
  return previewReply(await curate(deps, { body: { ...body, name: 'preview', dry_run: true }, identity }))
}

function refuseVerdictAlone({ criterion_id: criterionId, verdict }: Omit<CurateFromLogs, 'name' | 'dry_run'>): void {
  if (typeof verdict !== 'string' || typeof criterionId === 'string') return
  throw new ServiceError('invalid_request', 'A verdict needs the criterion_id of its criterion.', { param: 'verdict' })
}

const FormTitle = z.strictObject({
  name: DatasetName.optional(),
  description: DatasetDescription.optional(),
  format: UploadFormat.optional(),
})

type UploadAnswer = Promise<OnceResult<DatasetCuration>>

/** Imports the file of a form, or only reads it. */
type TakeFile<T> = (
  content: AsyncIterable<Uint8Array>,
  title: Promise<DatasetTitle>,
  format: UploadFormat,
) => Promise<T>

function importForm(deps: CreateDatasetDeps, identity: Identity, request: Request): UploadAnswer {
  return answerOnce(deps, {
    request,
    identity,
    endpoint: createDataset.path,
    read: (digest) =>
      readUpload(request, digest, async (content, title) => {
        for await (const _ of content);
        await title
      }),
    make: (digest) =>
      readUpload(request, digest, async (content, title, format) => {
        const examples = readExamples(deps, { workspaceId: identity.workspaceId, format }, content)
        return uploadReply(await importDataset(deps, { identity, format, examples, title }))
      }),
  })
}

/** The title is counted after the file, because a form may send it last. */
function readUpload<T>(request: Request, digest: BodyDigest, take: TakeFile<T>): Promise<T> {
  return readForm(request, {
    fields: ['name', 'description', 'format'],
    maxFileBytes,
    onFile: async ({ filename, content, fieldsAhead }, fields) => {
      const { format } = parseInput(FormTitle, fieldsAhead())
      const title = fields.then((read) => titleOf(read, { filename, format }))
      title.catch(() => undefined)
      const taken = await take(digest.through(content), title, format ?? 'chat')
      digest.add(JSON.stringify(await title))
      return taken
    },
  })
}

interface FormStart {
  readonly filename: string
  /** As it was known before the file. */
  readonly format: UploadFormat | undefined
}

/** The default name is the file name. */
function titleOf(fields: FormFields, { filename, format }: FormStart) {
  const { name = filename.slice(0, 200), description = null, ...read } = parseInput(FormTitle, fields)
  if (read.format !== format) throw invalidRequest('format', '`format` must come before the file.')
  return format === undefined ? { name, description } : { name, description, format }
}

interface HttpExchange {
  readonly request: Request
  readonly response: Response
}

/** Examples are read one by one: all of a large body at once would let other requests wait. */
const JsonUpload = CreateDataset.extend({ examples: z.array(z.unknown()).optional() })

async function importJson(
  deps: CreateDatasetDeps,
  identity: Identity,
  { request, response }: HttpExchange,
): UploadAnswer {
  const bytes = await readJsonBytes(request, response, createDataset.maxJsonBytes)
  const { rest, items } = await deps.slicedWork.run(splitList(bytes, 'examples', { maxItemBytes: maxExampleBytes }))
  const body = parseInput(JsonUpload, rest)
  const fileId = fileIdOf(body)
  if ((fileId === undefined) === (body.examples === undefined)) {
    throw new ServiceError('invalid_request', 'Send either examples or a file_id.', { param: 'examples' })
  }
  const title = { name: body.name, description: body.description ?? null }
  const { format } = body
  const of = { workspaceId: identity.workspaceId, format }
  const order = { request, identity, endpoint: createDataset.path, bytes }
  return answerBytesOnce(deps, order, async () => {
    const examples =
      items === null ? await examplesOf(deps, { identity, fileId: fileId ?? '', format }) : readListed(deps, of, items)
    return uploadReply(await importDataset(deps, { identity, format, examples, title }))
  })
}

interface NamedFile {
  readonly identity: Identity
  readonly fileId: string
  readonly format: UploadFormat
}

async function examplesOf(deps: CreateDatasetDeps, { identity, fileId, format }: NamedFile) {
  const file = await requireFile(deps.files, { ...identity, fileId, param: 'file_id' })
  return readExamples(deps, { workspaceId: identity.workspaceId, format }, deps.files.content(file))
}

function fileIdOf({ file_id, fileId }: Pick<CreateDataset, 'file_id' | 'fileId'>): string | undefined {
  if (file_id !== undefined && fileId !== undefined && file_id !== fileId) {
    throw new ServiceError('invalid_request', 'file_id and fileId differ.', { param: 'fileId' })
  }
  return file_id ?? fileId
}
