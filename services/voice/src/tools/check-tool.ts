import { builtInVoiceTools, type UpdateVoiceTool } from '@ratchet/contracts/voice/tools'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { webhookUrlProblem } from '@ratchet/http/check-webhook-url'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { isObject } from '@ratchet/service-kit/values/json'
import type { StoredTool, ToolSecrets, ToolSettings } from './voice-tool.ts'

/** Most levels of a schema, one inside the other. */
const maxSchemaDepth = 8

/** @throws ServiceError `conflict` for a name that every agent's own tools have */
export function checkToolName(name: string): void {
  if (!builtInVoiceTools.some((own) => own === name)) return
  throw new ServiceError('conflict', `${name} is a tool that every agent has; choose another name.`, { param: 'name' })
}

/** @throws ServiceError `invalid_request` for a schema or an address that cannot be used */
export function checkToolSettings(
  { parameters, http }: Pick<ToolSettings, 'parameters' | 'http'>,
  rules: BaseUrlRules,
): void {
  if (depthOf(parameters) > 2 * maxSchemaDepth) {
    throw invalidRequest('parameters', `\`parameters\` may have at most ${maxSchemaDepth} levels.`)
  }
  if (findKey(parameters, '$ref')) throw invalidRequest('parameters', '`parameters` may not have `$ref`.')
  const problem = webhookUrlProblem(http.url, rules)
  if (problem !== null) throw invalidRequest('http.url', `\`http.url\` is not allowed: ${problem}.`)
}

/** Objects and lists, one inside the other. A level of a schema has `properties` and the schema of a property: two. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function findKey(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => findKey(item, key))
  return isObject(value) && (Object.hasOwn(value, key) || Object.values(value).some((inner) => findKey(inner, key)))
}

/**
 * A tool after a change.
 *
 * @throws ServiceError `invalid_request` when secrets would be sent to another host than that for which they were stated
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
  if (originOf(url) !== originOf(settings.http.url) && kept.length > 0) {
    const message = '`http.secret_headers` must be stated again, because `http.url` goes to another host.'
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

/** Scheme, host and port; the whole text when it is no URL, which is refused elsewhere. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}
