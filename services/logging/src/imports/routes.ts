import { maxFileBytes } from '@ratchet/contracts/files'
import type { Identity } from '@ratchet/contracts/identity'
import { importLogs, jsonLinesTypes, type LogImport } from '@ratchet/contracts/log-import'
import { answerBytesOnce, answerOnce, type OnceDeps, type OnceResult } from '@ratchet/service-kit/http/answer-once'
import { bodyBytes, mediaTypeOf } from '@ratchet/service-kit/http/body-bytes'
import type { BodyDigest } from '@ratchet/service-kit/http/body-digest'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { readJsonBytes } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { isForm, readForm } from '@ratchet/service-kit/http/read-form'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { splitList } from '@ratchet/service-kit/json/split-list'
import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import type { Request, Response, Router } from 'express'
import { z } from 'zod'
import type { LoggingSettings, WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import { entriesOf, linesOf, maxEntryBytes } from './entry-lines.ts'
import { type ImportDeps, importLogs as importEntries } from './import-logs.ts'

export interface ImportRouteDeps extends ImportDeps, OnceDeps {
  readonly workspaces: WorkspaceReads
  /** Shared by all bodies that are split. */
  readonly slicedWork: SlicedWork
}

/** Entries are read one by one later, so that each can fail alone. */
const JsonBody = z.strictObject({ logs: z.array(z.unknown()) })

interface Sender {
  readonly identity: Identity
  readonly retentionDays: number
}

/** Imports logs of other systems. */
export function importRoutes(router: Router, deps: ImportRouteDeps): void {
  mountRaw(router, importLogs, async ({ identity, request }, response) => {
    const { retentionDays } = await settingsOf(deps, identity.workspaceId, request)
    const { answer, headers } = await readImport(deps, { identity, retentionDays }, { request, response })
    response.set(headers).json(importLogs.reply.parse(answer))
  })
}

/** Discards the body of a refused request, so that the client can read the reply. */
async function settingsOf(
  { workspaces }: ImportRouteDeps,
  workspaceId: string,
  request: Request,
): Promise<LoggingSettings> {
  try {
    return await requireLogging(workspaces, workspaceId)
  } catch (error) {
    request.resume()
    throw error
  }
}

interface HttpExchange {
  readonly request: Request
  readonly response: Response
}

/** Imports the lines of a file or body, or only reads them. */
type TakeLines<T> = (content: AsyncIterable<Uint8Array>, where: 'file' | 'body') => Promise<T>

async function readImport(
  deps: ImportRouteDeps,
  { identity, retentionDays }: Sender,
  { request, response }: HttpExchange,
): Promise<OnceResult<LogImport>> {
  const owner = { workspaceId: identity.workspaceId, retentionDays }
  const order = { request, identity, endpoint: importLogs.path }
  const type = mediaTypeOf(request)
  if (isForm(request) || jsonLinesTypes.some((each) => each === type)) {
    return answerOnce(deps, {
      ...order,
      read: (digest) => readLines(request, digest, readToEnd),
      make: (digest) =>
        readLines(request, digest, (content, where) =>
          importEntries(deps, { ...owner, lines: linesOf(content, where), where }),
        ),
    })
  }
  if (type !== 'application/json') throw unsupported(request)
  const bytes = await readJsonBytes(request, response, importLogs.maxJsonBytes)
  const { rest, items } = await deps.slicedWork.run(splitList(bytes, 'logs', { maxItemBytes: maxEntryBytes }))
  parseInput(JsonBody, rest)
  return answerBytesOnce(deps, { ...order, bytes }, () =>
    importEntries(deps, { ...owner, lines: entriesOf(items ?? [], 'logs'), where: 'logs' }),
  )
}

function readLines<T>(request: Request, digest: BodyDigest, take: TakeLines<T>): Promise<T> {
  if (!isForm(request)) return bodyBytes(request, maxFileBytes, (content) => take(digest.through(content), 'body'))
  return readForm(request, {
    fields: [],
    maxFileBytes,
    onFile: ({ content }) => take(digest.through(content), 'file'),
  })
}

async function readToEnd(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}

function unsupported(request: Request): ServiceError {
  request.resume()
  const types = importLogs.bodyTypes
  const message = `Send the entries as ${types.slice(0, -1).join(', ')} or ${types.at(-1)}.`
  return new ServiceError('unsupported_media_type', message, { param: 'Content-Type' })
}
