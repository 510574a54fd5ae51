import type { UpdateEnvironmentTool } from '@ratchet/contracts/environment-tools-body'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { FlatRefusal } from '../bodies/flat-refusal.ts'
import type { ToolSecrets, ToolSettings } from './environment-tool.ts'
import { requireHeaders, requireMissBlock } from './read-tool-body.ts'

/**
 * Whoever may change a tool may not read its secrets by sending them elsewhere: another path of a host may be somebody else's, or
 * show what it was sent.
 *
 * @throws ServiceError when the address changes, and a secret header is neither set again nor removed
 */
export function requireOwnSecrets(
  { http }: Pick<ToolSettings, 'http'>,
  { headers }: ToolSecrets,
  changes: UpdateEnvironmentTool['http'],
): void {
  if (http === null || changes?.url === undefined || new URL(changes.url).href === new URL(http.url).href) return
  const given = new Set(Object.keys(changes.secretHeaders ?? {}).map((name) => name.toLowerCase()))
  const kept = Object.keys(headers).find((name) => !given.has(name.toLowerCase()))
  if (kept === undefined) return
  const message = `\`http.url\` is another address, which would receive the secret header ${kept}. Set it again, or remove it with null.`
  throw new ServiceError('invalid_request', message, { param: 'http.secretHeaders' })
}

type HeaderChanges = NonNullable<UpdateEnvironmentTool['http']>['secretHeaders']

/** The secret headers after a change; null removes one. */
export function changedHeaders(
  present: Readonly<Record<string, string>>,
  changes: HeaderChanges = {},
): Record<string, string> {
  const headers = new Map(Object.entries(present))
  for (const [name, value] of Object.entries(changes)) {
    // The names of headers are the same in any case of letters.
    for (const known of [...headers.keys()]) {
      if (known.toLowerCase() === name.toLowerCase()) headers.delete(known)
    }
    if (value !== null) headers.set(name, value)
  }
  return Object.fromEntries(headers)
}

/** @throws ServiceError for blocks that do not fit the kind, as a `FlatRefusal` when a tool is created */
export function requireWhole(settings: ToolSettings, { kind }: ToolSettings): void {
  const { http, static: fixed, recorded } = settings
  if (recorded !== null) requireMissBlock(recorded.onMiss, { http, static: fixed })
  else if ((http !== null) !== (kind === 'http') || (fixed !== null) !== (kind === 'static')) {
    throw new FlatRefusal(`\`kind\` is \`${kind}\`, and there may be no other block than \`${kind}\`.`)
  }
  if (http !== null && http.url === '') {
    throw new ServiceError('invalid_request', '`http.url` is required.', { param: 'http.url' })
  }
  if (http !== null) requireHeaders(Object.keys(http.headers), http.secretHeaderNames)
}
