import type { Brand } from '@ratchet/contracts/brand'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import { startUpstreamCall } from '@ratchet/http/upstream-call'
import { type SigningKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import type { CallWriters, WriterOrder } from '../calls/call-writers.ts'
import type { AnswerWriter } from '../engine/ports.ts'
import type { ModelRequests } from '../money/model-requests.ts'
import { chatRequest } from './chat-request.ts'
import { createAnswerReader } from './read-answer.ts'

export interface HttpWritersDeps {
  /** Connections to inference. */
  readonly upstream: Parameters<typeof startUpstreamCall>[0]
  /** Signs for inference. */
  readonly key: SigningKey
  readonly brand: Brand
  /** Where requests are written down, so that a call knows what they cost. */
  readonly requests: Pick<ModelRequests, 'add' | 'price'>
  readonly now: () => Date
  readonly newId: () => string
  readonly onError: (error: unknown) => void
}

const path = '/v1/chat/completions'
/** An answer that nobody waits for is still read, but not for longer. */
const clocks = { firstByteMs: 30_000, idleMs: 20_000, totalMs: 60_000 }

/**
 * Models that answer through inference, as requests of the workspace's clients: logged under the call's trace, with its aliases and
 * fallbacks.
 */
export function createHttpWriters(deps: HttpWritersDeps): CallWriters {
  return { open: (order) => openWriter(deps, order) }
}

function openWriter(deps: HttpWritersDeps, order: WriterOrder): AnswerWriter {
  const { workspaceId, userId, callId, agentId, trial, settings } = order
  const { traceId, tag } = deps.brand.headers
  const ofCall = { [traceId]: publicId('call', callId), [tag]: publicId('agent', agentId) }
  const names = trial === undefined ? ofCall : { [traceId]: trial }
  const identity: Identity = { workspaceId, userId, role: 'admin', keyId: null, channel: 'voice' }
  return {
    answer(request, { onText, onTools, onEnd, onFailed }) {
      let isHeard = true
      const whenHeard =
        <Values extends readonly unknown[]>(report: (...values: Values) => void) =>
        (...values: Values) => {
          if (isHeard) report(...values)
        }
      const reader = createAnswerReader({ onText: whenHeard(onText), onTools: whenHeard(onTools) })
      const requestId = deps.newId()
      const written = trial === undefined ? deps.requests.add(order, requestId) : null
      written?.catch(deps.onError)
      let status = 0
      const sent = { ...signed(deps, { identity, requestId }), ...names, 'content-type': 'application/json' }
      const body = Buffer.from(JSON.stringify(chatRequest(settings, request)))
      const failed = (cause: unknown) => {
        deps.onError(cause)
        whenHeard(onFailed)()
      }
      startUpstreamCall(
        deps.upstream,
        { method: 'POST', path, headers: sent, body, clocks },
        {
          onHead(answered) {
            status = answered
          },
          onData(chunk) {
            if (status === 200) reader.push(chunk)
          },
          onEnd() {
            if (status === 200 && reader.end()) whenHeard(onEnd)()
            else failed(new Error(`inference answered ${status}, or its stream broke off`))
          },
          onFailure({ kind, cause }) {
            // What was never sent costs nothing, and is known without asking the ledger.
            if (kind === 'connect') {
              written?.then(() => deps.requests.price(order, new Map([[requestId, 0n]]))).catch(deps.onError)
            }
            failed(new Error(`inference did not answer: ${kind}`, { cause }))
          },
        },
      )
      return () => {
        isHeard = false
      }
    },
  }
}

function signed(
  { key, now }: HttpWritersDeps,
  { identity, requestId }: { readonly identity: Identity; readonly requestId: string },
): Record<string, string> {
  const bound = { audience: 'inference', requestId, method: 'POST', path }
  return { [requestIdHeader]: requestId, [identityHeader]: signIdentity(key, bound, identity, now().getTime()) }
}
