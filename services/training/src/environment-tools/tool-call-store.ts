import type { ToolAnswer } from '@ratchet/contracts/environment-tools'
import type { ToolMiss } from '@ratchet/contracts/environment-tools-body'
import type { ToolVersion } from './environment-tool.ts'
import type { RunToolCounts, ToolRun } from './tool-calls.ts'

export interface UsedTool extends ToolVersion {
  readonly use: 'tool' | 'reward'
}

/** Tools that a run is given. */
export interface KeptTools {
  /** UUIDs. */
  readonly toolIds: readonly string[]
  readonly use: UsedTool['use']
  /** What a call without a recording gets; null: what the tool says. */
  readonly onMiss: ToolMiss | null
}

export interface BegunCall {
  readonly callId: string
  readonly rolloutId: string
  /** Null for a tool that the run does not have. */
  readonly toolId: string | null
  /** Most calls of the tool in the episode. */
  readonly maxCalls: number
  /** Most calls of the whole run, and bytes of their answers. Null for calls of the fleet itself, which follow from the plan. */
  readonly ofRun: RunToolLimits | null
  /** Whether the fleet asks about the answer after the episode. */
  readonly isGrading: boolean
  readonly leaseMs: number
  readonly at: Date
}

export interface RunToolLimits {
  readonly maxCalls: number
  readonly maxBytes: number
}

export interface EndedCall {
  readonly callId: string
  readonly answer: ToolAnswer
  readonly durationMs: number
}

/**
 * `taken`: the caller makes the call. `busy`: another request makes it. `over`: the episode has made too many. `exhausted`: the run
 * has, and nothing is stored of this one.
 */
export type Begun =
  | { readonly kind: 'taken' | 'busy' | 'over' | 'exhausted' }
  | { readonly kind: 'known'; readonly answer: ToolAnswer }

/** Which tools runs have, and what they called. */
export interface ToolCallStore {
  /** Keeps the present versions of these tools, in this order. Those that the run has already stay as they are. */
  use(run: ToolRun, kept: KeptTools): Promise<void>
  /** In order. */
  used(run: ToolRun): Promise<readonly UsedTool[]>
  release(run: ToolRun): Promise<void>
  begin(run: ToolRun, call: BegunCall): Promise<Begun>
  /** Stores the answer, and returns the one that counts: that of another request may have been first. */
  end(run: ToolRun, call: EndedCall): Promise<ToolAnswer>
  /** Lets another request make a call that was not ended. */
  giveUp(run: ToolRun, callId: string): Promise<void>
  /** The last reward that a tool said in an episode; null without one. */
  lastReward(run: ToolRun, call: { readonly rolloutId: string; readonly toolId: string }): Promise<number | null>
  /** Of the calls since a time. */
  counts(run: ToolRun, since: Date): Promise<RunToolCounts>
  /** Lets the tools of GRPO runs that have ended be deleted. Returns how many. */
  releaseEnded(): Promise<number>
  /** Forgets calls before a time, of runs that have no tools any more. Returns their number, at most 5,000. */
  forget(before: Date): Promise<number>
}
