import { maxFileBytes } from '@ratchet/contracts/files'
import { importLogs, jsonLinesTypes } from '@ratchet/contracts/log-import'
import { bodyBytes, mediaTypeOf } from '@ratchet/service-kit/http/body-bytes'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { isForm, readForm } from '@ratchet/service-kit/http/read-form'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Response, Router } from 'express'
import { z } from 'zod'
import type { LoggingSettings, WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import { entriesOf, linesOf } from './entry-lines.ts'
import { type ImportDeps, type ImportOrder, importLogs as importEntries } from './import-logs.ts'

export interface ImportRouteDeps extends ImportDeps {
  readonly workspaces: WorkspaceReads
}

/** Entries are validated one by one later, so that each can fail alone. */
const JsonBody = z.strictObject({ logs: z.array(z.unknown()).min(1) })

type Owner = Pick<ImportOrder, 'workspaceId' | 'retentionDays'>

/** Imports logs of other systems. */
export function importRoutes(router: Router, deps: ImportRouteDeps): void {
  mountRaw(router, importLogs, async ({ identity: { workspaceId }, request }, response) => {
    const { retentionDays } = await settingsOf(deps, workspaceId, request)
    const reply = await readImport(deps, { workspaceId, retentionDays }, { request, response })
    response.json(importLogs.reply.parse(reply))
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

async function readImport(deps: ImportRouteDeps, owner: Owner, { request, response }: HttpExchange) {
  if (isForm(request)) {
    return readForm(request, {
      fields: [],
      maxFileBytes,
      onFile: ({ content }) => importEntries(deps, { ...owner, lines: linesOf(content, 'file'), where: 'file' }),
    })
  }
  const type = mediaTypeOf(request)
  if (jsonLinesTypes.some((each) => each === type)) {
    return bodyBytes(request, maxFileBytes, (content) =>
      importEntries(deps, { ...owner, lines: linesOf(content, 'body'), where: 'body' }),
    )
  }
  if (type !== 'application/json') throw unsupported(request)
  const { logs } = parseInput(JsonBody, await readJson(request, response, importLogs.maxJsonBytes))
  return importEntries(deps, { ...owner, lines: entriesOf(logs, 'logs'), where: 'logs' })
}

function unsupported(request: Request): ServiceError {
  request.resume()
  const types = importLogs.bodyTypes
  const message = `Send the entries as ${types.slice(0, -1).join(', ')} or ${types.at(-1)}.`
  return new ServiceError('unsupported_media_type', message, { param: 'Content-Type' })
}
