import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { splitQuery, webhookUrlProblem } from '@ratchet/http/check-webhook-url'
import { CallFailed, type CollectedAnswer, collectBeginning } from '@ratchet/http/collect-answer'
import { createGuardedUpstream, type GuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import type { UpstreamRequest } from '@ratchet/http/upstream-call'
import { messageHeaders } from '@ratchet/work-kit/webhooks/send-webhook'
import { readResult } from './read-result.ts'
import type { ToolSecrets, ToolSettings } from './voice-tool.ts'

export interface ToolCallDeps {
  /** Addresses that workspaces may call. */
  readonly rules: BaseUrlRules
  readonly now: () => Date
}

export interface ToolCall {
  readonly name: string
  readonly settings: ToolSettings
  readonly secrets: ToolSecrets
  /** Public id of the telephone call; null in a test. */
  readonly callId: string | null
  /** What the model calls this call: the same in every try. */
  readonly toolCallId: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface ToolResult {
  readonly ok: boolean
  /** For the model, also when the call failed. */
  readonly result: string
  /** Of the last try; null without an answer. */
  readonly status: number | null
}

/** Room for a secret that the end of a result would cut. */
const maxSecretLength = 4_096

/**
 * Calls the address of a tool: a public one, or one that the operator allows. It follows no redirect, reads at most the
 * maximum of a result, and never rejects: a tool that fails is an ordinary outcome. A tool with side effects is called once;
 * any other once more after a failure that may pass.
 */
export async function callTool(deps: ToolCallDeps, call: ToolCall): Promise<ToolResult> {
  const { url, timeout_ms: connectTimeoutMs } = call.settings.http
  // The rules may have changed since the URL was entered.
  if (webhookUrlProblem(url, deps.rules) !== null) return failed('its address is not allowed')
  const { base, query } = splitQuery(url)
  const { upstream, basePath } = createGuardedUpstream({
    baseUrl: base,
    rules: deps.rules,
    connections: 1,
    connectTimeoutMs,
  })
  const target = { upstream, path: `${basePath === '' ? '/' : basePath}${query}` }
  try {
    const first = await tryOnce(deps, call, target)
    if (!first.mayPass || call.settings.side_effects) return first.result
    return (await tryOnce(deps, call, target)).result
  } finally {
    await upstream.destroy()
  }
}

interface Target {
  readonly upstream: GuardedUpstream['upstream']
  readonly path: string
}

interface Tried {
  readonly result: ToolResult
  /** Whether another try may go better. */
  readonly mayPass: boolean
}

async function tryOnce({ now }: ToolCallDeps, call: ToolCall, { upstream, path }: Target): Promise<Tried> {
  const { settings, secrets } = call
  const { timeout_ms: timeoutMs } = settings.http
  const body = JSON.stringify({
    call_id: call.callId,
    tool_call_id: call.toolCallId,
    name: call.name,
    arguments: call.arguments,
  })
  const key = `${call.callId ?? 'test'}.${call.toolCallId}`
  const request: UpstreamRequest = {
    method: settings.http.method,
    path,
    headers: {
      ...lowerCase(settings.http.headers),
      ...lowerCase(secrets.headers),
      ...messageHeaders({ id: key, body, secret: () => secrets.signing }, now()),
      ...(settings.side_effects ? { 'idempotency-key': key } : {}),
      'accept-encoding': 'identity',
      'content-type': 'application/json',
    },
    body: Buffer.from(body),
    clocks: { firstByteMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
  }
  try {
    const answer = await collectBeginning(upstream, request, settings.result_max_bytes + maxSecretLength)
    return judged(answer, call)
  } catch (error) {
    const isSlow = error instanceof CallFailed && error.isTimeout
    return { mayPass: true, result: failed(isSlow ? `no answer within ${timeoutMs} ms` : 'it could not be reached') }
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function judged({ status, headers, body }: CollectedAnswer, { settings, secrets }: ToolCall): Tried {
  if (status >= 200 && status < 300) {
    const limits = { maxBytes: settings.result_max_bytes, secrets: Object.values(secrets.headers) }
    const result = readResult(headers['content-type'] ?? '', body, limits)
    return {
      mayPass: false,
      result:
        result === null
          ? { ...failed('it answered with neither JSON nor text'), status }
          : { ok: true, result, status },
    }
  }
  return { mayPass: status === 429 || status >= 500, result: { ...failed(`status ${status}`), status } }
}

function failed(reason: string): ToolResult {
  return { ok: false, result: `[tool failed: ${reason}]`, status: null }
}
