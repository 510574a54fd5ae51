import { modelHeader } from '@ratchet/contracts/identity'
import { readSwitch } from '@ratchet/service-kit/http/read-switch'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { identityOf } from '@ratchet/service-kit/identity/require-identity'
import type { Body } from '../wire/dialect.ts'
import { usualVersion } from '../wire/messages/api-version.ts'
import type { RequestHints } from '../wire/provider.ts'
import type { SettingsSource } from '../workspace-settings/workspace-settings.ts'
import type { AnswerDeps } from './answer-deps.ts'
import { conversationIdOf } from './client-metadata.ts'
import { withEdits } from './fit-to-model.ts'
import { headerOf, rawHeaderOf } from './header-of.ts'
import { channelSettings, internalCallOf, internalCallSettings } from './internal-call.ts'
import { type ParsedBody, parseBody } from './parse-body.ts'
import type { ParsedRequest } from './request-records.ts'

export interface ParseDeps extends Pick<AnswerDeps, 'brand'> {
  readonly settings: SettingsSource
}

/** A request whose body was read but not parsed. */
type ReceivedRequest = Pick<
  ParsedRequest,
  'httpRequest' | 'httpResponse' | 'startedAt' | 'surface' | 'bytes' | 'reserveBody' | 'reserveAnswer' | 'notes'
> & { readonly task?: RequestHints['task'] | undefined }

/** @throws ServiceError naming the field of the body, or the header, that is wrong */
export async function parseRequest(deps: ParseDeps, received: ReceivedRequest): Promise<ParsedRequest> {
  const { httpRequest, httpResponse, startedAt, surface, reserveBody, reserveAnswer, notes } = received
  const identity = identityOf(httpRequest)
  notes.bytes = received.bytes
  const { bytes, scan, body } = withNamedModel(parseBody(received.bytes), headerOf(httpRequest, modelHeader))
  const internalCall = internalCallOf(identity)
  const workspaceSettings = await deps.settings.of(identity.workspaceId, modelsOf(body))
  const clientSettings = channelSettings(workspaceSettings, identity)
  const settings = internalCall === null ? clientSettings : internalCallSettings(workspaceSettings)
  const alias = settings.aliases.get(firstModelOf(body)) ?? null
  // Every refusal from here on names the alias.
  if (alias !== null) httpResponse.setHeader(deps.brand.headers.alias, alias.name)
  requireShortTag(httpRequest, deps.brand.headers.tag)
  const conversationId = surface.serves === 'chat' ? conversationIdOf(deps.brand, httpRequest) : null
  if (conversationId !== null) httpResponse.setHeader(deps.brand.headers.session, conversationId)
  const facts = surface.readFacts(body)
  notes.model = facts.requestedModel
  const traceId = headerOf(httpRequest, deps.brand.headers.traceId)
  const { strict } = deps.brand.headers
  notes.alias = alias?.name ?? null
  notes.traceId = traceId
  return {
    httpRequest,
    httpResponse,
    startedAt,
    notes,
    requestId: httpRequest.id,
    identity,
    internalCall,
    surface,
    bytes,
    scan,
    body,
    facts,
    settings,
    alias,
    segment: null,
    containsUnlogged: false,
    reserveBody,
    reserveAnswer,
    traceId,
    conversationId,
    isStrict: readSwitch(rawHeaderOf(httpRequest, strict), strict) ?? false,
    hints: hintsOf(received),
  }
}

/** @throws ServiceError `invalid_request` for a tag of more than 64 characters */
function requireShortTag(httpRequest: ReceivedRequest['httpRequest'], header: string): void {
  if ((headerOf(httpRequest, header)?.length ?? 0) <= maxTagLength) return
  throw new ServiceError('invalid_request', `${header} must be 0 to ${maxTagLength} printable ASCII characters.`, {
    param: header,
  })
}

const maxTagLength = 64

/** A model that the client named in the path counts, as with Azure. */
function withNamedModel(parsed: ParsedBody, model: string | null): ParsedBody {
  return model === null || parsed.body.model === model ? parsed : withEdits(parsed, { model: JSON.stringify(model) })
}

/** What a body names as its models, read before the body is checked. */
function modelsOf({ model, models }: Body): readonly unknown[] {
  return Array.isArray(models) ? [model, ...models] : [model]
}

/** The model that a body asks for first, read before the body is checked. */
function firstModelOf({ model, models }: Body): string {
  const first = model ?? (Array.isArray(models) ? models[0] : null)
  return typeof first === 'string' ? first : ''
}

function hintsOf({ surface, httpRequest, task }: ReceivedRequest): RequestHints | undefined {
  const isMessage = surface.dialect === 'messages'
  const anthropicBeta = isMessage ? rawHeaderOf(httpRequest, 'anthropic-beta') : undefined
  const anthropicVersion = isMessage ? rawHeaderOf(httpRequest, 'anthropic-version') : undefined
  const isUsual = anthropicVersion === undefined || anthropicVersion === usualVersion
  if (anthropicBeta === undefined && isUsual && task === undefined) return undefined
  return {
    ...(anthropicBeta === undefined ? {} : { anthropicBeta }),
    ...(isUsual ? {} : { anthropicVersion }),
    ...(task === undefined ? {} : { task }),
  }
}
