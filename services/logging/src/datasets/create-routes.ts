import {
  CreateDataset,
  type CurateFromLogs,
  createDataset,
  curateFromLogs,
  DatasetDescription,
  DatasetName,
} from '@ratchet/contracts/datasets'
import { maxFileBytes } from '@ratchet/contracts/files'
import type { Identity } from '@ratchet/contracts/identity'
import type { DatasetPreview } from '@ratchet/contracts/log-overview'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson, readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { type FormFields, isForm, readForm } from '@ratchet/service-kit/http/read-form'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Response, Router } from 'express'
import { z } from 'zod'
import type { FileStore } from '../files/pg-files.ts'
import { requireFile } from '../files/routes.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import { type CurateDeps, curateFromLogs as curate } from './curate-from-logs.ts'
import { curationReply, previewReply, uploadReply } from './dataset-reply.ts'
import { type ImportDeps, type ImportedDataset, importDataset, readExamples } from './import-dataset.ts'

export interface CreateDatasetDeps extends CurateDeps, ImportDeps {
  readonly files: FileStore
  readonly workspaces: WorkspaceReads
}

/** Creates datasets from the log, from a JSON body, from a form and from an uploaded file. */
export function createDatasetRoutes(router: Router, deps: CreateDatasetDeps): void {
  mountJson(router, curateFromLogs, async ({ body, identity }) => {
    refuseVerdictAlone(body)
    await requireLogging(deps.workspaces, identity.workspaceId)
    const made = await curate(deps, { body, identity })
    return { ...(body.dry_run ? { status: 200 } : {}), reply: curationReply(made) }
  })

  mountRaw(router, createDataset, async ({ identity, request }, response) => {
    const imported = isForm(request)
      ? await importForm(deps, identity, request)
      : await importJson(deps, identity, { request, response })
    response.status(createDataset.status).json(createDataset.reply.parse(uploadReply(imported)))
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

const FormTitle = z.strictObject({ name: DatasetName.optional(), description: DatasetDescription.optional() })

function importForm(deps: CreateDatasetDeps, identity: Identity, request: Request): Promise<ImportedDataset> {
  return readForm(request, {
    fields: ['name', 'description'],
    maxFileBytes,
    onFile: ({ filename, content }, fields) => {
      const title = fields.then((read) => titleOf(read, filename))
      title.catch(() => undefined)
      return importDataset(deps, { identity, examples: readExamples(content), title })
    },
  })
}

/** The default name is the file name. */
function titleOf(fields: FormFields, filename: string) {
  const { name = filename.slice(0, 200), description = null } = parseInput(FormTitle, fields)
  return { name, description }
}

interface HttpExchange {
  readonly request: Request
  readonly response: Response
}

async function importJson(
  deps: CreateDatasetDeps,
  identity: Identity,
  { request, response }: HttpExchange,
): Promise<ImportedDataset> {
  const body = parseInput(CreateDataset, await readJson(request, response, createDataset.maxJsonBytes))
  const fileId = fileIdOf(body)
  if ((fileId === undefined) === (body.examples === undefined)) {
    throw new ServiceError('invalid_request', 'Send either examples or a file_id.', { param: 'examples' })
  }
  const title = { name: body.name, description: body.description ?? null }
  if (fileId === undefined) return importDataset(deps, { identity, examples: body.examples ?? [], title })
  const file = await requireFile(deps.files, { ...identity, fileId, param: 'file_id' })
  return importDataset(deps, { identity, examples: readExamples(deps.files.content(file)), title })
}

function fileIdOf({ file_id, fileId }: CreateDataset): string | undefined {
  if (file_id !== undefined && fileId !== undefined && file_id !== fileId) {
    throw new ServiceError('invalid_request', 'file_id and fileId differ.', { param: 'fileId' })
  }
  return file_id ?? fileId
}
