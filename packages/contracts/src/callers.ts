import { type Endpoint, type EndpointCaller, endpointCallers } from './endpoint.ts'
import type { Identity, Purpose } from './identity.ts'

/** Every process that signs identities. A worker signs as its service. */
export const callerNames = ['edge', ...endpointCallers] as const
export type CallerName = (typeof callerNames)[number]

/** What an endpoint says about its callers. */
export type CallerRule = Pick<Endpoint, 'audience' | 'callers' | 'needsPurpose'>

/** The purposes for which a service calls models. The edge and the dashboard state none, because they call for users. */
export const purposesOf: Readonly<Record<EndpointCaller, readonly Purpose[]>> = {
  inference: [],
  logging: [],
  judging: ['judge', 'assist'],
  eval: ['eval', 'judge'],
  alias: ['shadow'],
  training: ['grpo', 'raft', 'distill'],
  dashboard: [],
  voice: [],
}

/** What an identity says about the use of a call. */
export type CallUse = Pick<Identity, 'purpose' | 'channel'>

/** Who may state a channel. */
const channelCallers: Readonly<Record<NonNullable<Identity['channel']>, EndpointCaller>> = {
  voice: 'voice',
  batch: 'eval',
}

/**
 * Whether a caller may call an endpoint with this use. The voice service asks models without a purpose: turns of a call are
 * traffic of the workspace's clients, as requests of batches are. It says so by the channel, which nobody else may state.
 */
export function mayCall(caller: CallerName, rule: CallerRule, { purpose, channel }: CallUse): boolean {
  if (channel !== undefined) {
    return (
      caller === channelCallers[channel] && purpose === undefined && rule.needsPurpose && rule.callers.includes(caller)
    )
  }
  if (caller === 'edge') return rule.audience !== 'internal' && purpose === undefined
  if (!rule.callers.includes(caller)) return false
  return purpose === undefined ? !rule.needsPurpose : purposesOf[caller].includes(purpose)
}
