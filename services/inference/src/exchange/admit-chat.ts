import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { CatalogModel } from '../domain/catalog.ts'
import { type ChatFacts, checkChatRequest } from '../domain/check-chat-request.ts'
import { type Ledger, LedgerUnavailable } from '../domain/ledger.ts'
import { parseScanned } from '../domain/parse-scanned.ts'
import { holdNano } from '../domain/price.ts'
import { promptTokensUpperBound } from '../domain/prompt-upper-bound.ts'
import { type JsonScan, type ScanRefusal, scanJson } from '../domain/scan-json.ts'
import { unsupportedParameter } from '../domain/unsupported-parameter.ts'
import { createBilling } from './billing.ts'
import type { AdmittedChat } from './exchange-deps.ts'
import { type ModelDeps, requireModel } from './require-model.ts'

const limits = { maxDepth: 64, maxKeys: 50_000 }

export interface ReceivedChat {
  readonly bytes: Buffer
  readonly requestId: string
  readonly identity: Identity
}

/**
 * Everything that must hold before a provider is called: the body is understood, the model is priced,
 * and the wallet holds the worst case.
 *
 * @throws ServiceError saying which of them does not.
 */
export async function admitChat(
  deps: ModelDeps & { readonly ledger: Ledger },
  { bytes, requestId, identity }: ReceivedChat,
): Promise<AdmittedChat> {
  const { scan, body } = parseBody(bytes)
  const facts = readFacts(body)
  const model = requireModel(deps, facts.model)
  refuseUnsupported(model, body)
  const { workspaceId } = identity
  const amountNano = worstCaseNano(model, facts, bytes.length)
  await takeHold(deps.ledger, { requestId, workspaceId, model, amountNano })
  return {
    request: { requestId, model, bytes, scan, facts },
    billing: createBilling(deps.ledger, { requestId, workspaceId, holdNano: amountNano }),
  }
}

function parseBody(bytes: Buffer): { scan: JsonScan; body: Record<string, unknown> } {
  const scan = scanJson(bytes, limits)
  if (!scan.ok) throw new ServiceError('invalid_request', refusalMessage(scan), { param: scan.key ?? 'body' })
  try {
    return { scan, body: parseScanned(bytes, scan) }
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The body is not valid JSON.', { param: 'body', cause })
  }
}

function refusalMessage({ reason, key, offset }: ScanRefusal): string {
  switch (reason) {
    case 'depth':
      return `The body is nested deeper than ${limits.maxDepth} levels.`
    case 'keys':
      return `The body has more than ${limits.maxKeys} keys.`
    case 'forbidden_key':
      return `The key ${JSON.stringify(key)} is not allowed anywhere in the body.`
    case 'duplicate_key':
      return `The key ${JSON.stringify(key)} is given twice.`
    case 'not_an_object':
      return 'The body must be a JSON object.'
    case 'malformed':
      return `The body is not valid JSON (at byte ${offset}).`
  }
}

function readFacts(body: Record<string, unknown>): ChatFacts {
  const checked = checkChatRequest(body)
  if (checked.ok) return checked.facts
  throw new ServiceError(checked.code, checked.message, { param: checked.param })
}

function refuseUnsupported(model: CatalogModel, body: Record<string, unknown>): void {
  if (model.kind !== 'chat') {
    throw new ServiceError('invalid_request', `${model.id} is not a chat model.`, { param: 'model' })
  }
  const param = unsupportedParameter(model, body)
  if (param === null) return
  throw new ServiceError('unsupported_parameter', `${model.id} does not support ${param}.`, { param })
}

function worstCaseNano(model: CatalogModel, facts: ChatFacts, bodyBytes: number): bigint {
  const upperBound = promptTokensUpperBound({ ...facts, bodyBytes, imageTokensMax: model.imageTokensMax })
  return holdNano({ model, promptTokensUpperBound: upperBound, maxOutputTokens: facts.maxTokens, n: facts.n })
}

interface WorstCase {
  readonly requestId: string
  readonly workspaceId: string
  readonly model: CatalogModel
  readonly amountNano: bigint
}

async function takeHold(ledger: Ledger, { model, ...hold }: WorstCase): Promise<void> {
  const outcome = await ledger
    .hold({ ...hold, kind: 'chat', model: model.id, priceVersion: model.priceVersion })
    .catch(unavailable)
  if (outcome === 'held') return
  if (outcome === 'refused') {
    throw new ServiceError(
      'insufficient_balance',
      'The wallet does not cover the most this request could cost. Lower max_tokens or top up.',
    )
  }
  throw new Error(`request ${hold.requestId} was already ${outcome}`)
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
}
