import { randomBytes } from 'node:crypto'
import { keyDisplayLength } from '@ratchet/contracts/api-key'
import { mintVoiceKey, type VoiceEnvironment } from '@ratchet/contracts/voice/voice-key'
import { connectPrisma } from '@ratchet/db/connect'
import { saveApiKey } from '@ratchet/db/operator'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { type Fleet, type FleetOptions, startFleet } from '../fleet.ts'
import type { FleetProcess } from '../start-process.ts'
import { workspaceWith } from '../workspace-with.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

/** A workspace at the voice interface. */
export interface VoiceTenant {
  /** Whose calls are logged. */
  readonly workspace: DemoWorkspace
  /** The owner's. */
  readonly key: string
  /** Asks the voice interface with the owner's key. */
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Json }>
  /** `ask` with another key of the owner, which has an hourly limit of its own. */
  withAnotherKey(): Promise<VoiceTenant['ask']>
  newAgent(settings?: object): Promise<string>
}

export interface VoiceFleet extends VoiceTenant {
  readonly fleet: Fleet
  /** Of the voice interface. */
  readonly origin: string
  readonly edge: FleetProcess
  readonly voice: FleetProcess
  readonly worker: FleetProcess
  addWorker(): Promise<FleetProcess>
  addTenant(env?: VoiceEnvironment): Promise<VoiceTenant>
  stop(): Promise<void>
}

/** A fleet with voice agents, and a key for them. */
export async function startVoiceFleet(options: FleetOptions = {}): Promise<VoiceFleet> {
  const fleet = await startFleet({ ...options, voice: true })
  try {
    return await addVoice(fleet)
  } catch (error) {
    await fleet.stop()
    throw error
  }
}

async function addVoice(fleet: Fleet): Promise<VoiceFleet> {
  const { voiceUrl: origin, voice, voiceWorker: worker } = fleet
  const [edge] = fleet.edges
  if (edge === undefined) throw new Error('the fleet has no edge')
  const addTenant = (env?: VoiceEnvironment) => newTenant(fleet, origin, env)
  return {
    ...(await addTenant()),
    fleet,
    origin,
    edge,
    voice,
    worker,
    addWorker: () => fleet.add('voice-worker'),
    addTenant,
    stop: () => fleet.stop(),
  }
}

async function newTenant(fleet: Fleet, origin: string, env: VoiceEnvironment = 'live'): Promise<VoiceTenant> {
  const workspace = await workspaceWith(fleet, { loggingEnabled: true })
  const key = await newVoiceKey(fleet, workspace, env)
  const askWith =
    (key: string): VoiceTenant['ask'] =>
    async (method, path, body) => {
      const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`${origin}/v1${path}`, { method, headers, ...sent })
      return { status: response.status, body: await response.json() }
    }
  const ask = askWith(key)
  return {
    workspace,
    key,
    ask,
    withAnotherKey: async () => askWith(await newVoiceKey(fleet, workspace, env)),
    async newAgent(settings = {}) {
      const { status, body } = await ask('POST', '/agents', { ...agentSettings, ...settings })
      if (status !== 201) throw new Error(`no agent: ${JSON.stringify(body)}`)
      return body.id
    },
  }
}

export const agentSettings = {
  name: 'Reception',
  system_prompt: 'You answer the telephone.',
  language: 'en-US',
  voice: 'sim/readable',
  model: 'sim/small',
  first_message: 'Hello there.',
  ai_disclosure: false,
  turn_taking: { detector: 'vad' },
  max_response_tokens: 30,
}

/** A key of the voice interface. */
export async function newVoiceKey(
  { databaseUrl }: Fleet,
  { workspaceId, userId }: Pick<DemoWorkspace, 'workspaceId' | 'userId'>,
  env: VoiceEnvironment = 'live',
): Promise<string> {
  const key = mintVoiceKey(env, randomBytes)
  const db = connectPrisma({ databaseUrl, max: 1 })
  try {
    await saveApiKey(db, {
      id: uuidV7(Date.now()),
      workspaceId,
      userId,
      name: 'voice',
      hash: hashApiKey(key),
      display: key.slice(0, keyDisplayLength),
      at: new Date(),
      surface: 'voice',
      env,
    })
    return key
  } finally {
    await db.$disconnect()
  }
}
