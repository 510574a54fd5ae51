import { environmentToolPlace } from '@ratchet/contracts/environment-tool-place'
import type { ToolAnswer, ToolError, ToolTest } from '@ratchet/contracts/environment-tools'
import type { SchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { Breaker } from './breaker.ts'
import { type AddressDeps, callAddress } from './call-address.ts'
import { comparedText } from './compared-call.ts'
import type { HttpSettings, JsonObject, StaticSettings, ToolSecrets, ToolVersion } from './environment-tool.ts'
import type { Places } from './places.ts'
import { textOfResult } from './read-answer.ts'
import { describeMismatch, readArguments } from './read-arguments.ts'
import type { FindRecording } from './recordings.ts'

/** In which run and episode a call is made; all null in a test. */
export interface CallContext {
  readonly callId: string
  readonly runId: string | null
  readonly rolloutId: string | null
  readonly step: number | null
  readonly seed: number | null
}

export interface AnswerDeps extends AddressDeps {
  readonly checks: SchemaChecks
  readonly secrets: Pick<SecretBox, 'open'>
  readonly findRecording: FindRecording
  readonly breaker: Breaker
  readonly places: Places
}

export type Answered = Omit<ToolTest, 'duration_ms'>

/**
 * Answers a call of a tool, whatever its kind. Arguments are checked before anything is called. Errors are answers.
 *
 * @param text JSON text of the arguments
 * @throws SecretUnreadable when the secrets of the tool cannot be decrypted
 */
export async function answerCall(
  deps: AnswerDeps,
  version: ToolVersion,
  text: string,
  context: CallContext,
): Promise<Answered> {
  const read = readArguments(text)
  if (typeof read === 'string') return refusedCall('invalid_arguments', read)
  const { settings } = version
  const wrong = deps.checks.checkOf(settings.parameters)(read)
  if (wrong !== null) return refusedCall('invalid_arguments', describeMismatch(wrong))
  switch (settings.kind) {
    case 'http':
      return fromAddress(deps, version, read, context)
    case 'static':
      return fromCases(deps, settings.static, read)
    case 'recorded':
      return fromRecordings(deps, version, read, context)
  }
}

async function fromRecordings(
  deps: AnswerDeps,
  version: ToolVersion,
  read: JsonObject,
  context: CallContext,
): Promise<Answered> {
  const { recorded } = version.settings
  if (recorded === null) return missed('no_recording')
  const found = await deps.findRecording(version, comparedText(read, recorded))
  if (found !== null) return { ...answered(found), recorded_hit: true }
  const onMiss =
    recorded.onMiss === 'http'
      ? await fromAddress(deps, version, read, context)
      : recorded.onMiss === 'static'
        ? fromCases(deps, version.settings.static, read)
        : missed('no_recording')
  return { ...onMiss, recorded_hit: false }
}

function fromCases({ checks }: AnswerDeps, settings: StaticSettings | null, read: JsonObject): Answered {
  const fitting = settings?.cases.find(({ when }) => checks.checkOf(when)(read) === null)
  const result = fitting?.result ?? settings?.otherwise ?? null
  return result === null ? missed('no_case') : answered(textOfResult(JSON.parse(result)))
}

async function fromAddress(
  deps: AnswerDeps,
  version: ToolVersion,
  read: JsonObject,
  context: CallContext,
): Promise<Answered> {
  const { http, name } = version.settings
  if (http === null || version.secrets === null) return refusedCall('unavailable', 'The tool has no address.')
  const secrets = openSecrets(deps, version)
  const { callId, runId, rolloutId, step, seed } = context
  const body = { call_id: callId, tool: name, arguments: read, run_id: runId, rollout_id: rolloutId, step, seed }
  return deps.places.within(version.versionId, http.maxConcurrency, async () => {
    if (!deps.breaker.mayCall(version.versionId, deps.now().getTime())) {
      return refusedCall('suspended', 'The tool is not called at the moment, because most of its last calls failed.')
    }
    return { ...(await sent(deps, version.versionId, { settings: http, secrets, callId, body })), recorded_hit: null }
  })
}

interface Sent {
  readonly settings: HttpSettings
  readonly secrets: ToolSecrets
  readonly callId: string
  readonly body: object
}

async function sent(deps: AnswerDeps, versionId: string, call: Sent) {
  const answer = await callAddress(deps, call)
  // An address that refuses a call is there.
  const isThere = answer.error === null || answer.error.code === 'refused'
  deps.breaker.report(versionId, isThere ? 'answered' : 'failed', deps.now().getTime())
  return answer
}

function openSecrets(
  { secrets }: AnswerDeps,
  { workspaceId, versionId: id, secrets: sealed }: ToolVersion,
): ToolSecrets {
  if (sealed === null) return { headers: {}, signing: '' }
  return JSON.parse(secrets.open(sealed, environmentToolPlace({ workspaceId, id }))) as ToolSecrets
}

function answered(result: string): Answered {
  const nothingElse = { truncated: false, done: false, reward: null, recorded_hit: null, error: null, status: null }
  return { ok: true, result, ...nothingElse }
}

function missed(code: 'no_recording' | 'no_case'): Answered {
  const what =
    code === 'no_recording' ? 'No recorded call is like this one.' : 'The tool has no answer for these arguments.'
  return refusedCall(code, what)
}

/** The answer to a call that was not made. */
export function refusedCall(code: ToolError['code'], message: string): Answered {
  const error = { code, message }
  const nothingElse = { truncated: false, done: false, reward: null, recorded_hit: null, status: null }
  return { ok: false, result: message, error, ...nothingElse }
}

/** What a run is told and what is kept. */
export function answerOf({ status: _status, ...answer }: Answered): ToolAnswer {
  return answer
}
