import { importLogs, jsonLinesTypes } from '@ratchet/contracts/log-import'
import { bodyBytes, mediaTypeOf } from '@ratchet/service-kit/body-bytes'
import { mountRaw } from '@ratchet/service-kit/mount'
import { readJson } from '@ratchet/service-kit/mount-json'
import { parseInput } from '@ratchet/service-kit/parse-input'
import { isForm, readForm } from '@ratchet/service-kit/read-form'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Request, Response, Router } from 'express'
import { z } from 'zod'
import type { LoggingSettings, WorkspaceReads } from '../domain/workspace-reads.ts'
import { entriesOf, linesOf } from '../import/entry-lines.ts'
import { type ImportDeps, type ImportOrder, importLogs as importEntries } from '../import/import-logs.ts'
import { maxFileBytes } from './files.ts'
import { requireLogging } from './require-logging.ts'

export interface ImportRouteDeps extends ImportDeps {
  readonly workspaces: WorkspaceReads
}

const maxJsonBytes = 16 * 1024 * 1024

/** The entries are read one by one. */
const JsonBody = z.strictObject({ logs: z.array(z.unknown()).min(1) })

type Owner = Pick<ImportOrder, 'workspaceId' | 'retentionDays'>

/** Taking what was logged elsewhere into the log. */
export function importRoutes(router: Router, deps: ImportRouteDeps): void {
  mountRaw(router, importLogs, async ({ identity: { workspaceId }, request }, response) => {
    const { retentionDays } = await settingsOf(deps, workspaceId, request)
    const reply = await readImport(deps, { workspaceId, retentionDays }, { request, response })
    response.json(importLogs.reply.parse(reply))
  })
}

/** The body of a refused request goes by unread, so that the client gets to see the answer. */
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

interface Asked {
  readonly request: Request
  readonly response: Response
}

async function readImport(deps: ImportRouteDeps, owner: Owner, { request, response }: Asked) {
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
  const { logs } = parseInput(JsonBody, await readJson(request, response, maxJsonBytes))
  return importEntries(deps, { ...owner, lines: entriesOf(logs, 'logs'), where: 'logs' })
}

function unsupported(request: Request): ServiceError {
  request.resume()
  const types = importLogs.bodyTypes
  const message = `Send the entries as ${types.slice(0, -1).join(', ')} or ${types.at(-1)}.`
  return new ServiceError('unsupported_media_type', message, { param: 'Content-Type' })
}
