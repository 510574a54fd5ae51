import type { VoiceEnvironment } from '@ratchet/contracts/voice/voice-key'
import type { AnswerWriter } from '../engine/ports.ts'

/** A tool as a model is told of it. */
export interface DescribedTool {
  readonly name: string
  readonly description: string
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What an agent asks a model with. */
export interface WriterSettings {
  /** Model or alias. */
  readonly model: string
  /** With the values of variables. */
  readonly systemPrompt: string
  /** Null: the model's own. */
  readonly temperature: number | null
  readonly maxTokens: number
  readonly tools: readonly DescribedTool[]
}

export interface WriterOrder {
  readonly workspaceId: string
  /** Who created the call. */
  readonly userId: string
  /** UUIDs. The requests of a call are one trace, whose id is the public id of the call. */
  readonly callId: string
  readonly agentId: string
  readonly env: VoiceEnvironment
  /** The trace of requests that belong to no call: they have no tag, so that judges of calls do not read them. */
  readonly trial?: string
  readonly settings: WriterSettings
}

/** Models that write what agents say, by requests of the workspace. */
export interface CallWriters {
  open(order: WriterOrder): AnswerWriter
}
