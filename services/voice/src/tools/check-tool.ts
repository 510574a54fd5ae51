import { builtInVoiceTools, type UpdateVoiceTool } from '@ratchet/contracts/voice/tools'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { webhookUrlProblem } from '@ratchet/http/check-webhook-url'
import type { SchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { StoredTool, ToolSecrets, ToolSettings } from './voice-tool.ts'

/** @throws ServiceError `conflict` for a name that every agent's own tools have */
export function checkToolName(name: string): void {
  if (!builtInVoiceTools.some((own) => own === name)) return
  throw new ServiceError('conflict', `${name} is a tool that every agent has; choose another name.`, { param: 'name' })
}

export interface ToolRules {
  /** Addresses that workspaces may call. */
  readonly rules: BaseUrlRules
  readonly schemas: Pick<SchemaChecks, 'problem'>
}

/** @throws ServiceError `invalid_request` for a schema or an address that cannot be used */
export function checkToolSettings(
  { parameters, http }: Pick<ToolSettings, 'parameters' | 'http'>,
  { rules, schemas }: ToolRules,
): void {
  const wrong = schemas.problem(parameters)
  if (wrong !== null) throw invalidRequest('parameters', `\`parameters\` cannot be used: ${wrong}.`)
  const problem = webhookUrlProblem(http.url, rules)
  if (problem !== null) throw invalidRequest('http.url', `\`http.url\` is not allowed: ${problem}.`)
}

/**
 * A tool after a change.
 *
 * @throws ServiceError `invalid_request` when secrets would be sent to another address than that for which they were stated:
 *   another path of a host may be somebody else's, or show what it was sent
 */
export function changedTool(
  { name, settings }: Pick<StoredTool, 'name' | 'settings'>,
  secrets: ToolSecrets,
  changes: UpdateVoiceTool,
): { readonly name: string; readonly settings: ToolSettings; readonly secrets: ToolSecrets } {
  const { name: newName = name, http: { secret_headers: changed = {}, ...newHttp } = {}, ...others } = changes
  const kept = Object.entries(secrets.headers).filter(([header]) => changed[header] === undefined)
  const added = Object.entries(changed).flatMap(([header, value]) => (value === null ? [] : [[header, value] as const]))
  const {
    url = settings.http.url,
    headers: open = settings.http.headers,
    timeout_ms = settings.http.timeout_ms,
  } = newHttp
  const http = { url, method: settings.http.method, headers: open, timeout_ms }
  if (addressOf(url) !== addressOf(settings.http.url) && kept.length > 0) {
    const message = '`http.secret_headers` must be stated again, because `http.url` is another address.'
    throw invalidRequest('http.secret_headers', message)
  }
  const headers = Object.fromEntries([...kept, ...added])
  return {
    name: newName,
    settings: { ...settings, ...stated(others), http: { ...http, secret_header_names: Object.keys(headers) } },
    secrets: { ...secrets, headers },
  }
}

type Stated<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The fields that a change has. */
function stated<T extends object>(changes: T): Stated<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Stated<T>
}

/** In its one spelling; the text as it is when it is no URL, which is refused elsewhere. */
function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url
}
