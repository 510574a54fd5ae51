import { uuidOf } from '@ratchet/contracts/public-id'
import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { AgentStore } from '../agents/agent-store.ts'
import type { Turn } from '../engine/call-events.ts'
import type { ToolCaller } from '../engine/ports.ts'
import { heardOf } from '../heard/utterance.ts'
import { recognizerId } from '../money/price-book.ts'
import type { VoiceToolStore } from '../tools/tool-store.ts'
import type { StoredTool } from '../tools/voice-tool.ts'
import { chooseRecognizer } from '../voices/choose-recognizer.ts'
import { callSecretPlace, type PhoneLine, type StoredCall, type WrittenTurn } from './call.ts'
import type { PaidCall } from './call-money.ts'
import { planCall } from './call-plan.ts'
import type { CallWork } from './call-work.ts'
import type { PreparedCall } from './prepared-call.ts'
import type { SpokenSeal } from './spoken-seal.ts'
import { type StoredTexts, storedTexts } from './stored-text.ts'

export interface PrepareDeps {
  readonly work: Pick<CallWork, 'turns' | 'write'>
  readonly now: () => Date
  readonly agents: Pick<AgentStore, 'version'>
  readonly tools: Pick<VoiceToolStore, 'get'>
  readonly secrets: Pick<SecretBox, 'open'>
  readonly spoken: Pick<SpokenSeal, 'open'>
  readonly openTools: (call: { readonly callId: string; readonly tools: readonly StoredTool[] }) => ToolCaller
}

export type ReadyCall = Omit<PreparedCall, 'meter' | 'resumeToken'>

/** Reads everything that is needed to hold a call. Tools that were deleted since are left out. */
export async function prepareCall(deps: PrepareDeps, call: StoredCall, played: Played | null): Promise<ReadyCall> {
  const { workspaceId, agentId, agentVersion } = call
  const version = await deps.agents.version({ workspaceId, id: agentId }, agentVersion)
  if (version === null) throw new Error('the version of the agent of a call does not exist')
  const { spec } = version
  const isResumed = call.generation > 1
  const [found, turns] = await Promise.all([
    Promise.all(toolIds(spec).map((id) => deps.tools.get({ workspaceId, id }))),
    isResumed ? deps.work.turns(call) : [],
  ])
  const tools = found.filter((tool) => tool !== null)
  const secret = secretVariablesOf(deps, call)
  const variables = { ...call.variables, ...secret }
  const texts = storedTexts(spec, Object.values(secret))
  return {
    call,
    spec,
    plan: planCall({
      spec,
      tools,
      overrides: call.overrides,
      variables,
      isResumed,
      isTelephone: call.phone !== null,
      isDialed: call.phone?.direction === 'outbound',
    }),
    turns: await withCutTurn(deps, { call, turns, cut: cutTurnOf(deps, call, played), texts }),
    tools: deps.openTools({ callId: call.id, tools }),
    texts,
  }
}

interface CutTurn {
  readonly call: StoredCall
  readonly turns: readonly WrittenTurn[]
  readonly cut: Turn | null
  readonly texts: StoredTexts
}

/** Writes what was heard of the last worker before this one says a word: it may die as well. */
async function withCutTurn({ work, now }: PrepareDeps, { call, turns, cut, texts }: CutTurn) {
  if (cut === null) return turns
  const turn = texts.turn({ ...cut, index: turns.length, latency: null })
  const { index, role, text, endMs } = turn
  const event = { kind: 'turn', atMs: Math.round(endMs), body: { index, role, text, interrupted: true } } as const
  await work.write(call, { turns: [turn], events: [event], spokenNow: null, at: now() })
  return [...turns, turn]
}

/** What a caller says was played of the last utterance. */
export interface Played {
  readonly id: number
  readonly ms: number
}

/** What was heard of what the agent was saying when its worker died; null for nothing. */
function cutTurnOf({ spoken }: Pick<PrepareDeps, 'spoken'>, call: StoredCall, played: Played | null): Turn | null {
  const spokenNow = call.spokenNow === null ? null : spoken.open(call, call.spokenNow)
  if (spokenNow === null || played?.id !== spokenNow.utterance) return null
  const { text } = heardOf(spokenNow.pieces, played.ms)
  if (text === '') return null
  const { startMs } = spokenNow
  return { role: 'agent', text, startMs, endMs: startMs + played.ms, isInterrupted: true, playedMs: played.ms }
}

function toolIds({ tool_ids }: AgentSpec): readonly string[] {
  return tool_ids.flatMap((id) => uuidOf('voiceTool', id) ?? [])
}

function secretVariablesOf({ secrets }: PrepareDeps, call: StoredCall): Readonly<Record<string, string>> {
  if (call.secretVariables === null) return {}
  return JSON.parse(secrets.open(call.secretVariables, callSecretPlace(call))) as Record<string, string>
}

/** What of a call and its agent decides its price. */
export function paidCallOf(
  call: Pick<StoredCall, 'workspaceId' | 'id' | 'agentId' | 'env'> & { readonly phone: PhoneLine | null },
  spec: Pick<AgentSpec, 'voice' | 'model' | 'stt'>,
): PaidCall {
  const { workspaceId, id: callId, agentId, env } = call
  const telephony = telephonyOf(call)
  const recognizer = recognizerId(chooseRecognizer(spec))
  return { workspaceId, callId, agentId, env, telephony, voice: spec.voice, recognizer, model: spec.model }
}

function telephonyOf({ phone }: { readonly phone: PhoneLine | null }): PaidCall['telephony'] {
  if (phone === null) return null
  return { provider: phone.provider, direction: phone.direction, calledNumber: phone.toNumber }
}
