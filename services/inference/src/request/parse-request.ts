import type { ServedRequest } from '@ratchet/service-kit/http/served'
import { identityOf } from '@ratchet/service-kit/identity/require-identity'
import type { Surface } from '../surfaces/surface.ts'
import type { RequestHints } from '../wire/provider.ts'
import type { SettingsSource } from '../workspace-settings/workspace-settings.ts'
import type { AnswerDeps } from './answer-deps.ts'
import { headerOf, rawHeaderOf } from './header-of.ts'
import { internalCallOf, internalCallSettings } from './internal-call.ts'
import { parseBody } from './parse-body.ts'
import type { ParsedRequest } from './request-records.ts'

export interface ParseDeps extends Pick<AnswerDeps, 'brand'> {
  readonly settings: SettingsSource
}

/** A request whose body was read but not parsed. */
type ReceivedRequest = Pick<
  ParsedRequest,
  'httpRequest' | 'httpResponse' | 'startedAt' | 'surface' | 'bytes' | 'reserveAnswer'
>

/** @throws ServiceError naming the field of the body that is wrong */
export async function parseRequest(deps: ParseDeps, received: ReceivedRequest): Promise<ParsedRequest> {
  const { httpRequest, httpResponse, startedAt, surface, reserveAnswer } = received
  const identity = identityOf(httpRequest)
  const { bytes, scan, body } = parseBody(received.bytes)
  const facts = surface.readFacts(body)
  const internalCall = internalCallOf(identity)
  const workspaceSettings = await deps.settings.of(identity.workspaceId)
  const settings = internalCall === null ? workspaceSettings : internalCallSettings(workspaceSettings)
  return {
    httpRequest,
    httpResponse,
    startedAt,
    requestId: httpRequest.id,
    identity,
    internalCall,
    surface,
    bytes,
    scan,
    body,
    facts,
    settings,
    alias: settings.aliases.get(facts.requestedModel) ?? null,
    reserveAnswer,
    traceId: headerOf(httpRequest, deps.brand.headers.traceId),
    hints: hintsOf(surface, httpRequest),
  }
}

function hintsOf({ dialect }: Surface, httpRequest: ServedRequest): RequestHints | undefined {
  const anthropicBeta = dialect === 'messages' ? rawHeaderOf(httpRequest, 'anthropic-beta') : undefined
  return anthropicBeta === undefined ? undefined : { anthropicBeta }
}
