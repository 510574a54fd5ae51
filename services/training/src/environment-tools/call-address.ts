import type { ToolAnswer, ToolError } from '@ratchet/contracts/environment-tools'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { splitQuery, webhookUrlProblem } from '@ratchet/http/check-webhook-url'
import { CallFailed, type CollectedAnswer, collectBeginning } from '@ratchet/http/collect-answer'
import { createGuardedUpstream, type GuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import type { ResolveHost } from '@ratchet/http/resolve-host'
import { messageHeaders } from '@ratchet/work-kit/webhooks/send-webhook'
import type { HttpSettings, ToolSecrets } from './environment-tool.ts'
import { readAnswer } from './read-answer.ts'

/** What an address is sent. */
export interface AddressCall {
  readonly settings: HttpSettings
  readonly secrets: ToolSecrets
  /** The same in every try. */
  readonly callId: string
  /** Sent as JSON. */
  readonly body: object
}

export interface AddressAnswer extends Pick<ToolAnswer, 'ok' | 'result' | 'truncated' | 'done' | 'reward'> {
  /** Of the last try; null without an answer. */
  readonly status: number | null
  readonly error: ToolError | null
}

export interface AddressDeps {
  /** Addresses that workspaces may use. */
  readonly rules: BaseUrlRules
  readonly now: () => Date
  /** Waits before a try is repeated. */
  readonly delay: (ms: number) => Promise<void>
  /** Resolves hosts that the operator did not name; by default with the name servers. */
  readonly resolve?: ResolveHost
}

const retryAfterMs = 250
/** Room for a secret that the end of an answer would cut. */
const maxSecretLength = 4_096

/**
 * Calls an address of a workspace: public ones, and those that the operator allows. Follows no redirect, reads at most the
 * maximum of an answer, and never rejects: an address that fails is an ordinary outcome.
 */
export async function callAddress(deps: AddressDeps, call: AddressCall): Promise<AddressAnswer> {
  const { settings } = call
  // The rules may have changed since the URL was entered.
  const problem = webhookUrlProblem(settings.url, deps.rules)
  if (problem !== null) return failed({ code: 'unavailable', message: `The URL is refused: ${problem}.` })
  const { base, query } = splitQuery(settings.url)
  const { upstream, basePath } = createGuardedUpstream({
    baseUrl: base,
    rules: deps.rules,
    connections: 1,
    connectTimeoutMs: settings.timeoutMs,
    ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
  })
  const path = `${basePath === '' ? '/' : basePath}${query}`
  try {
    for (let tries = 0; ; tries += 1) {
      const { answer, mayPass } = await tryOnce(deps, call, { upstream, path })
      if (!mayPass || tries >= settings.retries) return answer
      await deps.delay(retryAfterMs * 2 ** tries)
    }
  } finally {
    await upstream.destroy()
  }
}

interface Target {
  readonly upstream: GuardedUpstream['upstream']
  readonly path: string
}

interface Tried {
  readonly answer: AddressAnswer
  /** Whether another try may go better. */
  readonly mayPass: boolean
}

async function tryOnce({ now }: AddressDeps, call: AddressCall, { upstream, path }: Target): Promise<Tried> {
  const { settings, secrets, callId } = call
  const body = JSON.stringify(call.body)
  const { timeoutMs } = settings
  const request = {
    method: settings.method,
    path,
    headers: {
      ...settings.headers,
      ...secrets.headers,
      ...messageHeaders({ id: callId, body, secret: () => secrets.signing }, now()),
      'accept-encoding': 'identity',
      'content-type': 'application/json',
    },
    body: Buffer.from(body),
    clocks: { firstByteMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
  }
  try {
    const received = await collectBeginning(upstream, request, settings.maxResponseBytes + maxSecretLength)
    return judged(received, { maxBytes: settings.maxResponseBytes, secrets: Object.values(secrets.headers) })
  } catch (error) {
    const isSlow = error instanceof CallFailed && error.isTimeout
    return {
      mayPass: true,
      answer: isSlow
        ? failed({ code: 'timeout', message: `The tool did not answer within ${timeoutMs} ms.` })
        : failed({ code: 'unavailable', message: 'The tool could not be reached.' }),
    }
  }
}

interface Limits {
  readonly maxBytes: number
  readonly secrets: readonly string[]
}

function judged({ status, headers, body }: CollectedAnswer, limits: Limits): Tried {
  const encoding = headers['content-encoding'] ?? ''
  if (encoding !== '' && encoding !== 'identity') {
    const message = 'The tool answered in an encoding that it was not asked for.'
    return { mayPass: false, answer: { ...failed({ code: 'invalid_answer', message }), status } }
  }
  const read = readAnswer(body, limits)
  if (status >= 200 && status < 300) return { mayPass: false, answer: { ok: true, status, error: null, ...read } }
  const mayPass = status === 429 || status >= 500
  // A redirect is not followed, and its address not shown.
  const said = status >= 300 && status < 400 ? '' : read.result.slice(0, maxShownLength)
  const message = `The tool answered with ${status}${said === '' ? '.' : `: ${said}`}`
  return { mayPass, answer: { ...failed({ code: mayPass ? 'unavailable' : 'refused', message }), status } }
}

/** Characters of the text of an error that are shown. */
const maxShownLength = 1_000

function failed(error: ToolError): AddressAnswer {
  return { ok: false, status: null, result: error.message, truncated: false, done: false, reward: null, error }
}
